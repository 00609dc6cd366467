import { randomOf } from '../../../src/demo/random.ts'
/** Failures in transit or at the vendor; `after` means that the message has arrived anyway. */
export const FAULTS = ['429', '500', '503', '504 after', 'hang before', 'hang after', 'reset before', 'reset after'] as const
export type Fault = (typeof FAULTS)[number]

export interface FaultSchedule {
  seed: number
  /** The share of requests that fail. */
  share: number
  kinds?: readonly Fault[]
}

/** Which requests fail, and how: injected ones first, then by the schedule. */
export function openFaults(schedule?: FaultSchedule) {
  const random = randomOf(schedule?.seed ?? 0)
  const { share = 0, kinds = FAULTS } = schedule ?? {}
  const asked = new Map<string, Fault[]>()
  return {
    /** The next requests to a room fail like this. */
    inject: (room: string, ...faults: Fault[]) => void asked.set(room, [...(asked.get(room) ?? []), ...faults]),
    next: (room: string): Fault | undefined =>
      asked.get(room)?.shift() ?? (random() < share ? kinds[Math.floor(random() * kinds.length)] : undefined),
  }
}
