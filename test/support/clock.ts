import { type Database, sql } from '../../src/db/database.ts'

/**
 * Moves the clock of a database forward, for the service, its workers and SQL alike. `by` is a PostgreSQL interval: `70 seconds`, `8 days`.
 * Waiting times use `goldmaster_now()`, which a test database replaces. Run delayed jobs with `workOffDue` of `work-off.ts`: a running worker
 * uses the real time.
 */
export async function advanceClock(db: Database, by: string) {
  if (!(await hasClock(db))) await setUpClock(db)
  await db.execute(sql`update test_clock set ahead = ahead + ${by}::interval`)
}

/** Resets the clock for later tests on the same database. */
export async function resetClock(db: Database) {
  if (await hasClock(db)) await db.execute(sql`update test_clock set ahead = '0'`)
}

/** The time by that clock. */
export const clockTime = async (db: Database): Promise<Date> =>
  new Date((await db.one<{ at: string }>(sql`select goldmaster_now() as at`))!.at)

const hasClock = async (db: Database) =>
  (await db.one<{ yes: boolean }>(sql`select to_regclass('test_clock') is not null as yes`))!.yes

/** The offset is a row: replacing the function each time would discard every query plan that calls it. */
async function setUpClock(db: Database) {
  await db.execute(sql`create table test_clock as select interval '0' as ahead`)
  if (await db.isDistributed()) {
    // Each server reads its copy; a function in SQL would be part of a statement that sees none of them.
    await db.execute(sql`select create_reference_table('test_clock')`)
    await db.execute(sql`
      create or replace function goldmaster_now() returns timestamptz language plpgsql stable parallel safe as $$
        begin return now() + (select ahead from test_clock); end $$`)
    return
  }
  await db.execute(sql`
    create or replace function goldmaster_now() returns timestamptz language sql stable parallel safe
      return now() + (select ahead from test_clock)`)
}
