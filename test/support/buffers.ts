import { type Database, type Sql, sql } from '../../src/db/database.ts'

/** How many buffers of PostgreSQL the statements of `work` read. Each runs twice, once to be measured. */
export async function buffersOf(db: Database, work: (db: Database) => Promise<unknown>): Promise<number> {
  let buffers = 0
  const measure = async (query: Sql) => {
    const [row] = await db.rows<{ 'QUERY PLAN': [{ Plan: Record<string, number> }] }>(
      sql`explain (analyze, buffers, timing off, format json) ${query}`,
    )
    const plan = row!['QUERY PLAN'][0].Plan
    buffers += plan['Shared Hit Blocks']! + plan['Shared Read Blocks']!
  }
  const measured =
    <T>(run: (query: Sql) => Promise<T>) =>
    async (query: Sql) => {
      await measure(query)
      return run(query)
    }
  await work({ ...db, rows: measured(db.rows), one: measured(db.one), execute: measured(db.execute) } as Database)
  return buffers
}
