import type { PoolClient } from 'pg'
import type { Logger } from 'pino'
import { type Pool, sql } from '../db/database.ts'

/** Our own kind of advisory lock. */
const KIND = 0x676f6c64
const EVERY_MS = 5_000
/** A worker that just began may not have shown itself yet. */
const GRACE_SECONDS = 10

/**
 * A worker shows that it lives by holding a lock in a session of its own, which ends with it. What a dead one had begun is
 * handed to the living: without this, a job of a killed process would wait for hours.
 */
export function keepPresence(db: Pool, log: Logger, worker: string) {
  let session: PoolClient | undefined
  const show = async () => {
    if (session) return
    const client = await db.pool.connect()
    const lost = () => {
      if (session !== client) return
      session = undefined
      client.release(true)
    }
    client.on('error', lost)
    await client.query('select pg_advisory_lock($1, hashtext($2))', [KIND, worker]).then(
      () => {
        session = client
      },
      (error) => {
        client.release(true)
        throw error
      },
    )
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
      await handOver(db, dead)
      log.warn({ workers: dead }, 'took over the jobs of workers that died')
    } catch (error) {
      log.warn({ error: (error as Error).message }, 'could not look for workers that died')
    }
  }
  const timer = setInterval(look, EVERY_MS)
  const first = look()
  return {
    async end() {
      clearInterval(timer)
      await first
      const held = session
      session = undefined
      held?.release(true)
    },
  }
}

/** What they had begun may be taken by others. */
export const handOver = (db: Pool, workers: string[]) => db.count(sql`select graphile_worker.force_unlock_workers(${workers})`)

/** Workers that hold jobs without showing themselves. */
const withoutPresence = async (db: Pool): Promise<string[]> => {
  const rows = await db.rows<{ locked_by: string }>(sql`
    select distinct j.locked_by from graphile_worker._private_jobs j
    where j.locked_at < now() - make_interval(secs => ${GRACE_SECONDS}) and not exists (
      select from pg_locks l
      where l.locktype = 'advisory' and l.granted and l.database = (select oid from pg_database where datname = current_database())
        and l.classid = ${KIND}::bigint::oid and l.objid = (hashtext(j.locked_by)::bigint & 4294967295)::oid)`)
  return rows.map(({ locked_by }) => locked_by)
}
