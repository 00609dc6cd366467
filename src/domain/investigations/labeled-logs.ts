import type { FailureCategory } from '../../contract/sets.ts'
import { type Database, sql } from '../../db/database.ts'
import { logOf } from '../builds/stored-log.ts'

interface Labelled {
  id: number
  line: number | null
  category: FailureCategory | null
  log: string
}

interface Stored extends Omit<Labelled, 'log'> {
  log: string | null
  log_object: string | null
}

/** The logs of builds whose line or category a person corrected, oldest correction first. One at a time: a log is large. */
export async function* labeledLogs(db: Database, accountId: number): AsyncGenerator<Labelled> {
  for (let after = 0; ; ) {
    const found = await db.one<Stored>(sql`
      select c.id, c.line, c.category, b.output_log as log, b.log_object
      from corrections c join build_runs b on b.account_id = c.account_id and b.id = c.build_run_id
      where c.account_id = ${accountId} and c.id > ${after} and c.undone_at is null and (c.line is not null or c.category is not null)
      order by c.id limit 1`)
    if (!found) return
    const { log, log_object, ...label } = found
    const text = await logOf(db, { account_id: accountId, log, log_object })
    if (text) yield { ...label, log: text }
    after = found.id
  }
}
