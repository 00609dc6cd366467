import { Writable } from 'node:stream'
import { type Logger, pino } from 'pino'

/** A log that a test can read back, line by line. */
export function keepLog(): { log: Logger; lines: Record<string, unknown>[]; text(): string } {
  const lines: Record<string, unknown>[] = []
  const kept = new Writable({
    write(chunk, _, done) {
      lines.push(JSON.parse(String(chunk)))
      done()
    },
  })
  return { log: pino({ level: 'trace' }, kept), lines, text: () => JSON.stringify(lines) }
}
