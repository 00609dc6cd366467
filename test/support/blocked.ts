import { type Database, type Pool, type Sql, sql } from '../../src/db/database.ts'
import { until } from './until.ts'

/**
 * Locks rows while `work` runs into them `count` times, so that all of them overlap; then does `meanwhile` in the locking transaction,
 * releases them and awaits the results.
 */
export async function overlapping<T>(
  db: Pool,
  held: Sql,
  count: number,
  work: () => Promise<T>[],
  meanwhile?: (holder: Database) => Promise<unknown>,
): Promise<PromiseSettledResult<T>[]> {
  let running: Promise<PromiseSettledResult<T>[]> | undefined
  await db.transaction(async (holder) => {
    await holder.rows(held)
    running = Promise.allSettled(work())
    await until(async () => (await waiting(db)) >= count)
    await meanwhile?.(holder)
  })
  return running!
}

/** Sessions that wait for a lock, on whichever server it is. */
export async function waiting(db: Pool): Promise<number> {
  const sessions = sql`select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
  const own = (await db.one<{ count: number }>(sessions))!.count
  if (!(await db.isDistributed())) return own
  const { count } = (await db.one<{ count: number }>(sql`
    select sum(result::bigint)::bigint as count from run_command_on_workers(${sessions.text})`))!
  return own + count
}
