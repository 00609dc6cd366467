import { clientGone, overloaded, rateLimited, stopping } from '../contract/errors.ts'

/** Waiting work, in total and per account: a waiting request keeps its body in memory. */
const WAITING_MAX = 64
const WAITING_MAX_OF_ACCOUNT = 8
/** About as long as a full queue of one account takes. */
const RETRY_SECONDS = 10

interface Waiter {
  begin(): void
  fail(error: Error): void
}

/** Work of which only so much runs at a time. */
export class FairQueue {
  #concurrency: number
  /** By account, the next one first: an account with a lot of work does not block the others. */
  #waiting = new Map<number, Waiter[]>()
  #running = 0
  #stopped = false
  #onIdle = () => {}

  constructor(concurrency: number) {
    this.#concurrency = concurrency
  }

  /** Processes of one node share its memory; called before the first request. */
  share(processes: number) {
    this.#concurrency = processes > 1 ? 1 : this.#concurrency
  }

  /** Runs work when there is room. Work whose caller left before it started is dropped. */
  async enter<T>(accountId: number, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    if (this.#stopped) throw stopping()
    if (this.#running >= this.#concurrency) await this.#turn(accountId, signal)
    else this.#running++
    try {
      return await work()
    } finally {
      this.#running--
      this.#next()
      if (this.#running === 0) this.#onIdle()
    }
  }

  /** The slot is passed on directly: `#running` counts the waiter before it wakes up. */
  #next() {
    const [accountId, waiters] = this.#waiting.entries().next().value ?? []
    if (accountId === undefined || this.#running >= this.#concurrency) return
    const { begin } = waiters!.shift()!
    this.#waiting.delete(accountId)
    if (waiters!.length > 0) this.#waiting.set(accountId, waiters!)
    this.#running++
    begin()
  }

  #turn(accountId: number, signal: AbortSignal | undefined): Promise<void> {
    const own = this.#waiting.get(accountId) ?? []
    if (own.length >= WAITING_MAX_OF_ACCOUNT) throw rateLimited(RETRY_SECONDS)
    if ([...this.#waiting.values()].flat().length >= WAITING_MAX) throw overloaded(RETRY_SECONDS)
    return new Promise((begin, fail) => {
      const waiter = { begin, fail }
      this.#waiting.set(accountId, [...own, waiter])
      signal?.addEventListener('abort', () => this.#leave(accountId, waiter), { once: true })
    })
  }

  #leave(accountId: number, waiter: Waiter) {
    const others = this.#waiting.get(accountId)?.filter((one) => one !== waiter) ?? []
    if (others.length > 0) this.#waiting.set(accountId, others)
    else this.#waiting.delete(accountId)
    waiter.fail(clientGone())
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
