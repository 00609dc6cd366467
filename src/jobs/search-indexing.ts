import { setTimeout as sleep } from 'node:timers/promises'
import { indexSome } from '../domain/search-index.ts'
import type { Bench } from './worker.ts'

/** How long a new record may be found by way of the queue alone. */
const TICK_MS = 1_000
/** A backlog takes at most a fifth of a core from whoever writes and reads. */
const REST = 4

export interface Indexing {
  stop(): Promise<void>
}

/** Indexes what search is to find, account after account, until stopped. One node at a time does so. */
export function startIndexing({ db, log }: Pick<Bench, 'db' | 'log'>): Indexing {
  const stopped = new AbortController()
  const running = (async () => {
    let account: number | undefined = 0
    while (!stopped.signal.aborted) {
      const began = performance.now()
      account = await indexSome(db, account ?? 0).catch((error: Error) => {
        log.warn({ error: error.message }, 'search waits for the database')
        return undefined
      })
      const pause = account === undefined ? TICK_MS : REST * (performance.now() - began)
      await sleep(pause, undefined, { signal: stopped.signal }).catch(() => {})
    }
  })()
  return {
    async stop() {
      stopped.abort()
      await running
    },
  }
}
