import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Studio } from '../../../test/support/studio.ts'
import { branchRoom, openBranchStudio } from '../../../test/support/studios/branch-room.ts'
import { sql } from '../../db/database.ts'
import { trends } from './trends.ts'

let studio: Studio
beforeAll(async () => {
  studio = await openBranchStudio()
})
afterAll(() => studio.close())

/** A stream with three changes, green at the second. */
async function greenRoom() {
  const room = await branchRoom(studio)
  for (const changelist of [1201, 1202, 1203]) await room.submit(changelist)
  await room.report({ number: 1, changelist: 1201 })
  await room.report({ number: 2, changelist: 1202 })
  return room
}

describe('a failed build of a shelf', () => {
  test('is investigated, and its branch stays green and keeps its last known good change', async () => {
    const room = await greenRoom()
    const before = await room.health()
    const id = await room.report({ number: 3, changelist: 1203, shelf: '1250', broken: 'part1203' })
    await room.work()
    const { kind, investigation } = await room.build(id)
    expect({ kind, status: investigation.status, suspects: investigation.suspects }).toEqual({
      kind: 'preflight',
      status: 'completed',
      suspects: [],
    })
    expect(await room.breakages()).toEqual([])
    expect(await room.health()).toEqual(before)
  })

  test('shows which breakage of the branch has the same cause, and which others the branch has', async () => {
    const room = await greenRoom()
    await room.report({ number: 3, changelist: 1203, broken: 'part1203' })
    await room.report({ job: 'Editor', number: 1, changelist: 1203, broken: 'other' })
    await room.work()
    const breakages = await room.breakages()
    const idOf = (name: string) => breakages.find(({ evidence }) => evidence[0]!.text.includes(name))!.id
    const preflight = await room.report({ number: 4, changelist: 1203, preflight: true, shelf: 1250, broken: 'part1203' })
    await room.work()
    const { investigation } = await room.build(preflight)
    expect(investigation.steps.find(({ name }: { name: string }) => name === 'branch').detail).toBe(
      `//game/main already has breakage #${idOf('part1203')} with the same cause: this change did not cause it. //game/main also has breakage #${idOf('other')}.`,
    )
    const facts = (all: typeof breakages) => all.map(({ cost: _, ...others }) => others)
    expect(facts(await room.breakages())).toEqual(facts(breakages))
  })
})

test('a build that turns out to be a preflight leaves the breakage it opened', async () => {
  const room = await greenRoom()
  const failed = { number: 3, changelist: 1203, broken: 'part1203' }
  await room.report(failed)
  await room.work()
  expect((await room.health()).state).toBe('red')
  await room.report({ ...failed, pull_request: 16 })
  await room.work()
  expect((await room.breakages()).filter(({ state }) => state === 'open')).toEqual([])
  expect((await room.health()).state).toBe('green')
})

test('a passed preflight fixes nothing, is not the last pass and is in no plot', async () => {
  const room = await greenRoom()
  await room.report({ number: 3, changelist: 1203, broken: 'part1203' })
  await room.work()
  const { builds } = await trends(studio.db, room.owner, 1)
  await room.submit(1204)
  const passed = await room.report({ number: 4, changelist: 1204, shelf: 1260 })
  await room.work()
  expect(await room.breakages()).toMatchObject([{ state: 'open' }])
  expect((await room.events()).filter((event) => event === `build_run.fixed ${passed}`)).toEqual([])
  const later = await room.report({ number: 5, changelist: 1204, broken: 'part1203' })
  const { json } = await room.api(`/build_runs/${later}/changes`)
  expect(json.changes.map(({ identifier }: { identifier: string }) => identifier)).toEqual(['1204', '1203'])
  expect((await trends(studio.db, room.owner, 1)).builds).toMatchObject([
    { completed: builds[0]!.completed, failed: builds[0]!.failed + 1 },
  ])
})

test('only builds of the branch have badges in Unreal Game Sync', async () => {
  const room = await greenRoom()
  await studio.db.execute(sql`
    insert into ugs_sequences (account_id, project_id) select account_id, id from projects where id = ${room.project}`)
  const badges = () =>
    studio.db.rows<{ change: number; state: string }>(sql`
      select change, state from ugs_badges where project_id = ${room.project} order by change`)
  await room.report({ number: 3, changelist: 1203, status: 'success' })
  await room.report({ number: 4, changelist: 1203, shelf: 1250, broken: 'part1203' })
  expect(await badges()).toEqual([{ change: 1203, state: 'Success' }])
  // The badge returns to the build of the branch when the newer one turns out to be a preflight.
  await room.report({ number: 5, changelist: 1203, broken: 'part1203' })
  expect(await badges()).toEqual([{ change: 1203, state: 'Failure' }])
  await room.report({ number: 5, changelist: 1203, preflight: 'true', broken: 'part1203' })
  expect(await badges()).toEqual([{ change: 1203, state: 'Success' }])
})

describe('on GitHub', () => {
  const run = (id: number, more: object) => ({
    action: 'completed',
    repository: { full_name: 'owl/star' },
    workflow: { name: 'CI' },
    workflow_run: {
      id,
      run_number: id,
      conclusion: 'failure',
      event: 'push',
      head_branch: 'main',
      head_sha: `c${id}`,
      repository: { full_name: 'owl/star' },
      head_repository: { full_name: 'owl/star' },
      pull_requests: [],
      ...more,
    },
  })

  test('a failure on the main of a fork leaves our main green', async () => {
    const room = await branchRoom(studio)
    await room.push('main', ['c1', 'c2'])
    await room.github('workflow_run', run(2, { conclusion: 'success' }))
    await room.github('workflow_run', run(3, { head_repository: { full_name: 'Eve/star' } }))
    await room.work()
    expect(await room.health('main')).toMatchObject({ state: 'green', last_known_good: { identifier: 'c2' } })
    expect(await room.breakages()).toEqual([])
  })

  test('a run for a pull request is a preflight, and a run for a push to the same branch is not', async () => {
    const room = await branchRoom(studio)
    const pull_requests = [{ number: 16, base: { ref: 'main' } }]
    const kindOf = async (body: object) => (await room.build((await room.github('workflow_run', body)).records[0].id)).kind
    expect(await kindOf(run(4, { event: 'pull_request', head_branch: 'feature', pull_requests }))).toBe('preflight')
    expect(await kindOf(run(5, { head_branch: 'feature', pull_requests }))).toBe('regular')
  })

  test('only the commit of a pull request is suspected', async () => {
    const room = await branchRoom(studio)
    await room.push('main', ['c1', 'c2'])
    await room.report({ number: 1, branch: 'main', commit: 'c1' })
    await room.push('feature', ['f1'])
    const id = await room.report({
      number: 2,
      branch: 'feature',
      commit: 'f1',
      pull_request: 16,
      target_branch: 'main',
      broken: 'f1',
    })
    await room.work()
    const { investigation } = await room.build(id)
    const { json } = await room.api('/changes')
    const own = json.changes.find(({ identifier }: { identifier: string }) => identifier === 'f1')
    expect(investigation.suspects.map(({ change_id }: { change_id: number }) => change_id)).toEqual([own.id])
    expect(investigation.steps.find(({ name }: { name: string }) => name === 'branch').detail).toBe(
      'main had no open breakage with this cause when this was built.',
    )
  })
})

test.each([
  ['a Jenkins job of a pull request', { job: 'star/PR-16' }],
  ['a branch of TeamCity', { branch: 'pull/16/head' }],
  ['a shelf that Horde names', { preflightChange: 1250 }],
  ['another repository', { repository: 'git@github.com:Owl/Star.git', head_repository: 'https://github.com/eve/star' }],
])('%s is a preflight', async (_, more) => {
  const room = await branchRoom(studio)
  expect((await room.build(await room.report({ number: 1, ...more }))).kind).toBe('preflight')
})

test.each([
  ['no pull request, as Buildkite writes it', { pull_request: 'false' }],
  ['no shelf, as Horde writes it', { preflightChange: 0, preflight: false, shelf: '' }],
  ['the same repository by another address', { repository: 'owl/star', head_repository: 'https://github.com/Owl/star.git' }],
])('%s makes a regular build', async (_, more) => {
  const room = await branchRoom(studio)
  expect((await room.build(await room.report({ number: 1, ...more }))).kind).toBe('regular')
})

describe('a bisecting build', () => {
  test('narrows the range of a breakage from both sides and does nothing else', async () => {
    const room = await branchRoom(studio)
    for (const changelist of [1201, 1202, 1203, 1204, 1205]) await room.submit(changelist)
    await room.report({ number: 1, changelist: 1201 })
    await room.report({ number: 2, changelist: 1205, broken: 'part1203' })
    await room.work()
    const state = await room.health()
    const passed = await room.report({ number: 3, changelist: 1202, kind: 'bisect' })
    await room.report({ number: 4, changelist: 1203, kind: 'bisect', broken: 'part1203' })
    await room.work()
    expect(await room.breakages()).toMatchObject([
      { state: 'open', last_good_change: { identifier: '1202' }, first_bad_change: { identifier: '1203' } },
    ])
    expect(await room.health()).toEqual(state)
    // It does not fix the job at a later change either.
    await room.submit(1206)
    await room.report({ number: 5, changelist: 1206, kind: 'bisect' })
    await room.work()
    expect(await room.breakages()).toMatchObject([{ state: 'open' }])
    expect((await room.events()).filter((event) => event.startsWith('build_run.fixed'))).toEqual([])
    expect((await room.build(passed)).kind).toBe('bisect')
  })

  test('opens no breakage', async () => {
    const room = await greenRoom()
    await room.report({ number: 3, changelist: 1203, kind: 'bisect', broken: 'part1203' })
    await room.work()
    expect(await room.breakages()).toEqual([])
  })
})

describe('build_run.fixed', () => {
  test('is sent for the first pass after a failure', async () => {
    const room = await greenRoom()
    await room.report({ number: 3, changelist: 1203, broken: 'part1203' })
    const passed = await room.report({ number: 4, changelist: 1203 })
    await room.report({ number: 5, changelist: 1203 })
    expect((await room.events()).filter((event) => event.startsWith('build_run.fixed'))).toEqual([`build_run.fixed ${passed}`])
  })

  test('is not sent for a pass at an older change than the failure, whatever its number', async () => {
    const room = await greenRoom()
    await room.report({ number: 3, changelist: 1203, broken: 'part1203' })
    await room.report({ number: 4, changelist: 1202 })
    expect((await room.events()).filter((event) => event.startsWith('build_run.fixed'))).toEqual([])
  })
})
