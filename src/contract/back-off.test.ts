import { expect, test } from 'vitest'
import { backOff, retryAfterSeconds } from './back-off.ts'

test('pauses double from the first to the longest', () => {
  expect([1, 2, 3, 4, 60].map((failures) => backOff(failures, { first: 1, longest: 5 }))).toEqual([1, 2, 4, 5, 5])
})

test('jitter varies a pause by its share, up and down', () => {
  const pause = (random: number) => backOff(2, { first: 10, longest: 100, factor: 4, jitter: 0.1, random })
  expect([0, 0.5, 1].map(pause)).toEqual([36, 40, 44])
})

test('a Retry-After header is read as seconds or as a date', () => {
  expect(['0', '1.5', '90'].map(retryAfterSeconds)).toEqual([0, 1.5, 90])
  expect(retryAfterSeconds(new Date(Date.now() - 60_000).toUTCString())).toBe(0)
  const inAnHour = retryAfterSeconds(new Date(Date.now() + 3_600_000).toUTCString())!
  expect(inAnHour).toBeGreaterThan(3_000)
  expect(inAnHour).toBeLessThanOrEqual(3_600)
  for (const header of [undefined, null, '', ' ', 'soon', 'Infinity']) expect(retryAfterSeconds(header)).toBeUndefined()
})
