import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Studio } from '../../../test/support/studio.ts'
import { type BranchRoom, branchRoom, openBranchStudio } from '../../../test/support/studios/branch-room.ts'
import { sql } from '../../db/database.ts'
import { resultAt } from '../investigations/public-texts.ts'

let studio: Studio
let room: BranchRoom
beforeAll(async () => {
  studio = await openBranchStudio()
})
afterAll(() => studio.close())
beforeEach(async () => {
  room = await branchRoom(studio)
  for (const changelist of [1820, 1821, 1822]) await room.submit(changelist, { file: `src/Roll${changelist}.c` })
})

const settle = async () => {
  for (let round = 0; round < 3; round++) await room.work()
}
let number = 0
/** A build of the job Game. */
const build = (platform: string | undefined, changelist: number, broken?: string, more: object = {}) =>
  room.report({
    job: 'Game',
    number: ++number,
    changelist: String(changelist),
    ...(platform !== undefined && { platform }),
    ...(broken !== undefined && { broken }),
    ...more,
  })
const only = async () => {
  const all = (await room.breakages()).filter(({ state }) => state !== 'withdrawn')
  expect(all).toHaveLength(1)
  return all[0]!
}
const fixes = async () => (await room.events()).filter((event) => event.startsWith('build_run.fixed')).length
const jobsOf = async () => (await room.health()).jobs.map(({ name, state }) => `${name} ${state}`).sort()

test('a job that fails on one platform is red, whatever it does on another at the same change', async () => {
  await build('PS5', 1820)
  await build('Win64', 1820)
  await build('PS5', 1821, 'Roll1821')
  await build('Win64', 1821)
  await settle()
  expect(await jobsOf()).toEqual(['Game (PS5) red', 'Game (Win64) green'])
  expect(await room.health()).toMatchObject({
    state: 'red',
    last_known_good: { identifier: '1820' },
    held_back_by: ['Game (PS5)'],
  })
  expect(await only()).toMatchObject({ state: 'open', flaky: false, jobs: ['Game'], platforms: ['PS5'] })
  await build('Win64', 1822)
  await settle()
  expect(await only()).toMatchObject({ state: 'open', flaky: false })
  expect(await fixes()).toBe(0)
  await build('PS5', 1822)
  await settle()
  expect(await fixes()).toBe(1)
  expect(await only()).toMatchObject({ state: 'fixed', flaky: false })
  expect(await room.health()).toMatchObject({ state: 'green', last_known_good: { identifier: '1822' } })
})

test('the range of a failure begins at the last pass on its own platform', async () => {
  await build('PS5', 1820)
  await build('Win64', 1821)
  await build('PS5', 1822, 'Roll1822')
  await settle()
  const { last_good_change, first_bad_change } = await only()
  expect([last_good_change?.identifier, first_bad_change?.identifier]).toEqual(['1820', '1822'])
})

test('a breakage of two platforms is open until both have passed', async () => {
  for (const platform of ['PS5', 'Win64']) {
    await build(platform, 1820)
    await build(platform, 1821, 'Roll1821')
  }
  await settle()
  expect(await only()).toMatchObject({ build_count: 2, platforms: ['PS5', 'Win64'] })
  await build('Win64', 1822)
  await settle()
  expect(await only()).toMatchObject({ state: 'open' })
  await build('PS5', 1822)
  await settle()
  expect(await only()).toMatchObject({ state: 'fixed' })
})

test('configurations are separate jobs, and a platform in two spellings is one', async () => {
  await build('ps5', 1820, undefined, { configuration: 'shipping' })
  await build('PlayStation 5', 1821, 'Roll1821', { configuration: 'Shipping' })
  await build('PS5', 1821, undefined, { configuration: 'Development' })
  await settle()
  expect(await jobsOf()).toEqual(['Game (PS5, Development) green', 'Game (PS5, Shipping) red'])
  expect(await only()).toMatchObject({ state: 'open', last_good_change: { identifier: '1820' } })
})

test('without a platform in the reports, a job is one job under its own name', async () => {
  await build(undefined, 1821, 'Roll1821')
  await build(undefined, 1822)
  await settle()
  expect(await jobsOf()).toEqual(['Game green'])
  expect(await only()).toMatchObject({ state: 'fixed', platforms: [] })
})

test('a platform that only the log names does not split a job', async () => {
  const failed = await build(undefined, 1821, 'Roll1821')
  await studio.db.execute(sql`update build_runs set inferred_platform = 'PS5' where id = ${failed}`)
  await build(undefined, 1822)
  await settle()
  expect(await jobsOf()).toEqual(['Game green'])
  expect(await only()).toMatchObject({ state: 'fixed' })
})

test('a job with one platform keeps its name without it', async () => {
  await build('PS5', 1820)
  expect(await jobsOf()).toEqual(['Game green'])
})

test('a required job without platform is required on each of its platforms, and with one only there', async () => {
  const require = (...jobs: string[]) =>
    studio.db.execute(sql`
      update projects set required_jobs = ${JSON.stringify([{ branch: '//game/*', jobs }])}::jsonb where id = ${room.project}`)
  await build('PS5', 1820)
  await build('Win64', 1820)
  await build('PS5', 1821, 'Roll1821')
  await build('Win64', 1821)
  await room.report({ job: 'Lint', number: 1, changelist: '1821', broken: 'Roll1821' })
  await settle()
  await require('Game')
  expect(await jobsOf()).toEqual(['Game (PS5) red', 'Game (Win64) green'])
  expect(await room.health()).toMatchObject({ state: 'red', last_known_good: { identifier: '1820' } })
  await require('Game (Win64)')
  expect(await jobsOf()).toEqual(['Game (Win64) green'])
  expect(await room.health()).toMatchObject({ state: 'green', last_known_good: { identifier: '1821' } })
})

test('a platform added to a required job leaves earlier good changes good', async () => {
  await studio.db.execute(sql`
    update projects set required_jobs = ${JSON.stringify([{ branch: '//game/*', jobs: ['Game'] }])}::jsonb where id = ${room.project}`)
  await build('Win64', 1820)
  await build('Win64', 1821)
  await build('PS5', 1822, 'Roll1822')
  expect(await room.health()).toMatchObject({ state: 'red', last_known_good: { identifier: '1821' } })
})

test('failures without a log on two platforms are two breakages that name their platform', async () => {
  await build('PS5', 1821, undefined, { status: 'failed' })
  await build('Win64', 1821, undefined, { status: 'failed' })
  await settle()
  expect((await room.breakages()).map(({ cause }) => cause).sort()).toEqual([
    'Game (PS5) failed on //game/main (no log)',
    'Game (Win64) failed on //game/main (no log)',
  ])
})

test('a breakage follows its build when its platform is reported after its end', async () => {
  await build('PS5', 1820)
  await build('Win64', 1820)
  await build(undefined, 1821, undefined, { status: 'failed' })
  await settle()
  expect(await only()).toMatchObject({ cause: 'Game failed on //game/main (no log)', last_good_change: null })
  await room.report({ job: 'Game', number, changelist: '1821', status: 'failed', platform: 'PS5' })
  await settle()
  expect(await only()).toMatchObject({
    cause: 'Game (PS5) failed on //game/main (no log)',
    platforms: ['PS5'],
    last_good_change: { identifier: '1820' },
  })
  await build('Win64', 1822)
  await settle()
  expect(await only()).toMatchObject({ state: 'open' })
  await build('PS5', 1822)
  await settle()
  expect(await only()).toMatchObject({ state: 'fixed' })
})

test('a test that fails on one platform and passes on another at the same change is failing, not flaky', async () => {
  const tested = async (platform: string, changelist: number, failures: Record<string, string>, passed: string[] = []) => {
    await build(platform, changelist, Object.keys(failures).length > 0 ? 'Roll1821' : undefined)
    await room.tests({ job: 'Game', number }, failures, passed)
  }
  await tested('PS5', 1820, {}, ['Rolls', 'Spins'])
  await tested('PS5', 1821, { Rolls: 'It stands still' }, ['Spins'])
  await tested('PS5', 1821, { Spins: 'Too slow' })
  await tested('Win64', 1821, {}, ['Rolls', 'Spins'])
  await settle()
  const cases = await studio.db.rows<{ id: number; name: string; flaky: boolean }>(sql`
    select c.id, c.name, exists (select from flaky_tests f where f.account_id = c.account_id and f.test_case_id = c.id) as flaky
    from test_cases c where c.project_id = ${room.project} order by c.name`)
  // Spins passed and failed at one change on one platform.
  expect(cases.map(({ name, flaky }) => [name, flaky])).toEqual([
    ['Rolls', false],
    ['Spins', true],
  ])
  expect((await room.api(`/tests/${cases[0]!.id}`)).json.branches).toMatchObject([
    {
      branch: '//game/main',
      flaky: false,
      failing: true,
      first_bad_change: { identifier: '1821' },
      last_good_change: { identifier: '1820' },
    },
  ])
})

test('the verdicts and statuses of a pull request are separate by platform', async () => {
  const ended = async (platform: string, status: string) =>
    room.report({ job: 'Game', number: ++number, status, platform, branch: 'topic', commit: 'abc123', pull_request: '7' })
  await ended('PS5', 'failed')
  await ended('Win64', 'success')
  const { json } = await room.api('/preflight?pull_request=7')
  expect(json.jobs.map(({ job, verdict }: { job: string; verdict: string }) => `${job} ${verdict}`).sort()).toEqual([
    'Game (PS5) unknown',
    'Game (Win64) passed',
  ])
  const key = (platform: string) => ({ ...room.owner, commit_hash: 'abc123', job: `Game\u001f${platform}\u001f` })
  expect([(await resultAt(studio.db, key('PS5')))?.state, (await resultAt(studio.db, key('Win64')))?.state]).toEqual([
    'failed',
    'passed',
  ])
})
