import { expect, test } from 'vitest'
import { columnsOf, Peaks } from './peaks.ts'

/** A sound that is silent but for one sample, given in pieces. */
function click(samples: number, at: number, piece: number) {
  const peaks = new Peaks()
  for (let from = 0; from < samples; from += piece) {
    const part = new Float32Array(Math.min(piece, samples - from))
    if (at >= from && at < from + part.length) part[at - from] = -0.5
    peaks.add([new Float32Array(part.length), part], part.length)
  }
  return { peaks, samples, rate: 48_000 }
}

test.each([1, 100, 1_600, 20_000, 3_000_000])('in %i samples, a click is in its column or next to it', (samples) => {
  for (const share of [0, 0.25, 0.5, 0.999]) {
    const at = Math.floor(share * samples)
    const columns = columnsOf([click(samples, at, 4_096)], 1_600)
    const loud = [...columns.keys()].filter((x) => columns[x]! > 0)
    const [first, last] = [Math.floor((at / samples) * 1_600), Math.ceil(((at + 1) / samples) * 1_600)]
    expect(loud.length).toBeGreaterThan(0)
    expect(loud[0]).toBeGreaterThanOrEqual(first - 1)
    expect(loud.at(-1)).toBeLessThanOrEqual(last)
    expect(Math.max(...columns)).toBe(0.5)
  }
})

test('samples beyond what is played are not drawn, and levels end at 1', () => {
  const peaks = new Peaks()
  peaks.add([Float32Array.of(0.25, 0.25, 7, Number.NaN)], 4)
  expect([...columnsOf([{ peaks, samples: 2, rate: 1 }], 2)]).toEqual([0.25, 0.25])
  expect([...columnsOf([{ peaks, samples: 4, rate: 1 }], 4)]).toEqual([0.25, 0.25, 1, 0])
})
