import { LOG_MAX } from '../../contract/sets.ts'
import { type Database, type Sql, sql } from '../../db/database.ts'

/** What of a log goes to PostgreSQL: twice as much as is kept, since a character may take two places here. */
export const sent = (text: string) => text.slice(-2 * LOG_MAX).toWellFormed()

/** The end of a log, cut where characters are counted: half of one would never be whole again. */
export const kept = (log: Sql) => sql`right(${log}, ${LOG_MAX})`

/** Adds what a build printed since the last look; the oldest goes first when there is too much. */
export const append = (db: Database, buildId: number, text: string) =>
  db.count(sql`
    update build_runs set output_log = ${kept(sql`coalesce(output_log, '') || ${sent(text)}::text`)}, updated_at = now()
    where id = ${buildId}`)

export const replace = (db: Database, buildId: number, text: string) =>
  db.count(sql`
    update build_runs set output_log = ${kept(sql`${sent(text)}::text`)}, updated_at = now()
    where id = ${buildId}`)
