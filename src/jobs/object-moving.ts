import { backOff } from '../contract/back-off.ts'
import type { ObjectStore, Pool } from '../db/database.ts'
import { LEASES } from '../db/queue.ts'
import { oneByOne, turnOf } from '../domain/accounts/isolation.ts'
import { move, removeUnused } from '../domain/retention/move-to-objects.ts'
import { accountsDue } from '../domain/retention/objects-due.ts'
import { type Lanes, startLanes } from './lanes.ts'
import type { WorkerContext } from './worker.ts'

/** Accounts whose values are moved in parallel, and uploads of each: suitable for a small store, with little memory. */
const ACCOUNTS = 4
const UPLOADS = 4
/** Per account, before the next account's turn. */
const BATCH = 100
/** Accounts checked per query. */
const LOOK = 200
/** The pause when no account had anything to do. */
const IDLE_MS = 60_000
/** An unreachable store is retried after a second, with growing delays. */
const FIRST_PAUSE_MS = 1_000
const LONGEST_PAUSE_MS = 300_000

interface Moving extends Pick<WorkerContext, 'log'> {
  db: Pool
  objects: ObjectStore
  /** The pauses without work, and after a failure. */
  pauses?: { idle: number; first: number }
}

/** As operators see it. */
const WORK = 'move_to_objects'

/**
 * Moves large values into the object store and removes unused objects, account by account, until stopped. An account for which it fails
 * rests alone; if it fails for two accounts and succeeds for none in between, the store is away and all pause.
 */
export function startMovingObjects({ db, log, objects, pauses = { idle: IDLE_MS, first: FIRST_PAUSE_MS } }: Moving): Lanes {
  let [after, found, notBefore, failures] = [0, false, 0, 0]
  const failing = new Set<number>()
  const rest = { first: pauses.first / 1000, longest: LONGEST_PAUSE_MS / 1000 }

  async function run({ id, signal, stopping }: { id: number; signal: AbortSignal; stopping(): boolean }): Promise<number> {
    const work = async () => {
      const removed = await removeUnused(db, objects, id, { limit: BATCH, signal })
      const moved = stopping() ? 0 : await move(db, objects, id, { atOnce: UPLOADS, limit: BATCH / 2, signal })
      // An account without anything to do did not ask the store.
      if (removed + moved === 0) return
      failing.clear()
      failures = 0
    }
    const isOutage = () => failing.add(id).size > 1
    try {
      await oneByOne(db, WORK, [id], work, { signal, isOutage, rest })
    } catch (error) {
      if (signal.aborted) return 0
      const pause = backOff(++failures, { first: pauses.first, longest: LONGEST_PAUSE_MS })
      notBefore = performance.now() + pause
      log.warn(
        { account: id, error: (error as Error).message, seconds: pause / 1000 },
        'moving data to the object store failed; pausing',
      )
    }
    return 0
  }

  async function due({ busy }: { busy: number[] }): Promise<number[]> {
    if (performance.now() < notBefore || busy.length >= ACCOUNTS) return []
    const { accounts: all, last } = await accountsDue(db, after, LOOK)
    const { accounts } = await turnOf(db, WORK, all)
    const free = accounts.filter((id) => !busy.includes(id)).slice(0, ACCOUNTS - busy.length)
    found ||= accounts.length > 0
    // Accounts without a free slot come first in the next round.
    after = free.length > 0 && free.length < accounts.length ? Math.max(...free) : (last ?? 0)
    if (last === undefined) {
      if (!found) notBefore = performance.now() + pauses.idle
      found = false
    }
    return free
  }

  return startLanes(
    { db, log },
    { name: 'object store', lease: LEASES.objects, fill: async () => false, due, run, close: () => {} },
  )
}
