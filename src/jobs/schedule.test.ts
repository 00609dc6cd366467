import { expect, test } from 'vitest'
import { daily, everyMinutes, hourly, isTime, nextTime } from './schedule.ts'

const at = (time: string) => new Date(`2026-03-04T${time}Z`)
const next = (times: readonly number[], after: string) => nextTime(times, at(after)).toISOString()

test('hourly work is due at its minute of the next hour', () => {
  expect(next(hourly(35), '10:34:59')).toBe('2026-03-04T10:35:00.000Z')
  expect(next(hourly(35), '10:35:00')).toBe('2026-03-04T11:35:00.000Z')
  expect(next(hourly(0), '23:10:00')).toBe('2026-03-05T00:00:00.000Z')
})

test('work of every five minutes is due at the next of them', () => {
  expect(next(everyMinutes(5), '10:03:00')).toBe('2026-03-04T10:05:00.000Z')
  expect(next(everyMinutes(5), '23:58:00')).toBe('2026-03-05T00:00:00.000Z')
})

test('daily work is due at the next of its times, in any order', () => {
  const times = daily(['14:05', '02:30'])
  expect(next(times, '01:00:00')).toBe('2026-03-04T02:30:00.000Z')
  expect(next(times, '02:30:00')).toBe('2026-03-04T14:05:00.000Z')
  expect(next(times, '20:00:00')).toBe('2026-03-05T02:30:00.000Z')
})

test('a time that was removed from the settings is not due', () => {
  expect(isTime(daily(['02:30']), at('02:30:00'))).toBe(true)
  expect(isTime(daily(['04:00']), at('02:30:00'))).toBe(false)
})
