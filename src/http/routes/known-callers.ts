import type { Ask, Caller } from '../../domain/access/access.ts'

const REMEMBERED_MAX = 10_000

/**
 * Recently authorized callers. Only a guess that saves a token lookup: a request that relies on it writes under the condition that the
 * caller still has the same rights, and authenticates again if nothing was written.
 */
export class KnownCallers {
  readonly #callers = new Map<string, Caller>()

  get(ask: Ask): Caller | undefined {
    const key = keyOf(ask)
    const caller = key === undefined ? undefined : this.#callers.get(key)
    return caller && { ...caller, address: ask.who.address }
  }

  note(ask: Ask, caller: Caller) {
    const key = keyOf(ask)
    if (key === undefined) return
    if (this.#callers.size >= REMEMBERED_MAX) this.#callers.clear()
    this.#callers.set(key, caller)
  }
}

/** Tokens only: a person with a session sends one write at a time. */
const keyOf = ({ who, project }: Ask) => ('hash' in who ? `${who.hash.toString('base64')} ${project}` : undefined)
