import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { type Database, openDatabase, type Pool, sql } from './database.ts'

/** The primary's position: every acknowledged commit is before it. Null while it is a standby itself. */
export const POSITION = sql`case when not pg_is_in_recovery() then pg_current_wal_flush_lsn() end`

export interface Positioned {
  position: string | null
}

/** A standby that takes reads off the primary and never returns older data: if it is behind, the primary is read. */
export interface Replica {
  /** Reads from a server that has everything up to `position`. `read` may run twice, the second time on the primary. */
  read<T>(position: string | null, read: (db: Database) => Promise<T>): Promise<T>
  /** How many reads each server had. */
  readonly reads: Readonly<Record<'replica' | 'primary', number>>
  close(): Promise<void>
}

/** Shorter than on the primary: a read that timed out here must still run there. */
const TIMEOUT_MS = 1_000
/** A healthy standby is only a moment behind; waiting that long costs less than using the primary. */
const WAITS_MS = [1, 2, 4]
/** How long one that is unreachable or behind is not used. */
const PAUSE_MS = 1_000

export function openReplica(url: string, primary: Pool, log: Logger): Replica {
  const pool = openDatabase(url, {
    connectTimeout: TIMEOUT_MS,
    statementTimeout: TIMEOUT_MS,
    impatient: true,
    verify: (db) => verifyTwin(primary, db),
  })
  const reads = { replica: 0, primary: 0 }
  let troubled = false
  let pausedUntil = 0
  const mayAsk = () => {
    if (!troubled) return true
    if (performance.now() < pausedUntil) return false
    // One request tries for all.
    pausedUntil = performance.now() + PAUSE_MS
    return true
  }
  const fell = (reason: string) => {
    pausedUntil = performance.now() + PAUSE_MS
    if (!troubled) log.warn({ reason }, 'reading lists from the primary')
    troubled = true
  }
  const served = () => {
    reads.replica++
    if (troubled) log.info('reading lists from the replica again')
    troubled = false
  }
  return {
    reads,
    close: pool.close,
    async read(position, read) {
      if (position !== null && mayAsk())
        try {
          const found = await pool.onOneConnection(async (db) =>
            (await hasReached(db, position)) ? { answer: await read(db) } : undefined,
          )
          if (found) {
            served()
            return found.answer
          }
          fell('the replica is behind')
        } catch (error) {
          // A host with several addresses fails without a message.
          const { message, code } = error as NodeJS.ErrnoException
          fell(message || String(code))
        }
      reads.primary++
      return read(primary)
    },
  }
}

/** A separate statement before the read, on the same connection: a read sees what was replayed when it started. */
async function hasReached(db: Database, position: string): Promise<boolean> {
  for (const wait of [...WAITS_MS, 0]) {
    const found = await db.one<{ reached: boolean | null }>(
      sql`select pg_is_in_recovery() and pg_last_wal_replay_lsn() >= ${position}::pg_lsn as reached`,
    )
    if (found?.reached) return true
    if (wait > 0) await sleep(wait)
  }
  return false
}

const IDENTITY = sql`
  select concat_ws('/', system_identifier, current_database()) as name, pg_is_in_recovery() as standby from pg_control_system()`

interface Identity {
  name: string
  standby: boolean
}

/** Positions are comparable only within one cluster, and another database's records must never be read here. */
async function verifyTwin(primary: Database, db: Database) {
  const [ours, theirs] = [await primary.one<Identity>(IDENTITY), await db.one<Identity>(IDENTITY)]
  if (!theirs?.standby || theirs.name !== ours?.name) throw new Error('DATABASE_REPLICA_URL is not a replica of DATABASE_URL')
}
