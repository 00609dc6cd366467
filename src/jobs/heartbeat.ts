import type { PoolClient } from 'pg'
import type { Logger } from 'pino'
import { type Pool, sql } from '../db/database.ts'

/** Our own kind of advisory lock. */
const KIND = 0x676f6c64
const EVERY_MS = 5_000
/** A worker that just began may not have shown itself yet. */
const GRACE_SECONDS = 10

/**
 * Workers show that they live by locks held in a session of their own, which ends with their process. What a dead one had begun is
 * handed to the living: without this, a job of a killed process would wait for hours.
 */
export function startHeartbeat(db: Pool, log: Logger) {
  const workers = new Set<string>()
  let session: { client: PoolClient; held: Set<string> } | undefined
  const drop = (client?: PoolClient) => {
    if (session === undefined || (client && session.client !== client)) return
    const lost = session
    session = undefined
    lost.client.release(true)
  }
  const show = async () => {
    if (session === undefined) {
      const client = await db.pool.connect()
      session = { client, held: new Set() }
      client.on('error', () => drop(client))
    }
    const { client, held } = session
    const missing = [...workers].filter((worker) => !held.has(worker))
    if (missing.length === 0) return
    const text = 'select w as worker from unnest($2::text[]) w where pg_try_advisory_lock($1, hashtext(w))'
    const { rows } = await client.query<{ worker: string }>(text, [KIND, missing]).catch((error: Error) => {
      drop(client)
      throw error
    })
    for (const { worker } of rows) held.add(worker)
  }
  // Missing twice in a row is dead; once may be a connection that is just being made again.
  let missing: string[] = []
  const look = async () => {
    try {
      await show()
      const now = await withoutPresence(db)
      const dead = now.filter((one) => missing.includes(one))
      missing = now
      if (dead.length === 0) return
      await reclaim(db, dead)
      log.warn({ workers: dead }, 'took over the jobs of workers that died')
    } catch (error) {
      log.warn({ error: (error as Error).message }, 'could not look for workers that died')
    }
  }
  let last: Promise<void> = Promise.resolve()
  let waiting = false
  /** One look at a time: a slow database is not asked more often. */
  const lookNext = () => {
    if (waiting) return
    waiting = true
    last = last.then(() => {
      waiting = false
      return look()
    })
  }
  const timer = setInterval(lookNext, EVERY_MS)
  return {
    join(worker: string) {
      workers.add(worker)
      lookNext()
    },
    /** Its lock stays until the session ends; nobody asks for it any more. */
    leave: (worker: string) => void workers.delete(worker),
    async end() {
      clearInterval(timer)
      await last
      drop()
    },
  }
}

export type Heartbeat = ReturnType<typeof startHeartbeat>

/** After this time an attempt counts even if its worker died: a job that ends every worker is given up in the end. */
const FREE_ATTEMPTS_DAYS = 1

/**
 * What they had begun may be taken by others, and the attempt that died with them doesn't count. A job that was replaced by a newer one of its
 * name while it ran, or canceled, is not tried again: the queue took its name and its remaining attempts.
 */
export const reclaim = (db: Pool, workers: string[]) =>
  db.transaction(async (db) => {
    await db.execute(sql`
      delete from graphile_worker._private_jobs
      where locked_by = any(${workers}) and key is null and attempts >= max_attempts and (last_error is null or updated_at > locked_at)`)
    await db.execute(sql`
      update graphile_worker._private_jobs set attempts = greatest(attempts - 1, 0)
      where locked_by = any(${workers}) and created_at > now() - make_interval(days => ${FREE_ATTEMPTS_DAYS})`)
    await db.execute(sql`
      update graphile_worker._private_jobs set last_error = coalesce(last_error, 'The node that worked on it ended.')
      where locked_by = any(${workers}) and attempts >= max_attempts`)
    await db.execute(sql`select graphile_worker.force_unlock_workers(${workers})`)
  })

/** Workers that hold jobs without showing themselves; taken ahead of now, a job was taken before the clock was set back. */
const withoutPresence = async (db: Pool): Promise<string[]> => {
  const rows = await db.rows<{ locked_by: string }>(sql`
    select distinct j.locked_by from graphile_worker._private_jobs j
    where abs(extract(epoch from now() - j.locked_at)) > ${GRACE_SECONDS} and not exists (
      select from pg_locks l
      where l.locktype = 'advisory' and l.granted and l.database = (select oid from pg_database where datname = current_database())
        and l.classid = ${KIND}::bigint::oid and l.objid = (hashtext(j.locked_by)::bigint & 4294967295)::oid)`)
  return rows.map(({ locked_by }) => locked_by)
}
