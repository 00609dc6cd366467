import { setTimeout as sleep } from 'node:timers/promises'
import { type Database, sql } from '../../db/database.ts'

/** Whether the database accepts writes: for load balancers and metrics. */
export interface Readiness {
  ready(): Promise<boolean>
  /** Notes a failed request: a full disk blocks writes that need new pages, and our probe may not need one. */
  note(error: unknown): void
}

/** The database is probed once at a time, and at most this often. */
const FRESH_MS = 1_000
/** Writes that fail or hang for this long end readiness. */
const UNREADY_AFTER_MS = 10_000
/** Nobody waits longer for a probe that hangs. */
const WAIT_MS = 2_000
/** A commit that takes this long waits for standbys that do not respond; PostgreSQL gives up in the end. */
const SLOW_MS = 4_000

const DISK_FULL = '53100'

/**
 * Commits a message to the database's WAL that nobody reads: no table, no row contention, nothing to clean up, and yet it fails or hangs
 * where a write would: on a standby, on a full WAL disk and without a quorum of standbys.
 */
const PROBE = sql`
  select pg_logical_emit_message(true, 'goldmaster', '') is not null as written, current_setting('transaction_read_only') = 'off' as writable`

export function openReadiness(db: Database, clock = () => performance.now(), wait = WAIT_MS): Readiness {
  let [probedAt, writtenAt, fullAt] = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY]
  let failing = true
  let probing: Promise<void> | undefined

  const probe = async () => {
    const began = clock()
    const writable = await db.one<{ writable: boolean }>(PROBE).then(
      (row) => row!.writable,
      () => false,
    )
    probedAt = clock()
    failing = !writable || probedAt - began >= SLOW_MS
    if (!failing) writtenAt = probedAt
  }
  return {
    async ready() {
      if (probing === undefined && clock() - probedAt >= FRESH_MS)
        probing = probe().finally(() => {
          probing = undefined
        })
      if (probing) await Promise.race([probing, sleep(wait, undefined, { ref: false })])
      const now = clock()
      return !failing && now - writtenAt <= UNREADY_AFTER_MS && now - fullAt > UNREADY_AFTER_MS
    },
    note(error) {
      if ((error as { code?: string } | null)?.code === DISK_FULL) fullAt = clock()
    },
  }
}
