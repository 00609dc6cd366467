import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { GAME, named, openReports, sha, TOOLS, ZEROS } from '../../test/support/files/reports.ts'
import { workOff } from '../../test/support/work-off.ts'
import { sql } from '../db/database.ts'

const { studio, project, post, api, push, submit, ci, work, contents, suspected } = openReports()

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
      (await studio().db.one<{ key: string }>(
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
    await workOff(studio(), 'ingest')
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
    await studio().db.execute(
      sql`update branches set deleted_at = now() - interval '25 hours' where project_id = ${project()} and deleted_at is not null`,
    )
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

describe('a stream that the CI calls by its last folder', () => {
  const branchOf = async (build: string) =>
    (await studio().db.one<{ key: string }>(
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
    await studio().db.execute(sql`
      update integrations set config = '{"branches": "//game/teams/alpha/main"}' where project_id = ${project()} and provider = 'perforce'`)
    expect(await branchOf(await ci(2, 'success', { branch: '//Game/Teams/Alpha/Main', changelist: '100' }))).toBe(
      '//game/teams/alpha/main',
    )
  })
})
