import { type Database, type Pool, type Sql, sql } from '../../src/db/database.ts'

/** How many buffers of PostgreSQL the statements of `work` read. Each runs twice, once to be measured. */
export async function buffersOf(db: Database, work: (db: Database) => Promise<unknown>): Promise<number> {
  let buffers = 0
  const measure = async (query: Sql) => {
    // A setting is not planned.
    if (/^\s*(?:set|lock)\b/i.test(query.text)) return
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

/** A database that counts the buffers that its statements read, those inside transactions too. Each runs twice, once to be counted. */
export function countingBuffers(db: Pool): { db: Pool; read: () => number } {
  let buffers = 0
  const counting = <D extends Database>(one: D): D => {
    const run = async <T>(work: (db: Database) => Promise<T>) => {
      let result: T
      buffers += await buffersOf(one, async (db) => {
        result = await work(db)
      })
      return result!
    }
    return {
      ...one,
      rows: (query: Sql) => run((db) => db.rows(query)),
      one: (query: Sql) => run((db) => db.one(query)),
      execute: (query: Sql) => run((db) => db.execute(query)),
      transaction: (work: (db: Database) => Promise<unknown>) => one.transaction((inside) => work(counting(inside))),
    } as D
  }
  return { db: counting(db), read: () => buffers }
}
