import { type Database, raw, sql } from '../../src/db/database.ts'

/**
 * Moves the clock of a database forward, for the service, its workers and SQL alike. `by` is an interval as PostgreSQL reads it: `70 seconds`,
 * `8 days`. Everything that waits asks `goldmaster_now()`; a database of a test has a function of its own. Jobs that wait are done by
 * `workOffDue` of `work-off.ts`: a worker that runs keeps to the real time.
 */
export async function advanceClock(db: Database, by: string) {
  const { ahead } = (await db.one<{ ahead: number }>(sql`
    select round(extract(epoch from goldmaster_now() - now() + ${by}::interval) * 1000)::float8 as ahead`))!
  await db.execute(sql`
    create or replace function goldmaster_now() returns timestamptz language sql stable parallel safe
      return now() + ${raw(String(ahead))} * interval '1 millisecond'`)
}

/** Back to the real time, for the tests that follow on the same database. */
export const resetClock = (db: Database) =>
  db.execute(sql`create or replace function goldmaster_now() returns timestamptz language sql stable parallel safe return now()`)

/** The time by that clock. */
export const clockTime = async (db: Database): Promise<Date> =>
  new Date((await db.one<{ at: string }>(sql`select goldmaster_now() as at`))!.at)
