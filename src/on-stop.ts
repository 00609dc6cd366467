import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'

const TIMEOUT_MS = 8_000
/** Out of patience, the time for what must not stay behind. */
const LEAVE_MS = 1_000
/** Ctrl-C comes from the terminal and once more from npm, which passes it on: within this time they are one signal. */
const SAME_SIGNAL_MS = 500
const PARENT_EVERY_MS = 500

interface Stopping {
  /** Aborted by the first signal. */
  signal: AbortSignal
  /** How to stop. A signal that came before waits for this. */
  stopWith(stop: () => Promise<void>): void
  /** What is done at least, even when there is no time to stop. */
  leaveWith(leave: () => Promise<void>): void
}

/** Handles signals from now on. The first one lets everything finish; a second one, or too long a wait, ends at once. */
export function onStop(log: Logger, timeout = TIMEOUT_MS): Stopping {
  const stopping = new AbortController()
  let since: number | undefined
  let leave = async () => {}
  let stopWith = (_: () => Promise<void>) => {}
  const begun = new Promise<() => Promise<void>>((resolve) => {
    stopWith = resolve
  })
  const end = (code: number) => {
    // The lines of the last moment tell how it ended.
    log.flush()
    process.exit(code)
  }
  const giveUp = async () => {
    await Promise.race([leave().catch(() => {}), sleep(LEAVE_MS)])
    end(1)
  }
  const stop = (reason: string) => {
    if (since !== undefined) {
      if (performance.now() - since >= SAME_SIGNAL_MS) void giveUp()
      return
    }
    since = performance.now()
    log.info({ signal: reason }, 'stopping')
    stopping.abort()
    setTimeout(giveUp, timeout).unref()
    begun
      .then((stop) => stop())
      .then(
        () => end(0),
        (error) => {
          log.error({ err: error }, 'did not stop cleanly')
          void giveUp()
        },
      )
  }
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => stop(signal))
  if (process.env.npm_lifecycle_event !== undefined) watchParent(() => stop('SIGHUP'))
  return {
    signal: stopping.signal,
    stopWith,
    leaveWith(how) {
      leave = how
    },
  }
}

/** npm sends SIGTERM to the shell between it and us, which ends without passing it on. */
function watchParent(onEnd: () => void) {
  const parent = process.ppid
  const timer = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(timer)
    onEnd()
  }, PARENT_EVERY_MS)
  timer.unref()
}
