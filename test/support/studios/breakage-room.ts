import type { BreakageDetail } from '../../../src/contract/health-shapes.ts'
import { SCOPES } from '../../../src/contract/sets.ts'
import { openStudio, type Studio } from '../studio.ts'
import { workOff } from '../work-off.ts'

/** A log that fails with a cause of this name. */
export const brokenLog = (name: string) => `$ make game
src/${name}.c:54:3: error: '${name}' undeclared
make: *** [game] Error 1
`
/** An infrastructure failure. */
export const DISK_FULL = `$ make game
write error: No space left on device
make: *** [game] Error 1
`

const CHANGES = 30

/** A CI's build report. */
export interface Reported {
  job?: string
  number: number
  /** The number of the built change. */
  at?: number
  branch?: string
  status?: 'failed' | 'success' | 'running' | 'aborted'
  log?: string
  minute?: number
  /** Job and number of its upstream build. */
  upstream?: readonly [job: string, number: number]
}

export interface BreakageRoom {
  project: number
  /** Ids of the changes `c1`, `c2`, … on `main` in this order, and also on `dev`. */
  change(number: number): number
  report(reported: Reported): Promise<number>
  /** Sends a test report of a build: names of failed tests with their messages, and of passed ones without. */
  tests(of: { job?: string; number: number }, results: Record<string, string>): Promise<void>
  /** Sends any report of a build's tests. */
  upload(of: { job?: string; number: number }, file: string): Promise<void>
  /** Runs waiting jobs: those of test results and investigations first, then the rest. */
  work(): Promise<void>
  // biome-ignore lint/suspicious/noExplicitAny: tests read replies of every shape
  api(path: string, body?: object, method?: string): Promise<{ status: number; json: any }>
  breakages(query?: string): Promise<BreakageDetail[]>
  only(): Promise<BreakageDetail>
}

export const openBreakageStudio = () =>
  openStudio(
    {
      accounts: [
        { key: 'owl', name: 'Night Owl', plan: 'enterprise', credits: null },
        { key: 'metered', name: 'Metered', plan: 'team', credits: 5 },
      ],
      users: [
        { key: 'kim', email: 'kim@example.com', name: 'Kim', accounts: { owl: 'owner', metered: 'owner' } },
        { key: 'ann', email: 'ann@example.com', name: 'Ann', accounts: { owl: 'member' } },
        { key: 'eve', email: 'eve@example.com', name: 'Eve', accounts: {} },
      ],
      tokens: [{ key: 'kim', user: 'kim', name: 'kim', scopes: SCOPES }],
    },
    { wideIds: true },
  )

const BEGAN = Date.UTC(2026, 9, 1, 8)
const timeOf = (minute: number) => new Date(BEGAN + minute * 60_000).toISOString()

/** A separate project with a CI and thirty changes. */
export async function breakageRoom(studio: Studio, account = 'owl'): Promise<BreakageRoom> {
  const accountId = studio.world.accounts![account]!.id
  const made = await studio.load({
    projects: [{ key: 'p', account: accountId, name: `Room ${Math.random()}` }],
  })
  const project = made.projects!.p!.id as number
  const loaded = await studio.load({
    integrations: [{ key: 'ci', project, provider: 'jenkins' }],
    changes: Array.from({ length: CHANGES }, (_, i) => ({
      key: `c${i + 1}`,
      project,
      identifier: `c${i + 1}`,
      source_type: 'GitCommit',
      author: i === 4 ? 'Ann <ann@example.com>' : 'Kim <kim@example.com>',
      description: i === 11 ? 'Fix what was undeclared' : `Work ${i + 1}`,
      timestamp: timeOf(i),
      files: [i + 1, ...(i === 11 ? [5] : [])].map((part) => ({ path: `src/part${part}.c`, action: 'edit' })),
      branches: ['main', 'dev'],
    })),
  })
  const token = studio.world.tokens!.kim!.token as string
  const api: BreakageRoom['api'] = (path, body, method = body ? 'PATCH' : 'GET') =>
    studio.ask(`/api/v1/projects/${project}${path}`, { token, method, ...(body && { body }) })
  const breakages: BreakageRoom['breakages'] = async (query = '') => {
    const { json } = await api(`/breakages${query}`)
    return Promise.all(json.breakages.map(async ({ id }: { id: string }) => (await api(`/breakages/${id}`)).json))
  }
  const upload: BreakageRoom['upload'] = async ({ job = 'Cook', number }, file) => {
    const query = new URLSearchParams({
      job_name: job,
      build_number: String(number),
      token: loaded.integrations!.ci!.webhook_token,
    })
    const { status, json } = await studio.ask(`/webhooks/tests?${query}`, {
      method: 'POST',
      raw: file,
      headers: { 'content-type': 'application/octet-stream' },
    })
    if (status !== 200) throw new Error(JSON.stringify(json))
  }
  return {
    project,
    change: (number) => loaded.changes![`c${number}`]!.id as number,
    async report({ job = 'Cook', number, at = number, branch = 'main', status = 'failed', log, minute = number, upstream }) {
      const { json } = await studio.ask(`/webhooks/ci?token=${loaded.integrations!.ci!.webhook_token}`, {
        method: 'POST',
        body: {
          job_name: job,
          build_number: String(number),
          status,
          commit: `c${at}`,
          branch,
          started_at: timeOf(100 + minute),
          finished_at: timeOf(100 + minute),
          ...(log !== undefined && { log }),
          ...(upstream && { upstream_job_name: upstream[0], upstream_build_number: upstream[1] }),
        },
      })
      if (!json.records) throw new Error(JSON.stringify(json))
      // An identical repeated report is recorded once.
      return json.records[0]?.id
    },
    tests(of, results) {
      const cases = Object.entries(results).map(([name, message]) => {
        const [, className, title] = /^(.*)\.(.*)$/.exec(name)!
        const failure = message && `<failure message="${message}">at src/${className}.c:54</failure>`
        return `<testcase classname="${className}" name="${title}">${failure}</testcase>`
      })
      return upload(of, `<testsuite name="all">${cases.join('')}</testsuite>`)
    },
    upload,
    async work() {
      for (const kind of ['judge_tests', 'investigate_failure', 'investigate', 'recompute_breakages', 'review_suspects'] as const)
        await workOff(studio, kind)
    },
    api,
    breakages,
    async only() {
      const all = await breakages()
      if (all.length !== 1) throw new Error(`${all.length} breakages: ${all.map(({ cause }) => cause).join(' | ')}`)
      return all[0]!
    },
  }
}
