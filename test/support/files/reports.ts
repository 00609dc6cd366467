import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect } from 'vitest'
import { SCOPES } from '../../../src/contract/sets.ts'
import { sql } from '../../../src/db/database.ts'
import { openStudio, type Studio } from '../studio.ts'
import { workOff } from '../work-off.ts'

const LOG = `$ make game
src/combat.c:54:3: error: 'damage' undeclared
make: *** [game] Error 1
`

/** Git-like hashes: `sha('c1')`. */
export const sha = (name: string) => Buffer.from(name).toString('hex').padEnd(40, '0')
export const named = (identifier: string) => Buffer.from(identifier, 'hex').toString().replaceAll('\0', '')

export const ZEROS = '0'.repeat(40)
export const GAME = { id: 1, full_name: 'owl/game', html_url: 'https://github.example/owl/game' }
export const TOOLS = { id: 2, full_name: 'owl/tools', html_url: 'https://github.example/owl/tools' }

export interface Pushed {
  before?: string
  branch?: string
  repository?: object
  forced?: boolean
  message?: string
  author?: object
}

/** A project of its own for each test of a file, with five tools that report to it. */
export function openReports() {
  let studio: Studio
  beforeAll(async () => {
    studio = await openStudio({
      accounts: [{ key: 'owl', name: 'Night Owl', plan: 'enterprise', credits: null }],
      users: [
        { key: 'kim', email: 'kim@example.com', name: 'Kim', accounts: { owl: 'owner' } },
        {
          key: 'ann',
          email: 'ann@example.com',
          name: 'Ann',
          accounts: { owl: 'member' },
          connected_accounts: [{ provider: 'perforce', uid: 'ann' }],
        },
      ],
      tokens: [{ key: 'kim', user: 'kim', name: 'kim', scopes: SCOPES }],
    })
    await studio.db.execute(sql`update users set email_verified = true`)
  })
  afterAll(() => studio.close())

  let project: number
  let tokens: Record<string, string>
  beforeEach(async () => {
    const made = await studio.load({
      projects: [{ key: 'p', account: studio.world.accounts!.owl!.id, name: `Lines ${randomUUID()}` }],
    })
    project = made.projects!.p!.id as number
    const providers = ['github', 'perforce', 'lore', 'diversion', 'jenkins']
    const { integrations } = await studio.load({
      integrations: providers.map((provider) => ({ key: provider, project, provider })),
    })
    tokens = Object.fromEntries(providers.map((name) => [name, integrations![name]!.webhook_token as string]))
  })

  const post = async (path: string, provider: string, body: object, headers: Record<string, string> = {}) => {
    const answer = await studio.ask(`/webhooks/${path}?token=${tokens[provider]}`, { method: 'POST', body, headers })
    expect(answer.status, answer.text).toBeLessThan(300)
    return answer.json
  }
  const api = async (path: string) =>
    (await studio.ask(`/api/v1/projects/${project}${path}`, { token: studio.world.tokens!.kim!.token as string })).json

  /** GitHub's push of these commits, each of which touches the file that the log names. */
  const push = (names: string[], { before, branch = 'main', repository = GAME, forced = false, message, author }: Pushed = {}) =>
    post(
      'github',
      'github',
      {
        ref: `refs/heads/${branch}`,
        before: before === undefined ? ZEROS : sha(before),
        after: sha(names.at(-1)!),
        created: before === undefined,
        forced,
        repository,
        commits: names.map((name) => ({
          id: sha(name),
          message: message ?? `Work on ${name}`,
          timestamp: '2026-10-01T10:00:00Z',
          author: author ?? { name: 'Kim', email: 'kim@example.com' },
          added: [],
          modified: ['src/combat.c'],
          removed: [],
        })),
      },
      { 'x-github-event': 'push', 'x-github-delivery': randomUUID() },
    )
  const submit = async (changelist: number, paths: string[], more: object = {}) => {
    const files = paths.map((path) => ({ path, action: 'edit' }))
    await post('perforce', 'perforce', { changelist, user: 'kim', description: `Work on ${changelist}`, files, ...more })
    await workOff(studio, 'ingest')
  }
  const ci = async (number: number, status: 'success' | 'failed', more: object): Promise<string> => {
    const report = { job_name: 'Game', build_number: String(number), status, ...(status === 'failed' && { log: LOG }), ...more }
    return String((await post('ci', 'jenkins', report)).records[0].id)
  }
  const work = async () => {
    for (const kind of ['investigate_failure', 'review_ranges', 'review_suspects', 'recompute_breakages'] as const)
      await workOff(studio, kind)
  }

  /** The changes of a build since the last pass. */
  const contents = async (build: string): Promise<string[]> =>
    (await api(`/build_runs/${build}/changes`)).changes.map(({ identifier }: { identifier: string }) =>
      identifier.length === 40 ? named(identifier) : identifier,
    )
  /** The suspects of its investigation. */
  const suspected = async (build: string): Promise<string[]> => {
    const { investigation } = await api(`/build_runs/${build}`)
    const changes = await Promise.all(
      investigation.suspects.map(({ change_id }: { change_id: number }) => api(`/changes/${change_id}`)),
    )
    return changes.map(({ identifier }) => (identifier.length === 40 ? named(identifier) : identifier)).sort()
  }
  const usersSuspected = async (build: string) =>
    (await api(`/build_runs/${build}`)).investigation.suspects.map(({ user_id }: { user_id: number | null }) => user_id)
  const idOf = (user: string) => Number(studio.world.users![user]!.id)

  return {
    studio: () => studio,
    project: () => project,
    post,
    api,
    push,
    submit,
    ci,
    work,
    contents,
    suspected,
    usersSuspected,
    idOf,
  }
}
