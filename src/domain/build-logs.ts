import { LOG_MAX } from '../contract/sets.ts'
import { type Database, sql } from '../db/database.ts'

/** The tail is cut by characters where it is stored; what is sent there is cut generously first. */
const sent = (text: string) => text.slice(-2 * LOG_MAX).toWellFormed()

/** Adds what a build printed since the last look; the oldest goes first when there is too much. */
export const append = (db: Database, buildId: number, text: string) =>
  db.count(sql`
    update build_runs set output_log = right(coalesce(output_log, '') || ${sent(text)}::text, ${LOG_MAX}), updated_at = now()
    where id = ${buildId}`)

export const replace = (db: Database, buildId: number, text: string) =>
  db.count(sql`
    update build_runs set output_log = right(${sent(text)}::text, ${LOG_MAX}), updated_at = now()
    where id = ${buildId}`)
