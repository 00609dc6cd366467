import { expect, test } from 'vitest'
import { type Hit, judge } from './judge.ts'

const failed = (position: number | null, at = (position ?? 0) * 10) => ({ position, at })
const passed = (position: number | null, at = (position ?? 0) * 10) => ({ position, at, build_run_id: at, finished_at: at + 1 })
const hit = (failures: Hit['failures'], passes: Hit['passes'], more: Partial<Hit> = {}): Hit => ({
  job: 'Cook',
  branch: 'main',
  failures,
  passes,
  silent: false,
  ...more,
})

test('is mended by the first later pass of the job', () => {
  const { mended } = judge([hit([failed(5), failed(6)], [passed(9), passed(7), passed(4)])], false)
  expect(mended?.map(({ position }) => position)).toEqual([7])
})

test('a pass before the last failure mends nothing, however late it is reported', () => {
  expect(judge([hit([failed(6, 10)], [passed(5, 90)])], false).mended).toBeNull()
})

test('holds while one of its jobs is red', () => {
  const cook = hit([failed(5)], [passed(7)])
  expect(judge([cook, hit([failed(6)], [], { job: 'Test' })], false).mended).toBeNull()
  expect(judge([cook, hit([failed(6)], [], { job: 'Test', silent: true })], false).mended).toHaveLength(1)
})

test('a pass at the same change mends only what comes and goes', () => {
  const again = [hit([failed(5, 50)], [passed(5, 60)])]
  expect(judge(again, true).mended).toHaveLength(1)
  // Passing and failing at one change is what flaky means.
  expect(judge(again, false)).toMatchObject({ flaky: true, mended: [{ position: 5 }] })
  expect(judge([hit([failed(5, 50)], [passed(5, 40)])], true).mended).toBeNull()
})

test('where nobody knows the branch, time decides', () => {
  expect(judge([hit([failed(null, 50)], [passed(null, 60)])], false).mended).toHaveLength(1)
  expect(judge([hit([failed(null, 50)], [passed(null, 40)])], false).mended).toBeNull()
})

test('the range goes from the newest pass below the first failure to that failure, over all jobs', () => {
  const hits = [hit([failed(8), failed(12)], [passed(3), passed(13)]), hit([failed(9)], [passed(6), passed(10)], { job: 'Test' })]
  expect(judge(hits, false)).toMatchObject({ firstBad: 8, lastGood: 6 })
  // What passed where it also failed is no proof of anything.
  expect(judge([hit([failed(8)], [passed(8, 90), passed(2)])], false)).toMatchObject({ firstBad: 8, lastGood: 2 })
  expect(judge([hit([failed(null, 5)], [])], false)).toMatchObject({ firstBad: null, lastGood: null })
})

test('nothing that failed is left: mended', () => {
  expect(judge([], false).mended).toEqual([])
})
