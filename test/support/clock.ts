import { type Database, sql } from '../../src/db/database.ts'

/**
 * Moves the clock of a database forward, for the service, its workers and SQL alike. `by` is an interval as PostgreSQL reads it: `70 seconds`,
 * `8 days`. Everything that waits asks `goldmaster_now()`; a database of a test has a function of its own. Jobs that wait are done by
 * `workOffDue` of `work-off.ts`: a worker that runs keeps to the real time.
 */
export async function advanceClock(db: Database, by: string) {
  if (!(await hasClock(db))) await setUpClock(db)
  await db.execute(sql`update test_clock set ahead = ahead + ${by}::interval`)
}

/** Back to the real time, for the tests that follow on the same database. */
export async function resetClock(db: Database) {
  if (await hasClock(db)) await db.execute(sql`update test_clock set ahead = '0'`)
}

/** The time by that clock. */
export const clockTime = async (db: Database): Promise<Date> =>
  new Date((await db.one<{ at: string }>(sql`select goldmaster_now() as at`))!.at)

const hasClock = async (db: Database) =>
  (await db.one<{ yes: boolean }>(sql`select to_regclass('test_clock') is not null as yes`))!.yes

/** A row is moved in no time; replacing the function each time would throw every plan away that calls it. */
async function setUpClock(db: Database) {
  await db.execute(sql`create table test_clock as select interval '0' as ahead`)
  await db.execute(sql`
    create or replace function goldmaster_now() returns timestamptz language sql stable parallel safe
      return now() + (select ahead from test_clock)`)
}
