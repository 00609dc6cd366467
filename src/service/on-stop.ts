import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'

const TIMEOUT_MS = 8_000
/** After the timeout, the time for essential cleanup. */
const LEAVE_MS = 1_000
/** Ctrl-C is sent by the terminal and again by npm, which forwards it: within this time they are one signal. */
const SAME_SIGNAL_MS = 500
const PARENT_EVERY_MS = 500

interface Stopping {
  /** Aborted by the first signal. */
  signal: AbortSignal
  /** Sets the stop function. An earlier signal waits for this. */
  stopWith(stop: () => Promise<void>): void
  /** The minimum to do, even if there is no time to stop. */
  leaveWith(leave: () => Promise<void>): void
}

/** Handles signals from now on. The first one lets everything finish; a second one, or a timeout, ends at once. */
export function onStop(log: Logger, timeout = TIMEOUT_MS): Stopping {
  const stopping = new AbortController()
  let since: number | undefined
  let leave = async () => {}
  let stopWith = (_: () => Promise<void>) => {}
  const begun = new Promise<() => Promise<void>>((resolve) => {
    stopWith = resolve
  })
  const end = (code: number) => {
    // The last lines show how it ended.
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
          log.error({ err: error }, 'shutdown failed')
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

/** npm sends SIGTERM to the shell between it and us, which ends without forwarding it. */
function watchParent(onEnd: () => void) {
  const parent = process.ppid
  const timer = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(timer)
    onEnd()
  }, PARENT_EVERY_MS)
  timer.unref()
}
