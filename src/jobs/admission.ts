import { ASKS, FOR } from '../db/queue.ts'
import type { Breaker } from './breaker.ts'

/** Jobs that may run side by side in one process. */
export interface Limits {
  perOwner: number
  perServer: number
}

/**
 * Decides which waiting jobs a worker may take next. Owners take turns: whoever was served waits until nobody else does. An owner or a
 * server with enough jobs under way, and a server whose circuit is open, gets no more. Jobs that are not admitted stay in the queue
 * and hold no slot.
 */
export function openAdmission({ perOwner, perServer }: Limits, breaker: Breaker) {
  const running = new Map<string, number>()
  const served = new Set<string>()
  let last: Promise<void> = Promise.resolve()
  let next = () => {}

  const limitOf = (flag: string) => {
    if (flag.startsWith(FOR)) return perOwner
    return breaker.isHalfOpen(flag) ? 1 : perServer
  }
  const full = () => [...running].flatMap(([flag, count]) => (count >= limitOf(flag) ? [flag] : []))

  return {
    /**
     * The flags of jobs that must not be taken now. One worker at a time looks for a job, or all of them would take jobs of the same
     * owner before any of these counts; `taken`, `noneFound` or `broke` lets the next one look.
     */
    async forbidden(): Promise<string[]> {
      const before = last
      let done = () => {}
      last = new Promise((resolve) => {
        done = resolve
      })
      await before
      next = done
      return [...new Set([...served, ...full(), ...breaker.open()])]
    },
    taken(flags: readonly string[]) {
      for (const flag of flags.filter(counts)) {
        running.set(flag, (running.get(flag) ?? 0) + 1)
        if (flag.startsWith(FOR)) served.add(flag)
      }
      next()
    },
    /** True when there may be a job after all: everybody who was served may be served again. */
    noneFound(): boolean {
      const again = served.size > 0
      served.clear()
      next()
      return again
    },
    broke: () => next(),
    ended(flags: readonly string[]) {
      for (const flag of flags.filter(counts)) {
        const left = (running.get(flag) ?? 0) - 1
        if (left > 0) running.set(flag, left)
        else running.delete(flag)
      }
    },
  }
}

const counts = (flag: string) => flag.startsWith(FOR) || flag.startsWith(ASKS)
