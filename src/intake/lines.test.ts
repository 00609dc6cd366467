import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openStudio, type Studio } from '../../test/support/studio.ts'
import { workOff } from '../../test/support/work-off.ts'
import { SCOPES } from '../contract/sets.ts'
import { sql } from '../db/database.ts'

const LOG = `$ make game
src/combat.c:54:3: error: 'damage' undeclared
make: *** [game] Error 1
`

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

/** Git-like hashes: `sha('c1')`. */
const sha = (name: string) => Buffer.from(name).toString('hex').padEnd(40, '0')
const named = (identifier: string) => Buffer.from(identifier, 'hex').toString().replaceAll('\0', '')

const ZEROS = '0'.repeat(40)
const GAME = { id: 1, full_name: 'owl/game', html_url: 'https://github.example/owl/game' }
const TOOLS = { id: 2, full_name: 'owl/tools', html_url: 'https://github.example/owl/tools' }

interface Pushed {
  before?: string
  branch?: string
  repository?: object
  forced?: boolean
  message?: string
  author?: object
}
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
  for (const kind of ['investigate_failure', 'review_ranges', 'review_suspects', 'settle_breakages'] as const)
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

describe('several repositories', () => {
  test('with the same branch name are separate', async () => {
    await push(['g1'])
    await push(['t1'], { repository: TOOLS })
    await ci(1, 'success', { branch: 'main', commit: sha('g1') })
    await ci(2, 'success', { branch: 'main', commit: sha('t1') })
    await push(['t2'], { repository: TOOLS, before: 't1' })
    await push(['g2'], { before: 'g1' })
    await push(['t3'], { repository: TOOLS, before: 't2' })
    const [game, tools] = [
      await ci(3, 'failed', { branch: 'main', commit: sha('g2') }),
      await ci(4, 'failed', { branch: 'main', commit: sha('t3') }),
    ]
    await work()
    expect([await contents(game), await suspected(game)]).toEqual([['g2'], ['g2']])
    expect([await contents(tools), await suspected(tools)]).toEqual([
      ['t3', 't2'],
      ['t2', 't3'],
    ])
    const { branches } = await api('/branches')
    expect(branches.map(({ name }: { name: string }) => name).sort()).toEqual(['main', 'owl/tools:main'])
    const { changes } = await api('/search/changes?branch=main')
    expect(changes.map(({ branches }: { branches: string[] }) => branches)).toEqual(Array.from({ length: 5 }, () => ['main']))
  })

  test('keep their branches when one is renamed', async () => {
    await push(['g1'])
    await ci(1, 'success', { branch: 'main', commit: sha('g1') })
    await push(['g2'], { before: 'g1', repository: { ...GAME, full_name: 'owl/moon' } })
    expect(await contents(await ci(2, 'failed', { branch: 'main', commit: sha('g2') }))).toEqual(['g2'])
  })

  test('a workflow run belongs to the branch of its own repository, even before its commit is known', async () => {
    await push(['g1'])
    const run = (id: number, head: string, conclusion: string) => ({
      action: 'completed',
      workflow: { name: 'CI' },
      workflow_run: {
        id,
        run_number: id,
        head_sha: sha(head),
        head_branch: 'main',
        conclusion,
        updated_at: '2026-10-01T11:00:00Z',
      },
      repository: TOOLS,
    })
    const tell = (body: object) =>
      post('github', 'github', body, { 'x-github-event': 'workflow_run', 'x-github-delivery': randomUUID() })
    const build = (await tell(run(7, 't1', 'failure'))).records[0].id as number
    const branchOf = async () =>
      (await studio.db.one<{ key: string }>(
        sql`select build_branch(branch, inferred_branch) as key from build_runs where id = ${build}`,
      ))!.key
    expect(await branchOf()).toBe('')
    await push(['t1'], { repository: TOOLS })
    expect(await branchOf()).toBe('owl/tools:main')
    expect(await contents(String(build))).toEqual(['t1'])
  })

  test('a git commit is in no range of a depot and a changelist in none of a git branch, unless a build names both', async () => {
    await submit(100, ['//game/main/src/a.c'])
    await push(['g1'])
    await ci(1, 'success', { branch: '//game/main', changelist: '100' })
    await ci(2, 'success', { branch: 'main', commit: sha('g1'), job_name: 'Web' })
    await ci(3, 'success', { branch: 'main', commit: sha('g1'), changelist: '100', job_name: 'Both' })
    await submit(101, ['//game/main/src/combat.c'])
    await push(['g2'], { before: 'g1' })
    const depot = await ci(4, 'failed', { branch: '//game/main', changelist: '101' })
    const web = await ci(5, 'failed', { branch: 'main', commit: sha('g2'), job_name: 'Web' })
    const both = await ci(6, 'failed', { branch: 'main', commit: sha('g2'), changelist: '101', job_name: 'Both' })
    await work()
    expect([await contents(depot), await suspected(depot)]).toEqual([['101'], ['101']])
    expect([await contents(web), await suspected(web)]).toEqual([['g2'], ['g2']])
    expect((await contents(both)).sort()).toEqual(['101', 'g2'])
  })

  test('Lore revisions and Diversion commits are on separate branches', async () => {
    await push(['g1'])
    await ci(1, 'success', { branch: 'main', commit: sha('g1') })
    await post('lore', 'lore', { revision: 'a'.repeat(64), branch: 'main', repository: 'art', message: 'Paint' })
    await workOff(studio, 'ingest')
    await post('diversion', 'diversion', { type: 'commit_created', data: { commit: { id: 'dv.commit.1' }, branch_name: 'main' } })
    await push(['g2'], { before: 'g1' })
    expect(await contents(await ci(2, 'failed', { branch: 'main', commit: sha('g2') }))).toEqual(['g2'])
  })
})

describe('a forced push', () => {
  test('removes the replaced head, and suspects no commit that it may have replaced', async () => {
    await push(['c1'])
    await ci(1, 'success', { branch: 'main', commit: sha('c1') })
    await push(['c2'], { before: 'c1' })
    await push(['c3'], { before: 'c2' })
    await push(['d1'], { before: 'c3', forced: true })
    const red = await ci(2, 'failed', { branch: 'main', commit: sha('d1') })
    await work()
    expect([await contents(red), await suspected(red)]).toEqual([['d1'], ['d1']])
    const { doubtful } = await api(`/build_runs/${red}/changes`)
    expect(doubtful.map(({ identifier }: { identifier: string }) => named(identifier))).toEqual(['c2'])
    const { investigation } = await api(`/build_runs/${red}`)
    expect(investigation.steps.map(({ detail }: { detail: string }) => detail)).toContain(
      'A forced push may have replaced 1 change of the branch: not suspected.',
    )
  })

  test('to an earlier commit removes the later commits and leaves the others certain', async () => {
    await push(['c1'])
    await ci(1, 'success', { branch: 'main', commit: sha('c1') })
    await push(['c2'], { before: 'c1' })
    await push(['c3'], { before: 'c2' })
    await post(
      'github',
      'github',
      { ref: 'refs/heads/main', before: sha('c3'), after: sha('c2'), forced: true, repository: GAME, commits: [] },
      { 'x-github-event': 'push', 'x-github-delivery': randomUUID() },
    )
    await push(['c4'], { before: 'c2' })
    const red = await ci(2, 'failed', { branch: 'main', commit: sha('c4') })
    expect(await contents(red)).toEqual(['c4', 'c2'])
    expect((await api(`/build_runs/${red}/changes`)).doubtful).toEqual([])
    const { changes } = await api('/changes?orphaned=true')
    const orphaned = changes.filter(({ orphaned_at }: { orphaned_at: string | null }) => orphaned_at !== null)
    expect(orphaned.map(({ identifier }: { identifier: string }) => named(identifier))).toEqual(['c3'])
  })

  test('that contains a doubtful commit makes it certain again', async () => {
    await push(['c1', 'c2', 'c3'])
    await push(['c2', 'd1'], { before: 'c3', forced: true })
    expect((await contents(await ci(2, 'failed', { branch: 'main', commit: sha('d1') }))).sort()).toEqual(['c2', 'd1'])
  })

  test('clears the people suspected because of a commit that is gone', async () => {
    await push(['c1'])
    await ci(1, 'success', { branch: 'main', commit: sha('c1') })
    await push(['c2'], { before: 'c1' })
    await push(['c3'], { before: 'c2' })
    const red = await ci(2, 'failed', { branch: 'main', commit: sha('c3') })
    await work()
    expect(await suspected(red)).toEqual(['c2', 'c3'])
    await push(['d1'], { before: 'c3', forced: true })
    await work()
    expect(await suspected(red)).toEqual([])
  })
})

describe('a deleted branch', () => {
  const deletions: [string, () => Promise<unknown>][] = [
    [
      'a push',
      () =>
        post(
          'github',
          'github',
          { ref: 'refs/heads/fix', before: sha('f1'), after: ZEROS, deleted: true, repository: GAME, commits: [] },
          { 'x-github-event': 'push', 'x-github-delivery': randomUUID() },
        ),
    ],
    [
      'an event',
      () =>
        post(
          'github',
          'github',
          { ref: 'fix', ref_type: 'branch', repository: GAME },
          { 'x-github-event': 'delete', 'x-github-delivery': randomUUID() },
        ),
    ],
  ]
  const stateOf = async () => (await api('/breakages')).breakages.map(({ state }: { state: string }) => state)

  test.each(deletions)('by %s withdraws its breakages, is not red, and leaves the list after a day', async (_, remove) => {
    await push(['c1'])
    await push(['f1'], { branch: 'fix' })
    await ci(1, 'failed', { branch: 'fix', commit: sha('f1') })
    await work()
    expect(await stateOf()).toEqual(['open'])
    await remove()
    await work()
    const [breakage] = (await api('/breakages')).breakages
    expect(breakage).toMatchObject({ state: 'withdrawn', withdrawn_reason: 'branch_deleted' })
    expect((await api('/branches')).branches).toMatchObject([
      { name: 'fix', state: 'unknown', red_since: null, deleted_at: expect.any(String), jobs: [{ state: 'unknown' }] },
    ])
    await studio.db.execute(sql`update branches set deleted_at = deleted_at - interval '25 hours' where project_id = ${project}`)
    expect((await api('/branches')).branches).toEqual([])
  })

  test('that is pushed again is listed again, without the commits only the deleted one had', async () => {
    await push(['f1'], { branch: 'fix' })
    await push(['f2'], { branch: 'fix', before: 'f1' })
    await ci(1, 'failed', { branch: 'fix', commit: sha('f1') })
    await work()
    await deletions[0]![1]()
    // It was at another commit: somebody pushed in between, so this report is outdated.
    expect((await api('/branches')).branches).toMatchObject([{ deleted_at: null }])
    await deletions[1]![1]()
    await work()
    await push(['g1'], { branch: 'fix' })
    expect(await contents(await ci(2, 'failed', { branch: 'fix', commit: sha('g1') }))).toEqual(['g1'])
    await work()
    expect(await stateOf()).toEqual(['open', 'withdrawn'])
    expect((await api('/branches')).branches).toMatchObject([{ name: 'fix', state: 'red', deleted_at: null }])
  })

  test('that is restored at its old head has its commits again', async () => {
    await push(['f1'], { branch: 'fix' })
    await push(['f2'], { branch: 'fix', before: 'f1' })
    await deletions[1]![1]()
    await post(
      'github',
      'github',
      { ref: 'refs/heads/fix', before: ZEROS, after: sha('f2'), created: true, repository: GAME, commits: [] },
      { 'x-github-event': 'push', 'x-github-delivery': randomUUID() },
    )
    expect(await contents(await ci(1, 'failed', { branch: 'fix', commit: sha('f2') }))).toEqual(['f2', 'f1'])
  })
})

describe('a change that arrives after its build failed', () => {
  test('becomes a suspect: a commit', async () => {
    await push(['c1'])
    await ci(1, 'success', { branch: 'main', commit: sha('c1') })
    const red = await ci(2, 'failed', { branch: 'main', commit: sha('c3') })
    await work()
    await push(['c2', 'c3'], { before: 'c1' })
    await work()
    expect(await suspected(red)).toEqual(['c2', 'c3'])
  })

  test('becomes a suspect: a changelist with a lower number', async () => {
    await submit(100, ['//game/main/src/combat.c'])
    await ci(1, 'success', { branch: '//game/main', changelist: '100' })
    await submit(103, ['//game/main/src/combat.c'])
    const red = await ci(2, 'failed', { branch: '//game/main', changelist: '103' })
    await work()
    expect(await suspected(red)).toEqual(['103'])
    await submit(102, ['//game/main/src/combat.c'])
    await submit(101, ['//game/dev/src/combat.c'])
    await work()
    expect(await suspected(red)).toEqual(['102', '103'])
  })

  test('becomes a suspect: a push that arrived out of order', async () => {
    await push(['c1'])
    await ci(1, 'success', { branch: 'main', commit: sha('c1') })
    await push(['c3'], { before: 'c2' })
    const red = await ci(2, 'failed', { branch: 'main', commit: sha('c3') })
    await work()
    expect(await suspected(red)).toEqual(['c3'])
    await push(['c2'], { before: 'c1' })
    await work()
    expect(await suspected(red)).toEqual(['c2', 'c3'])
  })
})

describe('a stream that the CI calls by its last folder', () => {
  const branchOf = async (build: string) =>
    (await studio.db.one<{ key: string }>(
      sql`select build_branch(branch, inferred_branch) as key from build_runs where id = ${build}`,
    ))!.key

  test('is the only one whose name ends in that folder, wherever its changelist was', async () => {
    await submit(100, ['//game/main/a.c'])
    await submit(101, ['//game/dev/a.c'])
    expect(await branchOf(await ci(1, 'success', { branch: 'main', changelist: '101' }))).toBe('//game/main')
  })

  test('is unknown if several streams end in that name, and no change is a suspect', async () => {
    await submit(100, ['//game/main/src/combat.c'])
    await submit(101, ['//tools/main/src/combat.c'])
    const build = await ci(1, 'failed', { branch: 'main', changelist: '101' })
    await work()
    expect(await branchOf(build)).toBe('')
    expect(await suspected(build)).toEqual([])
    expect((await api(`/build_runs/${build}`)).investigation.steps.at(-1).detail).toMatch(
      /^Branch unknown: the CI calls it “main”/,
    )
  })

  test('is found when its first change arrives', async () => {
    const build = await ci(1, 'failed', { branch: 'main', changelist: '101' })
    expect(await branchOf(build)).toBe('main')
    await submit(100, ['//game/main/a.c'])
    expect(await branchOf(build)).toBe('//game/main')
  })

  test('is not a branch of git', async () => {
    await push(['c1'])
    expect(await branchOf(await ci(1, 'success', { branch: 'main', changelist: '101' }))).toBe('')
  })

  test('is unknown if it is deeper than usual and the integration does not say how deep', async () => {
    await submit(100, ['//game/teams/alpha/main/a.c'])
    expect(await branchOf(await ci(1, 'success', { branch: '//Game/Teams/Alpha/Main', changelist: '100' }))).toBe('')
    await studio.db.execute(sql`
      update integrations set config = '{"branches": "//game/teams/alpha/main"}' where project_id = ${project} and provider = 'perforce'`)
    expect(await branchOf(await ci(2, 'success', { branch: '//Game/Teams/Alpha/Main', changelist: '100' }))).toBe(
      '//game/teams/alpha/main',
    )
  })
})

describe('the author of an integrated change is a suspect', () => {
  const red = async (changelist: number) => {
    const build = await ci(2, 'failed', { branch: '//game/main', changelist: String(changelist) })
    await work()
    return usersSuspected(build)
  }
  beforeEach(async () => {
    await submit(90, ['//game/main/src/other.c'])
    await ci(1, 'success', { branch: '//game/main', changelist: '90' })
    await submit(91, ['//game/dev/src/combat.c'], { user: 'ann' })
  })
  const FILES = ['//game/main/src/combat.c']

  test('if a tag names them, even if the source is unknown', async () => {
    const description = 'Tune\n#ROBOMERGE-AUTHOR: ann\n#ROBOMERGE-SOURCE: CL 12 in //engine/main/...'
    await submit(100, FILES, { user: 'robomerge', description })
    expect(await red(100)).toEqual([idOf('ann')])
  })

  test('if the description gives the number of the source', async () => {
    await submit(100, FILES, { user: 'kim', description: 'Merging CL 91 from //game/dev' })
    expect(await red(100)).toEqual([idOf('ann')])
  })

  test('through several streams', async () => {
    await submit(95, ['//game/rel/src/combat.c'], { user: 'kim', description: 'Merging CL 91 from //game/dev' })
    await submit(100, FILES, { user: 'robomerge', description: 'Tune\n#ROBOMERGE-SOURCE: CL 95 in //game/rel/...' })
    expect(await red(100)).toEqual([idOf('ann')])
  })

  test('but nobody if the sources have several authors', async () => {
    await submit(92, ['//game/dev/src/combat.c'], { user: 'kim@example.com' })
    await submit(100, FILES, { user: 'kim', description: 'Merge CLs 91 and 92 from //game/dev' })
    expect(await red(100)).toEqual([null])
  })

  test('if the integration lists the submitter as a merge account', async () => {
    await submit(100, FILES, { user: 'merger', description: 'Tune\n\nCo-authored-by: ann' })
    expect(await red(100)).toEqual([null])
    await studio.db.execute(sql`
      update integrations set config = '{"merge_accounts": "builder, Merger"}' where project_id = ${project} and provider = 'perforce'`)
    await submit(101, FILES, { user: 'merger', description: 'Tune\n\nCo-authored-by: ann' })
    const build = await ci(3, 'failed', { branch: '//game/main', changelist: '101', job_name: 'Other' })
    await work()
    expect(await usersSuspected(build)).toContain(idOf('ann'))
  })

  test('in git: the co-author of a bot’s commit, the person of a person’s, the author of a cherry-pick’s source', async () => {
    const ann = { name: 'Ann', email: 'ann@example.com' }
    const byAnn = 'Tune\n\nCo-authored-by: Ann <ann@example.com>'
    await push(['s1'], { branch: 'dev', author: ann })
    const users: unknown[] = []
    for (const [at, [name, more]] of Object.entries({
      b1: { author: { name: 'merge-queue[bot]', email: 'bot@example.com' }, message: byAnn },
      p1: { message: byAnn },
      k1: { message: `Tune\n\n(cherry picked from commit ${sha('s1')})` },
    } as Record<string, Pushed>).entries()) {
      await push([name], { ...more, branch: name })
      const build = await ci(10 + at, 'failed', { branch: name, commit: sha(name), job_name: name })
      await work()
      users.push(...(await usersSuspected(build)))
    }
    expect(users).toEqual([idOf('ann'), idOf('kim'), idOf('ann')])
  })
})
