export interface Rate {
  perSecond: number
  /** How many may come at once. */
  burst: number
}

/** Timers may fire a little early. */
const TOLERANCE_MS = 50

/** The rate limit of a room, and whether its writer waits as long as required. */
export function openPace(rate: Rate | undefined, violations: string[]) {
  const buckets = new Map<string, { tokens: number; at: number }>()
  const waiting = new Map<string, number>()
  return {
    /** Asks to wait for this many seconds. */
    rest: (room: string, seconds: number) => void waiting.set(room, performance.now() + seconds * 1000),
    /** Seconds to wait before a room can be written to; 0: now. */
    wait(room: string): number {
      const now = performance.now()
      const until = waiting.get(room)
      if (until !== undefined && now < until - TOLERANCE_MS)
        violations.push(`${room}: came back ${Math.round(until - now)} ms before Retry-After had passed`)
      waiting.delete(room)
      if (rate === undefined) return 0
      const { tokens, at } = buckets.get(room) ?? { tokens: rate.burst, at: now }
      const filled = Math.min(rate.burst, tokens + ((now - at) / 1000) * rate.perSecond)
      const missing = Math.max(0, 1 - filled)
      buckets.set(room, { tokens: missing > 0 ? filled : filled - 1, at: now })
      return Math.ceil(missing / rate.perSecond)
    },
  }
}
