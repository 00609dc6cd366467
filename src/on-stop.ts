import type { Logger } from 'pino'

const TIMEOUT_MS = 9_000
/** Ctrl-C comes from the terminal and once more from npm, which passes it on: within this time they are one signal. */
const SAME_SIGNAL_MS = 500

/** The first signal lets everything finish; a second, or too long a wait, ends at once. */
export function onStop(log: Logger, stop: () => Promise<void>, timeout = TIMEOUT_MS) {
  let since: number | undefined
  const end = (code: number) => {
    // The lines of the last moment tell how it ended.
    log.flush()
    process.exit(code)
  }
  for (const signal of ['SIGTERM', 'SIGINT'] as const)
    process.on(signal, () => {
      if (since !== undefined && performance.now() - since < SAME_SIGNAL_MS) return
      if (since !== undefined) end(1)
      since = performance.now()
      log.info({ signal }, 'stopping')
      setTimeout(() => end(1), timeout).unref()
      stop().then(
        () => end(0),
        (error) => {
          log.error({ err: error }, 'did not stop cleanly')
          end(1)
        },
      )
    })
}
