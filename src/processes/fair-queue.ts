import { overloaded, rateLimited, stopping } from '../contract/errors.ts'

/** Waiting work, in total and of an account: a waiting request keeps its body in memory. */
const WAITING = { most: 64, ofAccount: 8 }
/** About as long as a full queue of one account takes. */
const RETRY_SECONDS = 10

/** For this long after another account's work, an account leaves the last place to others: work may take minutes. */
const SHARED_MS = 60_000

/** Of work that can be left out. */
const KEPT_FOR_OTHERS = 2

interface Waiter {
  begin(): void
  fail(error: Error): void
}

/** Work of which only so much runs at a time. */
export class FairQueue {
  #concurrency: number
  readonly #waitingMax: typeof WAITING
  /** By account, the next one first: an account with a lot of work does not block the others. */
  #waiting = new Map<number, Waiter[]>()
  /** By account. */
  #held = new Map<number, number>()
  #running = 0
  #last: number | undefined
  #sharedUntil = 0
  #stopped = false
  #onIdle = () => {}

  constructor(concurrency: number, waiting = WAITING) {
    this.#concurrency = concurrency
    this.#waitingMax = waiting
  }

  /** Processes of one node share its memory; called before the first request. */
  share(processes: number) {
    this.#concurrency = processes > 1 ? 1 : this.#concurrency
  }

  /** Runs work when there is room. */
  async enter<T>(accountId: number, work: () => Promise<T>): Promise<T> {
    if (this.#stopped) throw stopping()
    if (this.#last !== undefined && this.#last !== accountId) this.#sharedUntil = performance.now() + SHARED_MS
    this.#last = accountId
    if (this.#hasRoom(accountId)) this.#take(accountId)
    else await this.#turn(accountId)
    try {
      return await work()
    } finally {
      this.#running--
      this.#leave(accountId)
      this.#next()
      if (this.#running === 0) this.#onIdle()
    }
  }

  /** Runs work that can be left out; undefined if it is. The last two places are for accounts that have no work here. */
  tryEnter<T>(accountId: number, work: () => Promise<T>): Promise<T> | undefined {
    const places = this.#concurrency - (this.#held.has(accountId) ? KEPT_FOR_OTHERS : 0)
    return this.#running < places ? this.enter(accountId, work) : undefined
  }

  #hasRoom(accountId: number): boolean {
    const own = this.#held.get(accountId) ?? 0
    const isShared = performance.now() < this.#sharedUntil
    return this.#running < this.#concurrency && (own === 0 || !isShared || own < this.#concurrency - 1)
  }

  #take(accountId: number) {
    this.#running++
    this.#held.set(accountId, (this.#held.get(accountId) ?? 0) + 1)
  }

  #leave(accountId: number) {
    const left = this.#held.get(accountId)! - 1
    if (left > 0) this.#held.set(accountId, left)
    else this.#held.delete(accountId)
  }

  /** The slots are passed on directly: `#running` counts the waiter before it wakes up. */
  #next() {
    for (;;) {
      const [accountId, waiters] = [...this.#waiting].find(([account]) => this.#hasRoom(account)) ?? []
      if (accountId === undefined) return
      const { begin } = waiters!.shift()!
      this.#waiting.delete(accountId)
      if (waiters!.length > 0) this.#waiting.set(accountId, waiters!)
      this.#take(accountId)
      begin()
    }
  }

  #turn(accountId: number): Promise<void> {
    const own = this.#waiting.get(accountId) ?? []
    if (own.length >= this.#waitingMax.ofAccount) throw rateLimited(RETRY_SECONDS)
    if ([...this.#waiting.values()].flat().length >= this.#waitingMax.most) throw overloaded(RETRY_SECONDS)
    return new Promise((begin, fail) => {
      this.#waiting.set(accountId, [...own, { begin, fail }])
    })
  }

  /** Nothing starts from now on, and waiting requests get a response at once. Resolves when running work has ended. */
  stop(): Promise<void> {
    this.#stopped = true
    const refused = [...this.#waiting.values()].flat()
    this.#waiting.clear()
    return new Promise((ended) => {
      this.#onIdle = ended
      for (const { fail } of refused) fail(stopping())
      if (this.#running === 0) ended()
    })
  }
}
