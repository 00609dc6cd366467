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

/** Whether work is due at this time: the settings may have changed. */
export const isTime = (times: Times, slot: Date): boolean => times.includes((slot.getTime() / MINUTE_MS) % DAY)
