import { accountBusy } from '../../contract/errors.ts'
import { noteRequest } from '../../db/attention.ts'
import { Gate } from '../../db/gate.ts'
import type { Who } from '../../domain/access/access.ts'

/** Requests wait this long for a free slot, then they are refused. */
const TIMEOUT_MS = 15_000
/** For this long after another account's request, an account gets only its share. */
const SHARED_MS = 10_000
const REMEMBERED_MAX = 10_000

/**
 * How many requests of one account this node handles at a time: up to two thirds of its connections. While other accounts are active too,
 * it is one third, and an account whose requests queue pauses after each for as long as it took: even a few connections can keep every
 * processor busy.
 */
export class AccountShare {
  readonly #gate: Gate
  /** The account that a token or session had access to before. Only authorized callers count against an account. */
  readonly #accounts = new Map<string, number>()
  #last: number | string | undefined
  #sharedUntil = 0

  constructor(connections: number) {
    const part = (share: number) => Math.max(2, Math.floor(connections * share))
    const isShared = () => performance.now() < this.#sharedUntil
    this.#gate = new Gate({
      atOnce: () => part(isShared() ? 1 / 3 : 2 / 3),
      rest: () => (isShared() ? 1 : 0),
      timeout: TIMEOUT_MS,
      refusal: accountBusy,
    })
  }

  enter<T>(account: number | string, work: () => Promise<T>): Promise<T> {
    if (this.#last !== undefined && this.#last !== account) this.#sharedUntil = performance.now() + SHARED_MS
    this.#last = account
    return this.#admit(account, work)
  }

  /** What a person has of all accounts, such as the inbox: a queue of its own that does not count as another account. */
  enterOf<T>(userId: number, work: () => Promise<T>): Promise<T> {
    return this.#admit(`user ${userId}`, work)
  }

  #admit<T>(accountOrUserId: number | string, work: () => Promise<T>): Promise<T> {
    noteRequest()
    return this.#gate.enter(accountOrUserId, work)
  }

  /** For callers where `work` itself determines the account. Until then, a token or session has its own queue. */
  async enterAs<T>(
    who: Who,
    place: string,
    work: () => Promise<T>,
    accountOf: (result: T) => number | null | undefined,
  ): Promise<T> {
    const asked = `${'hash' in who ? who.hash.toString('base64') : who.session} ${place}`
    const result = await this.enter(this.#accounts.get(asked) ?? asked, work)
    const account = accountOf(result)
    if (account != null && this.#accounts.get(asked) !== account) {
      if (this.#accounts.size >= REMEMBERED_MAX) this.#accounts.clear()
      this.#accounts.set(asked, account)
    }
    return result
  }
}
