import { describe, expect, test } from 'vitest'
import { type Hit, type Judging, occurrencesOf } from './judge.ts'

const failed = (position: number | null, at = (position ?? 0) * 10) => ({
  position,
  revision: String(position ?? ''),
  number: null,
  at,
  received: at,
  began_at: at,
  build_run_id: at,
  occurrence: null,
})
const passed = (position: number | null, at = (position ?? 0) * 10) => ({
  position,
  revision: String(position ?? ''),
  number: null,
  at,
  received: at,
  build_run_id: at,
  finished_at: at + 1,
})
const hit = (failures: Hit['failures'], passes: Hit['passes'], more: Partial<Hit> = {}): Hit => ({
  job: 'Cook',
  branch: 'main',
  failures,
  passes,
  silent: false,
  ...more,
})
const judged = (hits: Hit[], more: Partial<Judging> = {}) =>
  occurrencesOf(hits, { passing: false, byTime: false, said: [], unfixedAt: null, ...more })
const newest = (hits: Hit[], more?: Partial<Judging>) => judged(hits, more).at(-1)!

test('the first later pass of the job fixes a breakage', () => {
  const { mended, lastBad, firstGood } = newest([hit([failed(5), failed(6)], [passed(9), passed(7), passed(4)])])
  expect([mended?.map(({ position }) => position), lastBad, firstGood]).toEqual([[7], 6, 7])
})

test('a pass before the last failure fixes nothing, however late it is reported', () => {
  expect(newest([hit([failed(6, 10)], [passed(5, 90)])]).mended).toBeNull()
})

test('a breakage stays open while one of its jobs is red', () => {
  const cook = hit([failed(5)], [passed(7)])
  expect(newest([cook, hit([failed(6)], [], { job: 'Test' })]).mended).toBeNull()
  expect(newest([cook, hit([failed(6)], [], { job: 'Test', silent: true })]).mended).toHaveLength(1)
})

test('a pass at the same change fixes only flaky and infrastructure failures', () => {
  const again = [hit([failed(5, 50)], [passed(5, 60)])]
  expect(newest(again, { passing: true }).mended).toHaveLength(1)
  // Passing and failing at one change is what flaky means.
  expect(newest(again)).toMatchObject({ flaky: true, mended: [{ position: 5 }] })
  expect(newest([hit([failed(5, 50)], [passed(5, 40)])], { passing: true }).mended).toBeNull()
})

test('without a known branch, time decides', () => {
  expect(newest([hit([failed(null, 50)], [passed(null, 60)])]).mended).toHaveLength(1)
  expect(newest([hit([failed(null, 50)], [passed(null, 40)])]).mended).toBeNull()
})

test('the range goes from the newest pass below the first failure to that failure, over all jobs', () => {
  const hits = [hit([failed(8), failed(12)], [passed(3), passed(13)]), hit([failed(9)], [passed(6)], { job: 'Test' })]
  expect(newest(hits)).toMatchObject({ firstBad: 8, lastGood: 6 })
  // A later pass at a change that also failed proves nothing.
  expect(newest([hit([failed(8)], [passed(8, 90), passed(2)])])).toMatchObject({ firstBad: 8, lastGood: 2 })
  expect(newest([hit([failed(null, 5)], [])])).toMatchObject({ firstBad: null, lastGood: null })
})

test('the range is empty if the job had passed at the change', () => {
  expect(newest([hit([failed(8, 90)], [passed(8, 80), passed(2)])])).toMatchObject({ firstBad: 8, lastGood: 8, flaky: true })
})

test('bisecting builds narrow the range and change nothing else', () => {
  const bisect = { bisect: true }
  const hits = [hit([failed(12), { ...failed(8, 200), ...bisect }], [passed(2), { ...passed(6, 210), ...bisect }])]
  expect(newest(hits)).toMatchObject({ firstBad: 8, lastGood: 6, lastBad: 12, mended: null })
  const mended = [hit([failed(5), { ...failed(9, 200), ...bisect }], [passed(7), { ...passed(11, 210), ...bisect }])]
  expect(judged(mended)).toMatchObject([{ firstBad: 5, mended: [{ position: 7 }] }])
})

test('a breakage without failures has no occurrence', () => {
  expect(judged([])).toEqual([])
})

describe('an occurrence', () => {
  const ranges = (hits: Hit[], more?: Partial<Judging>) =>
    judged(hits, more).map(({ lastGood, firstBad, mended }) => [lastGood, firstBad, mended !== null])

  test('ends with the pass of its last job, and the next failure starts another one', () => {
    expect(ranges([hit([failed(5), failed(12)], [passed(3), passed(9), passed(14)])])).toEqual([
      [3, 5, true],
      [9, 12, true],
    ])
    expect(ranges([hit([failed(5)], [passed(3), passed(9)]), hit([failed(8)], [passed(4)], { job: 'Test' })])).toEqual([
      [4, 5, false],
    ])
    expect(ranges([hit([failed(5)], [passed(3), passed(6)]), hit([failed(8)], [passed(2)], { job: 'Test' })])).toEqual([
      [3, 5, true],
      [6, 8, false],
    ])
  })

  test('is the same in any order of its builds', () => {
    const [failures, passes] = [
      [failed(5), failed(7), failed(12), failed(20)],
      [passed(3), passed(9), passed(14)],
    ]
    const given = ranges([hit(failures, passes)])
    expect(given).toHaveLength(3)
    expect(ranges([hit(failures.toReversed(), passes.toReversed())])).toEqual(given)
  })

  test('ends when somebody resolves it: only a failure at a later change starts another one', () => {
    const said = [{ position: 10, received: 100 }]
    expect(ranges([hit([failed(5), failed(8, 200)], [passed(3)])], { said })).toEqual([[3, 5, true]])
    expect(ranges([hit([failed(5), failed(11, 200)], [passed(3)])], { said })).toEqual([
      [3, 5, true],
      [3, 11, false],
    ])
    expect(newest([hit([failed(5)], [])], { said }).mended).toMatchObject([{ said: true }])
  })

  test('continues when somebody reopens it, until a later pass', () => {
    const hits = (...more: Hit['passes']) => [hit([failed(5)], [passed(7, 70), ...more])]
    expect(newest(hits(), { unfixedAt: 75 }).mended).toBeNull()
    expect(newest(hits(), { unfixedAt: 65 }).mended).toHaveLength(1)
    expect(newest(hits(passed(9, 90)), { unfixedAt: 75 }).mended).toMatchObject([{ position: 9 }])
  })

  test('of an infrastructure failure ends with a pass at the same change, so that a failure after it starts another one', () => {
    const hits = [hit([failed(5, 50), failed(5, 70)], [passed(3), passed(5, 60)])]
    expect(ranges(hits, { passing: true }).map(([, , isMended]) => isMended)).toEqual([true, false])
  })

  test('of an infrastructure failure is ordered by time when it hits several branches', () => {
    const hits = [hit([failed(5, 50)], [passed(5, 60)]), hit([failed(2, 70)], [], { branch: 'dev' })]
    expect(judged(hits, { passing: true, byTime: true }).map(({ mended }) => mended !== null)).toEqual([true, false])
  })
})
