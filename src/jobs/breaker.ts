/** Failures in a row after which a server is left alone. */
const FAILURES = 3
const FIRST_PAUSE_MS = 5_000
const LONGEST_PAUSE_MS = 300_000
/** Servers that failed once and were never asked again need no memory. */
const REMEMBERED = 10_000

interface Circuit {
  failures: number
  /** How often it opened without an answer in between. */
  opened: number
  openUntil: number
}

/**
 * A circuit breaker per remote server. A server that did not answer a few times is left alone for a while; then one call finds out
 * whether it is back, and each such call in vain doubles the pause. Time is taken from a clock that nobody sets.
 */
export function openBreaker(now: () => number = () => performance.now(), random: () => number = Math.random) {
  const circuits = new Map<string, Circuit>()
  const isOpen = ({ openUntil }: Circuit) => now() < openUntil
  return {
    /** Servers that must not be asked now. */
    open: (): string[] => [...circuits].flatMap(([server, circuit]) => (isOpen(circuit) ? [server] : [])),
    /** Servers that were left alone and have not answered since, for as long as somebody still asks them. */
    silent: (): string[] =>
      [...circuits].flatMap(([server, { opened, openUntil }]) =>
        opened > 0 && now() < openUntil + LONGEST_PAUSE_MS ? [server] : [],
      ),
    isOpen(server: string): boolean {
      const circuit = circuits.get(server)
      return circuit !== undefined && isOpen(circuit)
    },
    /** Its pause is over, and no call has shown yet that it is back: one call at a time. */
    isHalfOpen(server: string): boolean {
      const circuit = circuits.get(server)
      return circuit !== undefined && circuit.opened > 0 && !isOpen(circuit)
    },
    answered: (server: string) => void circuits.delete(server),
    /** Milliseconds for which the server is left alone, if this failure is the one that opens its circuit. */
    failed(server: string): number | undefined {
      const circuit = circuits.get(server) ?? { failures: 0, opened: 0, openUntil: 0 }
      circuits.set(server, circuit)
      if (circuits.size > REMEMBERED) circuits.delete(circuits.keys().next().value!)
      // Calls that were under way when it opened say nothing new.
      if (isOpen(circuit)) return undefined
      circuit.failures++
      if (circuit.failures < FAILURES && circuit.opened === 0) return undefined
      const pause = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** circuit.opened) * (0.9 + random() * 0.2)
      circuit.opened++
      circuit.openUntil = now() + pause
      return pause
    },
  }
}

export type Breaker = ReturnType<typeof openBreaker>
