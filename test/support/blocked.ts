import { type Pool, type Sql, sql } from '../../src/db/database.ts'
import { until } from './until.ts'

/** Locks rows while `work` runs into them `count` times, so that all of them overlap; then releases them and awaits the results. */
export async function overlapping<T>(
  db: Pool,
  held: Sql,
  count: number,
  work: () => Promise<T>[],
): Promise<PromiseSettledResult<T>[]> {
  let running: Promise<PromiseSettledResult<T>[]> | undefined
  await db.transaction(async (holder) => {
    await holder.rows(held)
    running = Promise.allSettled(work())
    await until(async () => {
      const waiting = await db.one<{ count: number }>(sql`
        select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`)
      return waiting!.count >= count
    })
  })
  return running!
}
