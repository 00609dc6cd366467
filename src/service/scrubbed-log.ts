import { mayHoldPrivate, scrub, scrubAll } from '../domain/privacy/scrub.ts'

interface Destination {
  write(line: string): unknown
  flush(): void
}

/** Removes addresses and credentials from our own log: error messages quote external text. */
export const scrubbedLog = (to: Destination): Destination & { flushSync(): void } => ({
  write: (line) => to.write(mayHoldPrivate(line) ? scrubLine(line) : line),
  flush: () => to.flush(),
  // Its own `flushSync` retries forever if nobody reads the lines any more, and the process could not end.
  flushSync: () => to.flush(),
})

function scrubLine(line: string): string {
  try {
    return `${JSON.stringify(scrubAll(JSON.parse(line)))}\n`
  } catch {
    return scrub(line)
  }
}
