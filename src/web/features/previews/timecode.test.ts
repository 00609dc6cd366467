import { expect, test } from 'vitest'
import { frameAt, rateOf, timecode, timeOf, USUAL_RATE } from './timecode.ts'

test('a timecode has hours, minutes, seconds and frames', () => {
  expect(timecode(0, 30)).toBe('00:00:00:00')
  expect(timecode(65.4, 30)).toBe('00:01:05:12')
  expect(timecode(3600, 25)).toBe('01:00:00:00')
})

test('each frame is found again by its time', () => {
  for (const rate of [23.976, 25, 30, 60])
    for (const frame of [0, 1, 2, 899, 100_000]) expect(frameAt(timeOf(frame, rate), rate)).toBe(frame)
})

test('the rate is read from the times of frames, and is a usual one if they say none', () => {
  expect(rateOf([0, 0.04, 0.08, 0.16])).toBe(25)
  expect(rateOf([0, 1 / 60, 2 / 60])).toBe(60)
  expect(rateOf([])).toBe(USUAL_RATE)
  expect(rateOf([0, 5])).toBe(USUAL_RATE)
})
