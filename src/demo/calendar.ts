import type { Random } from './random.ts'

export const MINUTE = 60_000
export const HOUR = 60 * MINUTE
export const DAY = 24 * HOUR
export const WEEKS = 6

export const iso = (time: number) => new Date(time).toISOString()

/** How busy an hour is: office hours with a lunch break, a little in the evening, next to nothing at weekends. */
function busy(time: number): number {
  const date = new Date(time)
  const hour = date.getUTCHours()
  const weekend = date.getUTCDay() % 6 === 0
  const ofDay = hour < 7 || hour > 21 ? 0 : hour < 9 || hour > 18 ? 0.25 : hour === 12 ? 0.4 : 1
  return ofDay * (weekend ? 0.12 : 1)
}

/** This many times within the six weeks before `until`, in order, in the rhythm of a studio. */
export function workTimes(count: number, until: number, random: Random): number[] {
  const hours: { start: number; before: number; weight: number }[] = []
  let total = 0
  for (let start = until - WEEKS * 7 * DAY; start < until; start += HOUR) {
    const weight = busy(start)
    if (weight > 0) hours.push({ start, before: total, weight })
    total += weight
  }
  let at = 0
  return Array.from({ length: count }, (_, i) => {
    const spot = ((i + random.next()) / count) * total
    while (hours[at + 1] && hours[at + 1]!.before <= spot) at++
    const { start, before, weight } = hours[at]!
    return Math.floor(start + ((spot - before) / weight) * HOUR)
  })
}

/** Two in the morning (UTC) of every day of the six weeks. */
export function nights(now: number): number[] {
  const last = Math.floor(now / DAY) * DAY + 2 * HOUR
  return Array.from({ length: WEEKS * 7 }, (_, i) => last - (WEEKS * 7 - 1 - i) * DAY).filter((night) => night < now)
}
