import { type Database, sql } from '../../src/db/database.ts'
import type { RecordKey } from '../../src/db/project-key.ts'
import { type Explain, run } from '../../src/domain/investigations/run-investigation.ts'

/** Runs an investigation by the id that the API returned. */
export async function runInvestigation(db: Database, id: unknown, explain?: Explain) {
  const key = await db.one<RecordKey>(sql`select account_id, id from investigations where id = ${Number(id)}`)
  return run(db, key!, explain)
}
