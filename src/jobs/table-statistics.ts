import { setTimeout as sleep } from 'node:timers/promises'
import { type Pool, raw, sql } from '../db/database.ts'
import type { WorkerContext } from './worker.ts'

const TICK_MS = 5_000
/** For a smaller table any plan is good. */
const ROWS = 100

/**
 * Analyzes tables with twice the rows of their statistics. Statements are planned once, by the statistics: one planned for an empty table
 * may read all of a full one each time. Autovacuum checks only once a minute, and a new service fills quickly.
 */
export async function analyzeGrown(db: Pool): Promise<string[]> {
  const grown = (
    await db.rows<{ name: string }>(sql`
      select quote_ident(c.relname) as name from pg_class c
      where c.relkind = 'r' and c.relnamespace = current_schema()::regnamespace
        and pg_stat_get_live_tuples(c.oid) > greatest(${ROWS}, 2 * c.reltuples)
      order by c.relname`)
  ).map(({ name }) => name)
  // A table that a migration or another node has locked is skipped.
  if (grown.length > 0) await db.execute(sql`analyze (skip_locked) ${raw(grown.join(', '))}`)
  return grown
}

interface TableStatistics {
  stop(): Promise<void>
}

/** Until stopped, on every node: a second one finds nothing to do. */
export function startTableStatistics({ db, log }: Pick<WorkerContext, 'db' | 'log'>): TableStatistics {
  const stopped = new AbortController()
  const running = (async () => {
    while (!stopped.signal.aborted) {
      await analyzeGrown(db).catch((error: Error) => log.warn({ error: error.message }, 'could not analyze tables'))
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
