import { mayHoldPrivate, scrub, scrubAll } from './domain/privacy/scrub.ts'

interface Destination {
  write(line: string): unknown
  flushSync(): void
}

/** Takes addresses and credentials out of lines of our own log: messages of errors quote what others wrote. */
export const scrubbedLog = (to: Destination): Destination & { flush(): void } => ({
  write: (line) => to.write(mayHoldPrivate(line) ? scrubLine(line) : line),
  flush: () => to.flushSync(),
  flushSync: () => to.flushSync(),
})

function scrubLine(line: string): string {
  try {
    return `${JSON.stringify(scrubAll(JSON.parse(line)))}\n`
  } catch {
    return scrub(line)
  }
}
