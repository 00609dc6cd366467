import { expect, test } from 'vitest'
import { expendable } from './rotation.ts'

const KEEP = { daily: 7, weekly: 4, monthly: 6 }
const DAY_MS = 86_400_000
const LAST = Date.parse('2026-11-17T02:30:00Z')
const daysAgo = (days: number, status = 'good') => ({ started_at: new Date(LAST - days * DAY_MS).toISOString(), status })
const kept = (backups: ReturnType<typeof daysAgo>[], keep = KEEP) => {
  const gone = new Set(expendable(backups, keep))
  return backups.filter((backup) => !gone.has(backup)).map(({ started_at }) => started_at.slice(0, 10))
}

test('a year of daily backups leaves seven days, four weeks and six months', () => {
  const year = Array.from({ length: 365 }, (_, days) => daysAgo(days))
  expect(kept(year)).toEqual([
    ...['17', '16', '15', '14', '13', '12', '11'].map((day) => `2026-11-${day}`),
    // The Sundays that end the previous weeks, one of them with a day that is kept anyway.
    '2026-11-08',
    '2026-11-01',
    // The last days of months.
    '2026-10-31',
    '2026-09-30',
    '2026-08-31',
    '2026-07-31',
    '2026-06-30',
  ])
})

test('rotating every day leaves the same as rotating once', () => {
  let there: ReturnType<typeof daysAgo>[] = []
  for (let days = 364; days >= 0; days--) {
    there = [daysAgo(days), ...there]
    const gone = new Set(expendable(there, KEEP))
    there = there.filter((backup) => !gone.has(backup))
  }
  expect(there.map(({ started_at }) => started_at)).toEqual(
    expect.arrayContaining([daysAgo(0).started_at, '2026-10-31T02:30:00.000Z', '2026-06-30T02:30:00.000Z']),
  )
  expect(there.length).toBeLessThanOrEqual(17)
})

test('the newest of several backups on a day stays', () => {
  const [early, late] = [daysAgo(3.05), daysAgo(3)]
  expect(expendable([early, late, daysAgo(0)], KEEP)).toEqual([early])
})

test('the last good one stays, whatever the settings and however many fail after it', () => {
  const none = { daily: 0, weekly: 0, monthly: 0 }
  const failed = [daysAgo(2, 'failed'), daysAgo(1, 'failed'), daysAgo(0, 'failed')]
  expect(kept([...failed, daysAgo(300)], none)).toEqual(kept([...failed, daysAgo(300)]))
  expect(expendable([...failed, daysAgo(300)], none)).toEqual([])
  expect(expendable(failed, KEEP)).toEqual([])
})

test('one that failed its test is deleted once a newer one is good', () => {
  const failed = daysAgo(5, 'failed')
  expect(expendable([daysAgo(6), failed, daysAgo(4)], KEEP)).toEqual([failed])
})
