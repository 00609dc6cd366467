import { setTimeout as sleep } from 'node:timers/promises'
import { oneByOne } from '../domain/accounts/isolation.ts'
import { indexAccount, nextAccount, queueUnindexed } from '../domain/search/index.ts'
import type { WorkerContext } from './worker.ts'

/** How long a new record may be found only through the queue. */
const TICK_MS = 1_000
/** A backlog takes at most a tenth of a core from reads and writes. */
const REST = 9
const HOUR_MS = 3_600_000

/** As operators see it. */
const WORK = 'index_search'

interface Indexing {
  stop(): Promise<void>
}

/** Indexes records for search, account by account, until stopped. One node at a time. */
export function startIndexing({ db, log }: Pick<WorkerContext, 'db' | 'log'>): Indexing {
  const stopped = new AbortController()
  const running = (async () => {
    let account: number | undefined
    let checkedAt = Number.NEGATIVE_INFINITY
    while (!stopped.signal.aborted) {
      const began = performance.now()
      let [worked, isResting, isRound] = [false, false, true]
      try {
        if (began - checkedAt > HOUR_MS) {
          await queueUnindexed(db)
          checkedAt = began
        }
        const next = await nextAccount(db, account ?? 0)
        isRound = next === undefined || next <= (account ?? 0)
        account = next
        const [indexed] = next === undefined ? [] : await oneByOne(db, WORK, [next], (id) => indexAccount(db, id))
        worked = indexed ?? false
        isResting = next !== undefined && indexed === undefined
      } catch (error) {
        log.warn({ account, error: (error as Error).message }, 'search indexing failed')
      }
      // An account that can't be indexed holds up no other.
      const pause = worked ? REST * (performance.now() - began) : isResting && !isRound ? 0 : TICK_MS
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
