/** How much of each kind is done. */
type Progress = Readonly<Record<string, number>>

const TERMINAL_EVERY_MS = 100
const PLAIN_EVERY_MS = 5000

interface ProgressOutput {
  isTTY?: boolean
  columns?: number
  write(text: string): unknown
}

/** One updating line on a terminal, a line now and then elsewhere; quick loads print nothing until they are done. */
export function showProgress(out: ProgressOutput, now = Date.now) {
  const began = now()
  let shown = began
  let last: Progress = {}
  const line = () => {
    const lists = Object.entries(last).map(([list, count]) => `${count.toLocaleString('en')} ${list}`)
    return `${lists.join(', ')} (${Math.round((now() - began) / 1000)} s)`
  }
  return {
    update(progress: Progress) {
      last = progress
      if (now() - shown < (out.isTTY ? TERMINAL_EVERY_MS : PLAIN_EVERY_MS)) return
      shown = now()
      out.write(out.isTTY ? `\r\u001b[K${line().slice(0, (out.columns ?? 80) - 1)}` : `${line()}\n`)
    },
    clear() {
      if (out.isTTY) out.write('\r\u001b[K')
    },
    /** Everything is written. */
    end() {
      this.clear()
      if (Object.keys(last).length > 0) out.write(`${line()}\n`)
    },
  }
}
