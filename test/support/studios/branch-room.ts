import { EVENT_TYPES } from '../../../src/contract/events.ts'
import type { BranchHealth, BreakageDetail } from '../../../src/contract/health-shapes.ts'
import { SCOPES } from '../../../src/contract/sets.ts'
import { sql } from '../../../src/db/database.ts'
import { ingest } from '../../../src/intake/ingest.ts'
import { openStudio, type Studio } from '../studio.ts'
import { workOff } from '../work-off.ts'

/** A log that fails in this file. */
const brokenIn = (name: string) => `$ make game
src/${name}.c:54:3: error: '${name}' undeclared
make: *** [game] Error 1
`

export const openBranchStudio = (options: Parameters<typeof openStudio>[1] = {}) =>
  openStudio(
    {
      accounts: [{ key: 'owl', name: 'Night Owl', plan: 'enterprise', credits: null }],
      users: [
        { key: 'kim', email: 'kim@example.com', name: 'Kim', accounts: { owl: 'owner' } },
        { key: 'ann', email: 'ann@example.com', name: 'Ann', accounts: { owl: 'member' } },
      ],
      tokens: [
        { key: 'kim', user: 'kim', name: 'kim', scopes: SCOPES },
        { key: 'reader', user: 'kim', name: 'reader', scopes: ['read:builds'] },
      ],
    },
    options,
  )

/** A separate project with a depot, a repository and a CI, which report through their webhooks. */
export async function branchRoom(studio: Studio) {
  const made = await studio.load({
    projects: [{ key: 'p', account: studio.world.accounts!.owl!.id, name: `Room ${Math.random()}` }],
  })
  const project = made.projects!.p!.id as number
  const owner = { account_id: studio.world.accounts!.owl!.id as number, project_id: project }
  const { integrations } = await studio.load({
    integrations: (['perforce', 'github', 'jenkins', 'buildkite'] as const).map((provider) => ({
      key: provider,
      project,
      provider,
    })),
  })
  const token = studio.world.tokens!.kim!.token as string
  const post = async (path: string, key: string, body: object, headers: Record<string, string> = {}) => {
    const answer = await studio.ask(`/webhooks/${path}?token=${integrations![key]!.webhook_token}`, {
      method: 'POST',
      body,
      headers,
    })
    if (answer.status >= 300) throw new Error(`${path} answers ${answer.status}: ${answer.text}`)
    if (answer.status === 202)
      await ingest(studio.db, { account_id: studio.world.accounts!.owl!.id, delivery_id: Number(answer.json.delivery_id) })
    return answer.json
  }
  const api = (path: string, asking: { method?: string; body?: object; token?: string } = {}) =>
    studio.ask(`/api/v1/projects/${project}${path}`, { token, ...asking })
  return {
    project,
    owner,
    api,
    /** A changelist with one file below a stream. */
    submit: (changelist: number, { stream = '//game/main', user = 'kim', file = `src/part${changelist}.c` } = {}) =>
      post('perforce', 'perforce', { changelist, user, description: `Work ${changelist}`, files: [`${stream}/${file}`] }),
    /** What a trigger or a test definition says about a changelist. */
    perforce: (body: object) => post('perforce', 'perforce', body),
    /** Commits in this order onto a branch. */
    push: (
      branch: string,
      commits: string[],
      { before = '0'.repeat(40), created = false, ...more }: Record<string, unknown> = {},
    ) =>
      post(
        'github',
        'github',
        {
          ref: `refs/heads/${branch}`,
          before,
          after: commits.at(-1) ?? more.after,
          created,
          repository: { full_name: 'owl/star', html_url: 'https://github.com/owl/star' },
          commits: commits.map((id) => ({
            id,
            message: `Work ${id}`,
            timestamp: new Date().toISOString(),
            author: { name: 'Kim', email: 'kim@example.com' },
            added: [],
            modified: [`src/${id}.c`],
            removed: [],
          })),
          ...more,
        },
        { 'x-github-event': 'push', 'x-github-delivery': `${Math.random()}` },
      ),
    /** A GitHub delivery of another event. */
    github: (event: string, body: object) =>
      post('github', 'github', body, { 'x-github-event': event, 'x-github-delivery': `${Math.random()}` }),
    /** A build report of the CI; with `broken` it failed with a log. */
    async report(body: { number: number | string; job?: string; broken?: string; status?: string } & Record<string, unknown>) {
      const { number, job = 'Cook', broken, status = broken === undefined ? 'success' : 'failed', ...more } = body
      const { records } = await post('ci', 'jenkins', {
        job_name: job,
        build_number: String(number),
        status,
        branch: '//game/main',
        ...(broken !== undefined && { log: brokenIn(broken) }),
        ...more,
      })
      return records[0].id as number
    },
    /** The test report of a build: names of failed tests with their messages, and of passed ones. */
    async tests(of: { job?: string; number: number }, failures: Record<string, string>, passed: readonly string[] = []) {
      const cases = Object.entries(failures).map(
        ([name, message]) => `<testcase classname="Game" name="${name}"><failure message="${message}"/></testcase>`,
      )
      for (const name of passed) cases.push(`<testcase classname="Game" name="${name}"/>`)
      const query = new URLSearchParams({
        job_name: of.job ?? 'Cook',
        build_number: String(of.number),
        token: integrations!.jenkins!.webhook_token as string,
      })
      const { status, text } = await studio.ask(`/webhooks/tests?${query}`, {
        method: 'POST',
        raw: `<testsuite name="all">${cases.join('')}</testsuite>`,
        headers: { 'content-type': 'application/xml' },
      })
      if (status !== 200) throw new Error(text)
    },
    post,
    /** Runs investigations first, then the jobs that follow from them. */
    async work() {
      for (const kind of [
        'judge_tests',
        'review_ranges',
        'investigate_failure',
        'recompute_breakages',
        'review_suspects',
      ] as const)
        await workOff(studio, kind)
    },
    async build(id: number) {
      return (await api(`/build_runs/${id}`)).json
    },
    async health(branch = '//game/main'): Promise<BranchHealth> {
      return (await api(`/branches/health?branch=${encodeURIComponent(branch)}`)).json
    },
    async breakages(): Promise<BreakageDetail[]> {
      const { json } = await api('/breakages')
      return Promise.all(json.breakages.map(async ({ id }: { id: string }) => (await api(`/breakages/${id}`)).json))
    },
    /** Types of the public events of this project, oldest first. */
    events: async () =>
      (
        await studio.db.rows<{ event_type: string; row_id: string }>(sql`
          select event_type, row_id from outbox where project_id = ${project} and event_type = any (${EVENT_TYPES}::text[]) order by id`)
      ).map(({ event_type, row_id }) => `${event_type} ${row_id}`),
  }
}

export type BranchRoom = Awaited<ReturnType<typeof branchRoom>>
