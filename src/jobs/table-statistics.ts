import { setTimeout as sleep } from 'node:timers/promises'
import { type Pool, raw, sql } from '../db/database.ts'
import type { WorkerContext } from './worker.ts'

const TICK_MS = 5_000
/** Of a smaller table any plan is good. */
const ROWS = 100

/**
 * Has PostgreSQL look at tables that have twice the rows it knows of. Statements are planned once, by what it knows: one that was planned
 * for an empty table may read all of a full one each time. Left to itself it looks once a minute, and a young service fills quickly.
 */
export async function analyzeGrown(db: Pool): Promise<string[]> {
  const grown = (
    await db.rows<{ name: string }>(sql`
      select quote_ident(c.relname) as name from pg_class c
      where c.relkind = 'r' and c.relnamespace = current_schema()::regnamespace
        and pg_stat_get_live_tuples(c.oid) > greatest(${ROWS}, 2 * c.reltuples)
      order by c.relname`)
  ).map(({ name }) => name)
  // A table that a migration or another node has locked is passed over.
  if (grown.length > 0) await db.execute(sql`analyze (skip_locked) ${raw(grown.join(', '))}`)
  return grown
}

interface TableStatistics {
  stop(): Promise<void>
}

/** Until stopped, on every node: who comes second finds nothing grown. */
export function startTableStatistics({ db, log }: Pick<WorkerContext, 'db' | 'log'>): TableStatistics {
  const stopped = new AbortController()
  const running = (async () => {
    while (!stopped.signal.aborted) {
      await analyzeGrown(db).catch((error: Error) => log.warn({ error: error.message }, 'tables could not be analyzed'))
      await sleep(TICK_MS, undefined, { signal: stopped.signal }).catch(() => {})
    }
  })()
  return {
    async stop() {
      stopped.abort()
      await running
    },
  }
}
