import { LOG_MAX } from '../../contract/limits.ts'
import { type Database, type Sql, sql } from '../../db/database.ts'
import type { RecordKey } from '../../db/project-key.ts'
import { scheduleLogReading } from './follow-up-jobs.ts'
import { heard } from './lost.ts'
import { replacing } from './stored-log.ts'

/** The part of a log that is sent to PostgreSQL: twice as much as is kept, since a character may have length two here. */
export const sent = (text: string) => text.slice(-2 * LOG_MAX).toWellFormed()

/** The end of a log, cut by characters: a byte cut could split one. */
export const kept = (log: Sql) => sql`right(${log}, ${LOG_MAX})`

/** A log as it is stored. PostgreSQL takes a millisecond to count the characters of 256 kB, so it counts only if there may be too many. */
export const stored = (text: string) => {
  const log = sql`${sent(text)}::text`
  return text.length > LOG_MAX ? kept(log) : log
}

/** Appends what a build printed since the last read; the oldest part is dropped if there is too much. */
export const append = (db: Database, build: RecordKey, text: string) =>
  write(db, build, sql`output_log = ${kept(sql`coalesce(output_log, '') || ${sent(text)}::text`)}`)

export const replace = (db: Database, build: RecordKey, text: string) => write(db, build, replacing(stored(text)))

async function write(db: Database, build: RecordKey, log: Sql) {
  await db.execute(sql`
    with heard as (${heard(build)})
    update build_runs set ${log}, updated_at = now(), lost_at = null,
      progressed_at = case when coalesce(progressed_at, '-infinity') < now() - interval '1 second' then now() else progressed_at end
    where account_id = ${build.account_id} and id = ${build.id}`)
  await scheduleLogReading(db, build)
}
