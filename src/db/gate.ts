import type { ApiError } from '../contract/errors.ts'

interface Line {
  running: number
  waiting: (() => void)[]
}

const REST_MAX_MS = 1_000

/** A function if the number changes. */
type Setting = number | (() => number)

interface GateSettings {
  /** How much work of one key runs at a time. */
  atOnce: Setting
  /** Work that waited longer is refused, and never sooner: a caller refused at once would retry at once. Without it, work waits. */
  timeout?: number
  /** While others wait, a slot stays empty for this many times as long as it was used, and for a second at most. */
  rest?: Setting
  refusal: () => ApiError
}

const now = (setting: Setting): number => (typeof setting === 'number' ? setting : setting())

/** Runs a limited number of tasks per key at a time, first come, first served: one tenant's flood leaves connections to the others. */
export class Gate {
  readonly #lines = new Map<number | string, Line>()
  readonly #settings: GateSettings

  constructor(settings: GateSettings) {
    this.#settings = settings
  }

  /** `timeout`: of this work, instead of the gate's own. */
  async enter<T>(key: number | string, work: () => Promise<T>, timeout = this.#settings.timeout): Promise<T> {
    const line = this.#lines.get(key) ?? { running: 0, waiting: [] }
    this.#lines.set(key, line)
    if (line.running < now(this.#settings.atOnce)) line.running++
    else await this.#placeIn(line, timeout)
    const began = performance.now()
    try {
      return await work()
    } finally {
      const rest = now(this.#settings.rest ?? 0)
      if (rest === 0 || line.waiting.length === 0) this.#leave(key, line)
      else setTimeout(() => this.#leave(key, line), Math.min(rest * (performance.now() - began), REST_MAX_MS)).unref()
    }
  }

  /** The next tasks in the queue take the free slots. */
  #leave(key: number | string, line: Line) {
    line.running--
    for (const most = now(this.#settings.atOnce); line.waiting.length > 0 && line.running < most; line.running++)
      line.waiting.shift()!()
    if (line.running === 0) this.#lines.delete(key)
  }

  #placeIn({ waiting }: Line, timeout: number | undefined): Promise<void> {
    return new Promise<void>((resolve, reject) => {
      const enter = () => {
        clearTimeout(timer)
        resolve()
      }
      const timer =
        timeout &&
        setTimeout(() => {
          waiting.splice(waiting.indexOf(enter), 1)
          reject(this.#settings.refusal())
        }, timeout)
      waiting.push(enter)
    })
  }
}
