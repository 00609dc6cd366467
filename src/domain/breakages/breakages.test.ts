import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Studio } from '../../../test/support/studio.ts'
import { breakageRoom, brokenLog, DISK_FULL, openBreakageStudio } from '../../../test/support/studios/breakage-room.ts'
import { sql } from '../../db/database.ts'
import { recomputeOverdue } from './recompute.ts'

let studio: Studio
beforeAll(async () => {
  studio = await openBreakageStudio()
})
afterAll(() => studio.close())
const room = () => breakageRoom(studio)

describe('one cause', () => {
  test('in several jobs and builds is one breakage; another cause, or the same on another branch, is another', async () => {
    const { report, work, breakages } = await room()
    await report({ number: 5, log: brokenLog('part5') })
    await report({ number: 6, log: brokenLog('part5') })
    await report({ job: 'Test', number: 7, log: brokenLog('part5') })
    await report({ number: 8, log: brokenLog('part7') })
    await report({ number: 9, branch: 'dev', log: brokenLog('part5') })
    await work()
    const all = await breakages()
    expect(all.map(({ jobs, branch, build_count }) => ({ jobs: jobs.toSorted(), branch, build_count }))).toEqual(
      expect.arrayContaining([
        { jobs: ['Cook', 'Test'], branch: 'main', build_count: 3 },
        { jobs: ['Cook'], branch: 'main', build_count: 1 },
        { jobs: ['Cook'], branch: 'dev', build_count: 1 },
      ]),
    )
    expect(all).toHaveLength(3)
  })

  test('includes jobs that failed only because their upstream build failed, in either order of investigation', async () => {
    for (const order of [
      ['Cook', 'Deploy'],
      ['Deploy', 'Cook'],
    ]) {
      const { report, work, breakages } = await room()
      for (const job of order) {
        await report(
          job === 'Cook' ? { job, number: 5, log: brokenLog('part5') } : { job, number: 9, at: 5, upstream: ['Cook', 5] },
        )
        await work()
      }
      const open = (await breakages()).filter(({ state }) => state === 'open')
      expect(open).toMatchObject([{ jobs: ['Cook', 'Deploy'], category: 'compile_error', build_count: 2 }])
      expect(open[0]!.builds.map(({ ci_job_name, downstream }) => [ci_job_name, downstream])).toEqual(
        expect.arrayContaining([
          ['Cook', false],
          ['Deploy', true],
        ]),
      )
      // It stays open until the last affected job passes.
      await report({ job: 'Cook', number: 6, status: 'success' })
      await work()
      expect((await breakages()).filter(({ state }) => state === 'open')).toHaveLength(1)
      await report({ job: 'Deploy', number: 10, at: 6, status: 'success' })
      await work()
      expect((await breakages()).filter(({ state }) => state === 'open')).toEqual([])
    }
  })

  test('in a downstream build is another breakage if it differs from the upstream cause', async () => {
    const { report, work, breakages } = await room()
    await report({ job: 'Cook', number: 5, log: brokenLog('part5') })
    await report({ job: 'Deploy', number: 9, at: 5, log: brokenLog('part7'), upstream: ['Cook', 5] })
    await work()
    expect(await breakages()).toHaveLength(2)
  })

  test('on the build machines is one breakage for all branches and has no suspects', async () => {
    const { report, work, only } = await room()
    await report({ number: 5, log: DISK_FULL })
    await report({ number: 6, branch: 'dev', log: DISK_FULL })
    await work()
    expect(await only()).toMatchObject({ branch: null, category: 'out_of_disk', suspects: [], build_count: 2 })
  })

  test('is narrowed down by later passes and failures, in any order of reports', async () => {
    const { report, work, only, change } = await room()
    await report({ number: 2, status: 'success' })
    await report({ number: 9, log: brokenLog('part5') })
    await work()
    expect(await only()).toMatchObject({ last_good_change: { id: change(2) }, first_bad_change: { id: change(9) } })
    await report({ number: 6, log: brokenLog('part5'), minute: 60 })
    await report({ number: 4, status: 'success', minute: 61 })
    await work()
    const { last_good_change, first_bad_change, suspects } = await only()
    expect([last_good_change?.id, first_bad_change?.id]).toEqual([change(4), change(6)])
    expect(suspects.map(({ change_id }) => change_id)).toEqual([change(5), change(6)])
  })
})

describe('is fixed', () => {
  test('when every affected job has passed at a later change, and shows what fixed it', async () => {
    const { report, work, only, change } = await room()
    await report({ number: 10, log: brokenLog('part5') })
    await report({ job: 'Test', number: 10, log: brokenLog('part5') })
    await work()
    await report({ number: 14, status: 'success' })
    await work()
    expect((await only()).state).toBe('open')
    await report({ job: 'Test', number: 9, status: 'success', minute: 90 })
    await work()
    expect((await only()).state).toBe('open')
    await report({ job: 'Test', number: 15, status: 'success' })
    await work()
    const { state, fixed_by_change, fixed_after_change, fixed_up_to_change, history } = await only()
    // Change 12 touches part5.c.
    expect([state, fixed_by_change?.id]).toEqual(['fixed', change(12)])
    expect([fixed_after_change?.id, fixed_up_to_change?.id]).toEqual([change(10), change(14)])
    expect(history.map(({ kind }) => kind)).toEqual(['opened', 'joined', 'fixed'])
  })

  test('by the changes after the last failure, even if that is reported late', async () => {
    const { report, work, only, change } = await room()
    await report({ number: 10, log: brokenLog('part5') })
    await work()
    await report({ number: 15, status: 'success' })
    await work()
    expect((await only()).fixed_by_change?.id).toBe(change(12))
    await report({ number: 13, log: brokenLog('part5') })
    await work()
    // Nothing shows which of the changes after the last failure fixed it.
    const { state, fixed_by_change, fixed_after_change, fixed_up_to_change, history } = await only()
    expect([state, fixed_by_change, fixed_after_change?.id, fixed_up_to_change?.id]).toEqual([
      'fixed',
      null,
      change(13),
      change(15),
    ])
    expect(history.map(({ kind }) => kind)).toEqual(['opened', 'fixed'])
  })

  test('and reopens with the same cause, but not with an earlier failure', async () => {
    const { report, work, only } = await room()
    await report({ number: 10, log: brokenLog('part5') })
    await work()
    await report({ number: 14, status: 'success' })
    await work()
    await report({ number: 12, log: brokenLog('part5'), minute: 80 })
    await work()
    expect(await only()).toMatchObject({ state: 'fixed', build_count: 2, reopened_count: 0 })
    await report({ number: 16, log: brokenLog('part5'), minute: 81 })
    await work()
    expect(await only()).toMatchObject({
      state: 'open',
      build_count: 3,
      reopened_count: 1,
      fixed_at: null,
      fixed_by_change: null,
    })
  })

  test('and a failure with the same cause after two weeks opens a new breakage', async () => {
    const { report, work, breakages } = await room()
    await report({ number: 10, log: brokenLog('part5') })
    await report({ number: 11, status: 'success' })
    await work()
    const days = (count: number) => count * 24 * 60
    await report({ number: 16, log: brokenLog('part5'), minute: days(13) })
    await work()
    expect(await breakages()).toMatchObject([{ reopened_count: 1, state: 'open' }])
    await report({ number: 17, status: 'success', minute: days(13) + 1 })
    await work()
    await report({ number: 18, log: brokenLog('part5'), minute: days(28) })
    await work()
    expect((await breakages()).map(({ state }) => state)).toEqual(['open', 'fixed'])
  })

  test('unless its builds turn out not to have failed: then it is withdrawn', async () => {
    const { report, work, only } = await room()
    await report({ number: 10, log: brokenLog('part5') })
    await work()
    await report({ number: 10, status: 'success' })
    await work()
    expect(await only()).toMatchObject({
      state: 'withdrawn',
      withdrawn_reason: 'not_a_failure',
      build_count: 0,
      fixed_at: null,
      suspects: [],
      occurrences: [],
    })
  })

  test('by a pass at the same change if the machines were the cause, and marked flaky if it comes and goes', async () => {
    const machines = await room()
    await machines.report({ number: 10, log: DISK_FULL })
    await machines.work()
    await machines.report({ number: 11, at: 10, status: 'success' })
    await machines.work()
    expect(await machines.only()).toMatchObject({ state: 'fixed', flaky: false })
    const moody = await room()
    await moody.report({ number: 10, log: brokenLog('part5') })
    await moody.work()
    await moody.report({ number: 11, at: 10, status: 'success' })
    await moody.work()
    expect(await moody.only()).toMatchObject({ state: 'fixed', flaky: true })
  })

  test('and a flaky test has no suspects any more', async () => {
    const { report, work } = await room()
    const log =
      '$ make test\nsrc/part5.c:54: Failure\nExpected equality of these values:\n  1\n  2\n[  FAILED  ] Tide.rises (0 ms)\nmake: *** [test] Error 1\n'
    const investigated = async (build: number) => {
      await work()
      return studio.db.one(sql`
        select category, attributed_user_id, steps -> -1 ->> 'name' as step from investigations where build_run_id = ${build}`)
    }
    const ann = studio.world.users!.ann!.id
    for (const job of ['Cook', 'Nightly']) await report({ job, number: 4, status: 'success' })
    const first = await investigated(await report({ number: 5, log }))
    expect(first).toMatchObject({ category: 'test_failure', attributed_user_id: ann })
    await report({ number: 6, at: 5, status: 'success' })
    await work()
    const second = await investigated(await report({ job: 'Nightly', number: 7, at: 5, log }))
    expect(second).toEqual({ category: 'test_failure', attributed_user_id: null, step: 'flaky' })
  })

  test('when its jobs have not reported for a month', async () => {
    const { report, work, only } = await room()
    const build = await report({ number: 10, log: brokenLog('part5') })
    await work()
    await recomputeOverdue(studio.db)
    expect((await only()).state).toBe('open')
    await studio.db.execute(sql`
      update build_runs set created_at = now() - interval '31 days', finished_at = now() - interval '31 days' where id = ${build}`)
    await studio.db.execute(
      sql`update breakages set last_seen_at = now() - interval '31 days' where first_build_run_id = ${build}`,
    )
    await recomputeOverdue(studio.db)
    expect((await only()).state).toBe('fixed')
  })
})

test('a job whose name has 480 to 500 bytes breaks and is fixed like any other', async () => {
  const { report, work, only } = await room()
  const names = [...[480, 488, 494, 500].map((bytes) => `${bytes}-`.padEnd(bytes, 'x')), `500-${'ü'.repeat(248)}`]
  for (const job of names) expect(await report({ job, number: 5, log: brokenLog('part5') })).toBeDefined()
  await work()
  expect((await only()).jobs.toSorted()).toEqual(names.toSorted())
  for (const job of names) expect(await report({ job, number: 8, status: 'success' })).toBeDefined()
  await work()
  expect((await only()).state).toBe('fixed')
  // A build that ran before the fix is looked up under a longer key.
  for (const job of names) expect(await report({ job, number: 6, status: 'success' })).toBeDefined()
  for (const bytes of [501, 512])
    await expect(report({ job: 'x'.repeat(bytes), number: 5 })).rejects.toThrow('The job must have at most 500 bytes.')
})

test('two long job names that differ only in their last character are separate jobs', async () => {
  const { report, work, breakages } = await room()
  const names = ['a', 'b'].map((last) => `${'x'.repeat(499)}${last}`)
  for (const [n, job] of names.entries()) await report({ job, number: 5, log: brokenLog(`part${n}`) })
  await work()
  for (const job of names) await report({ job, number: 8, status: 'success' })
  await work()
  expect((await breakages()).map(({ state }) => state)).toEqual(['fixed', 'fixed'])
})

test('the finding with the highest confidence is shown, in any order', async () => {
  const { report, work, only } = await room()
  const [first, second] = [
    await report({ number: 5, log: brokenLog('part5') }),
    await report({ number: 6, log: brokenLog('part5') }),
  ]
  await work()
  const { id } = await only()
  await studio.db.execute(sql`
    update investigations set confidence = case build_run_id when ${first} then 'low' else 'medium' end,
      diagnosis = case build_run_id when ${first} then 'a guess' else 'nearly sure' end where build_run_id in (${first}, ${second})`)
  await report({ number: 7, status: 'success', at: 3 })
  await work()
  expect(await only()).toMatchObject({ id, confidence: 'medium', cause: 'nearly sure' })
})

test('a branch shows the median duration of the breakages that were fixed within thirty days', async () => {
  const { report, work, api } = await room()
  for (const part of [5, 6, 7, 8]) await report({ number: part, log: brokenLog(`part${part}`) })
  await work()
  const green = async () => (await api('/branches')).json.branches[0].time_to_green_seconds
  expect(await green()).toBeNull()
  const lasted = (part: number, minutes: number, days: number) =>
    studio.db.execute(sql`
      update breakage_occurrences set fixed_at = now() - make_interval(days => ${days}),
        opened_at = now() - make_interval(days => ${days}, mins => ${minutes})
      where first_build_run_id = (select id from build_runs where build_number = ${String(part)} order by id desc limit 1)`)
  await lasted(5, 10, 1)
  await lasted(6, 90, 2)
  await lasted(7, 20, 3)
  await lasted(8, 1, 31)
  expect(await green()).toBe(20 * 60)
})
