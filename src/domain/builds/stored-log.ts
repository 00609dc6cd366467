import { LOG_MAX } from '../../contract/limits.ts'
import { type Database, type Sql, sql } from '../../db/database.ts'
import * as objects from '../objects/objects.ts'
import { lastCharacters } from './log-text.ts'

/** Whether the build `b` has a log. */
export const hasLog = sql`(b.log_object is not null or coalesce(b.output_log, '') <> '')`

/** The hash of a log, wherever it is stored. */
const logHash = (
  build: Sql,
) => sql`case when ${build}.log_object is null then sha256(convert_to(coalesce(${build}.output_log, ''), 'UTF8'))
  else (select case when ${build}.output_log is null then o.sha256 else sha256(o.sha256 || convert_to(${build}.output_log, 'UTF8')) end
    from stored_objects o where o.id = ${build}.log_object and o.account_id = ${build}.account_id) end`

/** The hash of what an investigation reads: the log, and the test results if there are some. */
export const evidenceHash = (build: Sql) => sql`coalesce((
  select sha256(${logHash(build)} || (select string_agg(digest, '' order by at) from unnest(t.digests) with ordinality d (digest, at)))
  from test_builds t where t.account_id = ${build}.account_id and t.build_run_id = ${build}.id and t.digests <> '{}'), ${logHash(build)})`

interface LogParts {
  account_id: number
  log_object: string | null
  /** In the row: all of it, or what was printed since the rest was moved. */
  log: string | null
}

/** The log of a build, from its row or from object storage. */
export async function logOf(db: Database, { account_id, log_object, log }: LogParts): Promise<string | null> {
  if (log_object === null) return log
  const moved = (await objects.read(db, account_id, log_object)).toString('utf8')
  return log === null ? moved : lastCharacters(moved + log, LOG_MAX)
}

/** Replaces everything printed before, wherever it is stored. */
export const replacing = (log: Sql) => sql`output_log = ${log}, log_object = null`
