import { mayHoldPrivate, scrub, scrubAll } from './domain/privacy/scrub.ts'

interface Destination {
  write(line: string): unknown
  flush(): void
}

/** Takes addresses and credentials out of lines of our own log: messages of errors quote what others wrote. */
export const scrubbedLog = (to: Destination): Destination & { flushSync(): void } => ({
  write: (line) => to.write(mayHoldPrivate(line) ? scrubLine(line) : line),
  flush: () => to.flush(),
  // Its own `flushSync` tries again for ever when nobody reads the lines any more, and the process could not end.
  flushSync: () => to.flush(),
})

function scrubLine(line: string): string {
  try {
    return `${JSON.stringify(scrubAll(JSON.parse(line)))}\n`
  } catch {
    return scrub(line)
  }
}
