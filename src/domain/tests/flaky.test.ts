import { describe, expect, test } from 'vitest'
import { simulate } from '../../../test/support/studios/simulated-tests.ts'
import { stemsOfCase, stemsOfChange, touches } from './case-files.ts'
import { type CaseRun, failingSince, flakyFailures, withOutages } from './flaky.ts'

/** `.` passed, `x` failed, `f` passed in a second attempt, `s` skipped; each at its own change unless `changes` says otherwise. */
const runsOf = (outcomes: string, changes?: readonly number[]): CaseRun[] =>
  [...outcomes].map((letter, at) => ({
    outcome: ({ '.': 'passed', x: 'failed', f: 'flaky', s: 'skipped' } as const)[letter as '.'],
    change: String(changes?.[at] ?? at),
    position: changes?.[at] ?? at,
    massive: false,
  }))
const never = () => false

describe('a test is flaky', () => {
  test('if it passed and failed at one change, or passed in a second attempt', () => {
    expect(flakyFailures(runsOf('.x.', [1, 2, 2]), never)).toEqual([1])
    expect(flakyFailures(runsOf('..f.'), never)).toEqual([2])
    expect(flakyFailures(runsOf('.x.', [1, 2, 3]), never)).toEqual([])
  })

  test('if it recovered three times in 20 runs without a change to its files', () => {
    const runs = runsOf('....x....x.....xx....')
    expect(flakyFailures(runs, never)).toEqual([4, 9, 15, 16])
    expect(flakyFailures(runs.slice(2), never)).toEqual([])
    // A change to its files may have fixed the second failure.
    expect(flakyFailures(runs, (above, upTo) => above < 10 && 10 <= upTo)).toEqual([])
    const unplaced = runs.map((run) => ({ ...run, position: null }))
    expect(flakyFailures(unplaced, never)).toEqual([])
  })

  test('but not because of a regression, or of runs in which many tests fail', () => {
    expect(flakyFailures(runsOf('..........xxxxxxxxxx..........'), never)).toEqual([])
    const outages = runsOf('....x....x.....x.....').map((run) => ({ ...run, massive: run.outcome === 'failed' }))
    expect(flakyFailures(outages, never)).toEqual([])
    const outage = runsOf('.x.', [1, 2, 2]).map((run) => ({ ...run, massive: run.outcome === 'failed' }))
    expect(flakyFailures(outage, never)).toEqual([])
  })

  test('until it fails more often in a row, at different changes, than its rate explains', () => {
    // Both outcomes at change 1, and 8 passes: 2 of 12 twice in a row is likely, three times is not.
    const before = ['.x........', [1, 1, 2, 3, 4, 5, 6, 7, 8, 9]] as const
    const then = (letters: string, changes: readonly number[]) =>
      flakyFailures(runsOf(before[0] + letters, [...before[1], ...changes]), never)
    expect(then('xx', [10, 11])).toEqual([1])
    expect(then('xxx', [10, 11, 12])).toEqual([])
    expect(then('xxx', [10, 10, 11])).toEqual([1])
    expect(then('xxx.', [10, 11, 12, 13])).toEqual([1])
    expect(then('xxfx', [10, 11, 12, 13])).toEqual([1, 12])
  })

  test('by its newest 60 runs, of which skipped ones are none', () => {
    const early = runsOf(`.x${'.'.repeat(58)}`, [1, 1, ...Array.from({ length: 58 }, (_, at) => at + 2)])
    expect(flakyFailures([...early, ...runsOf('sss')], never)).toEqual([1])
    expect(flakyFailures([...early, ...runsOf('..')], never)).toEqual([])
  })
})

describe('a test fails', () => {
  /** `o` failed during an outage. */
  const since = (letters: string) =>
    failingSince(runsOf(letters.replaceAll('o', 'x')).map((run, at) => ({ ...run, outage: letters[at] === 'o' })))

  test('since the first failure after its last pass, whatever runs skipped it', () => {
    expect(since('x..sxsx')).toEqual({ first: 4, lastPassed: 2 })
    expect(since('xx')).toEqual({ first: 0, lastPassed: null })
    expect(since('.fx')).toEqual({ first: 2, lastPassed: 0 })
    expect(since('xx.')).toBeNull()
    expect(since('ss')).toBeNull()
  })

  test('since its first failure that was not in an outage, if there is one', () => {
    expect(since('.ooxx')).toEqual({ first: 3, lastPassed: 0 })
    expect(since('.xox')).toEqual({ first: 1, lastPassed: 0 })
    expect(since('.oo')).toEqual({ first: 1, lastPassed: 0 })
    expect(since('oox')).toEqual({ first: 2, lastPassed: null })
  })
})

test('a run is an outage if many tests failed and at most half as many afterwards', () => {
  const outages = (...failures: number[]) =>
    withOutages(failures.map((count) => ({ failures: count, massive: count >= 10 }))).flatMap(({ outage }, at) =>
      outage ? at : [],
    )
  expect(outages(0, 40, 2, 12, 11)).toEqual([1])
  expect(outages(40, 38, 1)).toEqual([0, 1])
  expect(outages(40, 44, 22)).toEqual([1])
  // Many tests fail for long, and some of them are fixed.
  expect(outages(13, 12, 11, 9, 8)).toEqual([])
  // Nothing is known about the newest run.
  expect(outages(0, 40)).toEqual([])
})

test('a change touches a test if it has a file of its failures, or one called like its class', () => {
  const stems = stemsOfCase({ suite: 'Game.Ai', class: 'Game.Ai.NavTest', name: 'walks up', files: ['C:\\ci\\Path.spec.cpp'] })
  const changed = (...paths: string[]) => touches({ position: 1, stems: stemsOfChange(paths) }, stems)
  expect(changed('Source/Ai/Nav.cpp')).toBe(true)
  expect(changed('Source/Ai/PathTests.h')).toBe(true)
  expect(changed('Source/Ui/Menu.cpp', 'Content/Navmesh.uasset')).toBe(false)
  expect(touches({ position: 1, stems: null }, stems)).toBe(true)
})

test('in a simulated project, at least 95 % of the tests called flaky are, and 80 % of them are found', () => {
  const { precision, recall, ranges, rangesRight } = simulate({ seed: 7, cases: 2_000, builds: 160 })
  expect(precision).toBeGreaterThanOrEqual(0.95)
  expect(recall).toBeGreaterThanOrEqual(0.8)
  expect(ranges).toBeGreaterThan(1_000)
  expect(rangesRight).toBeGreaterThanOrEqual(0.95)
})
