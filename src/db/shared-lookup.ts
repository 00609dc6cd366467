interface Lookup<V> {
  running: Promise<V>
  /** Begins when the running one has ended. */
  next: Promise<V> | undefined
}

/**
 * Callers that ask for the same at once share an answer. It is never older than their question: those that ask while a lookup runs wait for
 * the next one.
 */
export class SharedLookup<V> {
  readonly #lookups = new Map<string, Lookup<V>>()

  ask(key: string, look: () => Promise<V>): Promise<V> {
    const known = this.#lookups.get(key)
    if (!known) return this.#begin(key, look)
    known.next ??= known.running.then(
      () => this.#begin(key, look),
      () => this.#begin(key, look),
    )
    return known.next
  }

  #begin(key: string, look: () => Promise<V>): Promise<V> {
    const lookup: Lookup<V> = { running: look(), next: undefined }
    this.#lookups.set(key, lookup)
    const ended = () => {
      if (lookup.next === undefined) this.#lookups.delete(key)
    }
    lookup.running.then(ended, ended)
    return lookup.running
  }
}
