import { AsyncLocalStorage } from 'node:async_hooks'

/** What a request or job may use in total, however many parts, pages or files it is made of. */
export interface Limits {
  /** Bytes once they are unpacked. */
  bytes: number
  /** Parsed values: of JSON what stands between its commas and brackets, of a test report its cases. */
  values: number
  /** Replies of other servers. */
  pages: number
  seconds: number
}

type Spent = 'bytes' | 'values' | 'pages'

const WORDS: Record<keyof Limits, (most: number) => string> = {
  bytes: (most) => `${most / 1024 / 1024} MiB once it is unpacked`,
  values: (most) => `${most} values or test cases`,
  pages: (most) => `${most} replies of the server`,
  seconds: (most) => `${most} seconds`,
}

/** A request or job uses more than it may. Repeating it doesn't help. */
export class OverBudget extends Error {
  override readonly name = 'OverBudget'
  /** Of the response, if it was a request. */
  readonly statusCode = 422
}

/** Counts what is used. What no longer fits is refused and not counted: its job may go on without it. */
export class Budget {
  readonly #limits: Limits
  readonly #left: Record<Spent, number>
  readonly #end: number

  constructor(limits: Limits) {
    this.#limits = limits
    this.#left = { bytes: limits.bytes, values: limits.values, pages: limits.pages }
    this.#end = performance.now() + 1000 * limits.seconds
  }

  spend(what: Spent, amount: number) {
    this.refuseIfLate()
    if (this.#left[what] < amount) throw this.#over(what)
    this.#left[what] -= amount
  }

  refuseIfLate() {
    if (performance.now() >= this.#end) throw this.#over('seconds')
  }

  /** Ends what still waits after the seconds. */
  get signal(): AbortSignal {
    return AbortSignal.timeout(Math.max(0, Math.ceil(this.#end - performance.now())))
  }

  #over(what: keyof Limits): OverBudget {
    return new OverBudget(`This takes more than ${WORDS[what](this.#limits[what])}, the limit of one request.`)
  }
}

const current = new AsyncLocalStorage<Budget>()

/** Runs work of which everything that it fetches and parses counts together. Inside, a part may have a budget of its own. */
export const within = <T>(limits: Limits, work: () => Promise<T>): Promise<T> => current.run(new Budget(limits), work)

/** The budget of the work that is running; undefined where no request and no job does. */
export const currentBudget = (): Budget | undefined => current.getStore()
