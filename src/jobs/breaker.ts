import { backOff } from '../contract/back-off.ts'

/** Failures in a row after which the circuit opens. */
const FAILURES = 3
const FIRST_PAUSE_MS = 5_000
const LONGEST_PAUSE_MS = 300_000
/** Servers that failed once and were never called again must not use memory. */
const REMEMBERED = 10_000

interface Circuit {
  failures: number
  /** How often it opened without a response in between. */
  opened: number
  openUntil: number
}

/**
 * A circuit breaker per remote server. After a few failures a server is not called for a while; then one call checks whether it is back,
 * and each failed check doubles the pause. Uses a monotonic clock.
 */
export function openBreaker(now: () => number = () => performance.now(), random: () => number = Math.random) {
  const circuits = new Map<string, Circuit>()
  const isOpen = ({ openUntil }: Circuit) => now() < openUntil
  return {
    /** Servers that must not be called now. */
    open: (): string[] => [...circuits].flatMap(([server, circuit]) => (isOpen(circuit) ? [server] : [])),
    /** Servers that have not responded since their circuit opened, as long as something still calls them. */
    silent: (): string[] =>
      [...circuits].flatMap(([server, { opened, openUntil }]) =>
        opened > 0 && now() < openUntil + LONGEST_PAUSE_MS ? [server] : [],
      ),
    isOpen(server: string): boolean {
      const circuit = circuits.get(server)
      return circuit !== undefined && isOpen(circuit)
    },
    /** Its pause is over, and no call has succeeded yet: one call at a time. */
    isHalfOpen(server: string): boolean {
      const circuit = circuits.get(server)
      return circuit !== undefined && circuit.opened > 0 && !isOpen(circuit)
    },
    answered: (server: string) => void circuits.delete(server),
    /** How many milliseconds the server is not called, if this failure opens its circuit. */
    failed(server: string): number | undefined {
      const circuit = circuits.get(server) ?? { failures: 0, opened: 0, openUntil: 0 }
      circuits.set(server, circuit)
      if (circuits.size > REMEMBERED) circuits.delete(circuits.keys().next().value!)
      // Calls that were running when it opened add no information.
      if (isOpen(circuit)) return undefined
      circuit.failures++
      if (circuit.failures < FAILURES) return undefined
      circuit.opened++
      const pause = backOff(circuit.opened, { first: FIRST_PAUSE_MS, longest: LONGEST_PAUSE_MS, jitter: 0.1, random: random() })
      circuit.openUntil = now() + pause
      return pause
    },
  }
}

export type Breaker = ReturnType<typeof openBreaker>
