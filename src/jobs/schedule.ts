/** Times of the day at which recurring work is due, in minutes since midnight, UTC. */
export type Times = readonly number[]

const DAY = 24 * 60
const MINUTE_MS = 60_000

export const hourly = (minute: number): Times => Array.from({ length: 24 }, (_, hour) => 60 * hour + minute)
export const everyMinutes = (minutes: number): Times => Array.from({ length: DAY / minutes }, (_, i) => i * minutes)
/** `02:30` and so on. */
export const daily = (times: readonly string[]): Times =>
  times.map((time) => {
    const [hour, minute] = time.split(':').map(Number) as [number, number]
    return 60 * hour + minute
  })

export function nextTime(times: Times, after: Date): Date {
  const midnight = Math.floor(after.getTime() / (DAY * MINUTE_MS)) * DAY
  const upcoming = times
    .flatMap((minute) => [midnight + minute, midnight + DAY + minute])
    .map((minute) => minute * MINUTE_MS)
    .filter((time) => time > after.getTime())
  return new Date(Math.min(...upcoming))
}

/** Work that no node did in time is made up for within half a day, once; what is later, or due at no time of these settings, is skipped. */
const LATE_MS = 12 * 60 * MINUTE_MS
export const isDue = (times: Times, slot: Date, now: Date): boolean =>
  now.getTime() - slot.getTime() <= LATE_MS && times.includes((slot.getTime() / MINUTE_MS) % DAY)
