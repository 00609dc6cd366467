import { describe, expect, test } from 'vitest'
import { simulate } from '../../../test/support/simulated-tests.ts'
import { stemsOfCase, stemsOfChange, touches } from './case-files.ts'
import { type CaseRun, failingSince, flakyFailures } from './flaky.ts'

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

  test('by its newest 60 runs, of which skipped ones are none', () => {
    const early = runsOf(`.x${'.'.repeat(58)}`, [1, 1, ...Array.from({ length: 58 }, (_, at) => at + 2)])
    expect(flakyFailures([...early, ...runsOf('sss')], never)).toEqual([1])
    expect(flakyFailures([...early, ...runsOf('..')], never)).toEqual([])
  })
})

test('a test fails since the first failure after its last pass, whatever runs skipped it', () => {
  expect(failingSince(runsOf('x..sxsx'))).toEqual({ first: 4, lastPassed: 2 })
  expect(failingSince(runsOf('xx'))).toEqual({ first: 0, lastPassed: null })
  expect(failingSince(runsOf('.fx'))).toEqual({ first: 2, lastPassed: 0 })
  expect(failingSince(runsOf('xx.'))).toBeNull()
  expect(failingSince(runsOf('ss'))).toBeNull()
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
