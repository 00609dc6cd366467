import type { ApiError } from '../contract/errors.ts'

interface Line {
  running: number
  waiting: (() => void)[]
}

interface GateSettings {
  /** Pieces of work of one key at a time. */
  atOnce: number
  /** Who comes when so many wait already is refused. */
  waiting?: number
  /** Who waited longer is refused. */
  patience: number
  refusal: () => ApiError
}

/** Lets a few pieces of work of each key run at a time, first come, first served: one tenant's flood leaves connections to the others. */
export class Gate {
  readonly #lines = new Map<number, Line>()
  readonly #settings: GateSettings

  constructor(settings: GateSettings) {
    this.#settings = settings
  }

  async enter<T>(key: number, work: () => Promise<T>): Promise<T> {
    const line = this.#lines.get(key) ?? { running: 0, waiting: [] }
    this.#lines.set(key, line)
    if (line.running < this.#settings.atOnce) line.running++
    else await this.#placeIn(line)
    try {
      return await work()
    } finally {
      // Whoever leaves hands their place to the next in line.
      const next = line.waiting.shift()
      if (next) next()
      else if (--line.running === 0) this.#lines.delete(key)
    }
  }

  #placeIn({ waiting }: Line): Promise<void> {
    const { waiting: most = Number.POSITIVE_INFINITY, patience, refusal } = this.#settings
    if (waiting.length >= most) throw refusal()
    return new Promise<void>((resolve, reject) => {
      const enter = () => {
        clearTimeout(timer)
        resolve()
      }
      const timer = setTimeout(() => {
        waiting.splice(waiting.indexOf(enter), 1)
        reject(refusal())
      }, patience)
      waiting.push(enter)
    })
  }
}
