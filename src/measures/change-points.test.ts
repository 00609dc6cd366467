import { describe, expect, test } from 'vitest'
import { randomOf } from '../demo/random.ts'
import { changePoints } from './change-points.ts'

/** With a normal distribution. */
function noiseOf(seed: number): () => number {
  const uniform = randomOf(seed)
  return () => Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform())
}

const series = (seed: number, length: number, deviation: number, levelAt: (index: number) => number) => {
  const noise = noiseOf(seed)
  return Array.from({ length }, (_, index) => levelAt(index) * (1 + deviation * noise()))
}

const SERIES = 300
const START = 100

describe.each([
  { deviation: 0.005, builds: 3, found: 0.99, falseAlarms: 0.1 },
  { deviation: 0.015, builds: 3, found: 0.95, falseAlarms: 0.5 },
  // A test that knew the noise and the start could find 95 % at this rate of false alarms.
  { deviation: 0.03, builds: 8, found: 0.9, falseAlarms: 1 },
])('with noise of $deviation', ({ deviation, builds, found, falseAlarms }) => {
  const jumps = Array.from({ length: SERIES }, (_, seed) => {
    const step = seed % 2 === 0 ? 1.05 : 0.95
    const values = series(seed + 1, START + builds, deviation, (index) => (index < START ? 100 : 100 * step))
    return changePoints(values).find((jump) => jump.found >= START)
  })

  test(`at least ${100 * found} % of the steps of 5 % are found within ${builds} builds`, () => {
    expect(jumps.filter((jump) => jump !== undefined).length).toBeGreaterThanOrEqual(found * SERIES)
  })

  test('at least 95 % of the ranges contain the true start', () => {
    const right = jumps.filter((jump) => jump && jump.first <= START && START <= jump.last)
    expect(right.length).toBeGreaterThanOrEqual(0.95 * jumps.filter((jump) => jump !== undefined).length)
  })

  test(`a series without a step has at most ${falseAlarms} false alarms in 500 values`, () => {
    const alarms = Array.from({ length: 100 }, (_, seed) => changePoints(series(9000 + seed, 500, deviation, () => 100)).length)
    expect(alarms.reduce((sum, count) => sum + count, 0) / alarms.length).toBeLessThanOrEqual(falseAlarms)
  })
})

test('a single outlier is not a jump', () => {
  const values = series(7, 60, 0.01, (index) => (index === 40 ? 150 : 100))
  expect(changePoints(values)).toEqual([])
})

test('a step in a series without noise is found at its second value', () => {
  const values = Array.from({ length: 40 }, (_, index) => (index < 30 ? 1000 : 1100))
  expect(changePoints(values)).toEqual([{ index: 30, first: 30, last: 30, found: 31, before: 1000, after: 1100 }])
})

test('two steps are two jumps, each with its own levels', () => {
  const values = series(3, 90, 0.005, (index) => (index < 30 ? 100 : index < 60 ? 120 : 90))
  expect(changePoints(values).map(({ index }) => index)).toEqual([30, 60])
})

test('a short series has no jumps', () => {
  expect(changePoints([])).toEqual([])
  expect(changePoints([1, 1, 1, 5, 5, 5])).toEqual([])
})

test('a jump of less than 3 % is not reported, however even the series', () => {
  const levels = (share: number) => series(1, 60, 0.0005, (index) => (index < 30 ? 1 : 1 + share))
  expect(changePoints(levels(0.02))).toEqual([])
  expect(changePoints(levels(0.05))).toMatchObject([{ index: 30 }])
})

test('after a withdrawn jump, values are compared with the level before it', () => {
  const values = Array.from({ length: 60 }, (_, index) =>
    index >= 30 && index < 33 ? 106 : (index < 45 ? 98 : 118) + (index % 2) * 4,
  )
  const [noise, jump] = changePoints(values)
  expect(noise).toMatchObject({ index: 30, withdrawn: 39 })
  expect(jump!.index).toBe(45)
  expect(jump!.before).toBeCloseTo(values.slice(0, 45).reduce((sum, value) => sum + value) / 45)
})
