import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { advanceClock, resetClock } from '../../../test/support/clock.ts'
import type { Studio } from '../../../test/support/studio.ts'
import { branchRoom, openBranchStudio } from '../../../test/support/studios/branch-room.ts'
import { contextOf } from '../investigations/build-context.ts'
import { trends } from './trends.ts'

let studio: Studio
beforeAll(async () => {
  studio = await openBranchStudio()
})
afterAll(() => studio.close())

const HOUR = 3_600_000
/** The time on a clock that is this many hours ahead. */
const clock = (hours: number) => new Date(Date.now() + hours * HOUR).toISOString()

async function roomOf(...changelists: number[]) {
  const room = await branchRoom(studio)
  for (const changelist of changelists) await room.submit(changelist)
  const noteOf = async (id: number) => (await contextOf(studio.db, room.owner, id)).time_note
  return { ...room, noteOf }
}

describe('an agent whose clock is behind', () => {
  test('turns its job green with a later number at the same change', async () => {
    const room = await roomOf(1201)
    await room.report({ number: 9, changelist: 1201, broken: 'part1201', started_at: clock(-0.01), finished_at: clock(0) })
    await room.report({ number: 10, changelist: 1201, started_at: clock(-2), finished_at: clock(-1) })
    expect(await room.health()).toMatchObject({ state: 'green', last_known_good: { identifier: '1201' } })
  })

  test('fixes a breakage, and no time to green is negative', async () => {
    const room = await roomOf(1201, 1202)
    await room.report({ number: 1, changelist: 1201, broken: 'part1201', started_at: clock(-0.01), finished_at: clock(0) })
    await room.work()
    await room.report({ number: 2, changelist: 1202, started_at: clock(-25), finished_at: clock(-24) })
    await room.work()
    const [breakage] = await room.breakages()
    expect(breakage!.state).toBe('fixed')
    expect(Date.parse(breakage!.fixed_at!)).toBeGreaterThanOrEqual(Date.parse(breakage!.opened_at))
    expect((await room.health()).time_to_green_seconds).toBeGreaterThanOrEqual(0)
    expect((await trends(studio.db, room.owner, 7)).fixes.every(({ seconds }) => seconds >= 0)).toBe(true)
  })

  test('gives its build the changes that had arrived when it started, if it names none', async () => {
    const room = await roomOf(1201, 1202)
    await room.report({ number: 1, changelist: 1201 })
    const id = await room.report({ number: 2, broken: 'part1202', started_at: clock(-3), finished_at: clock(-3) })
    const { json } = await room.api(`/build_runs/${id}/changes`)
    expect(json.changes.map(({ identifier }: { identifier: string }) => identifier)).toEqual(['1202'])
  })
})

test('the highest number counts among several builds at one change, in any order of reports', async () => {
  const room = await roomOf(1201)
  await room.report({ number: 10, changelist: 1201, started_at: clock(-1), finished_at: clock(-1) })
  await room.report({ number: 9, changelist: 1201, broken: 'part1201', started_at: clock(0), finished_at: clock(0) })
  expect((await room.health()).state).toBe('green')
  // A second attempt of a number comes after the first, and the tenth after the ninth.
  await room.report({ number: '10.9', changelist: 1201, broken: 'part1201' })
  await room.report({ number: '10.10', changelist: 1201 })
  await room.report({ number: '10.2', changelist: 1201, broken: 'part1201' })
  expect((await room.health()).state).toBe('green')
})

test('the pass with the highest number is the last pass, whatever the clocks say', async () => {
  const room = await roomOf(1201, 1202)
  const first = await room.report({ number: 1, changelist: 1201, started_at: clock(0), finished_at: clock(0) })
  const second = await room.report({ number: 2, changelist: 1201, started_at: clock(-5), finished_at: clock(-5) })
  const failed = await room.report({ number: 3, changelist: 1202, broken: 'part1202' })
  const { json } = await room.api(`/build_runs/${failed}/changes`)
  expect([first, second].map(String).indexOf(json.since.id)).toBe(1)
})

describe('a report that is ahead of its receipt', () => {
  test('is moved back together with its steps, and marked', async () => {
    const room = await roomOf(1201)
    const id = await room.report({
      number: 1,
      changelist: 1201,
      started_at: clock(2),
      finished_at: clock(3),
      steps: [{ name: 'cook', status: 'completed', started_at: clock(2), finished_at: clock(2.5) }],
    })
    const build = await room.build(id)
    expect(Date.parse(build.finished_at)).toBeLessThanOrEqual(Date.now())
    expect(Math.abs(build.duration_seconds - 3600)).toBeLessThanOrEqual(1)
    expect(Date.parse(build.steps[0].started_at)).toBeLessThanOrEqual(Date.now() - 0.9 * HOUR)
    expect(await room.noteOf(id)).toBe('corrected')
  })

  test('keeps its corrected times if it is repeated when its clock is no longer ahead', async () => {
    const room = await roomOf(1201)
    const report = {
      number: 1,
      changelist: 1201,
      started_at: clock(2),
      finished_at: clock(3),
      steps: [{ name: 'cook', status: 'completed', started_at: clock(2), finished_at: clock(2.5) }],
    }
    const id = await room.report(report)
    const timesOf = ({ started_at, finished_at, duration_seconds, steps }: Awaited<ReturnType<typeof room.build>>) => ({
      started_at,
      finished_at,
      duration_seconds,
      steps,
    })
    const before = timesOf(await room.build(id))
    await advanceClock(studio.db, '4 hours')
    await room.report({ ...report, url: 'https://ci.example/1' })
    expect(timesOf(await room.build(id))).toEqual(before)
    await resetClock(studio.db)
  })

  test('by less than five minutes keeps its times', async () => {
    const room = await roomOf(1201)
    const finished_at = clock(0.06)
    const id = await room.report({ number: 1, changelist: 1201, finished_at })
    expect((await room.build(id)).finished_at).toBe(finished_at)
    expect(await room.noteOf(id)).toBeNull()
  })
})

describe('no build has a negative duration', () => {
  test('if it starts after its own end', async () => {
    const room = await roomOf(1201)
    const id = await room.report({ number: 1, changelist: 1201, started_at: clock(-1), finished_at: clock(-2) })
    const { started_at, finished_at, duration_seconds } = await room.build(id)
    expect([started_at <= finished_at, duration_seconds]).toEqual([true, 0])
    expect(await room.noteOf(id)).toBe('corrected')
  })

  test('if another clock reported its start', async () => {
    const room = await roomOf(1201)
    await room.report({ number: 1, changelist: 1201, status: 'running', started_at: clock(0.05) })
    const id = await room.report({ number: 1, changelist: 1201, finished_at: clock(-2) })
    const { started_at, finished_at, duration_seconds } = await room.build(id)
    expect(started_at <= finished_at && duration_seconds >= 0).toBe(true)
    expect(await room.noteOf(id)).toBe('corrected')
  })
})

test('times long before their receipt stay as reported and are marked as late', async () => {
  const room = await roomOf(1201)
  const [started_at, finished_at] = [clock(-26), clock(-25)]
  const id = await room.report({ number: 1, changelist: 1201, started_at, finished_at })
  expect(await room.build(id)).toMatchObject({ started_at, finished_at, duration_seconds: 3600 })
  expect(await room.noteOf(id)).toBe('reported_late')
})
