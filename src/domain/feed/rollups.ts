import type { Rollup } from '../../contract/shapes.ts'
import { type Database, sql } from '../../db/database.ts'
import { PASSED } from '../builds/statuses.ts'

const FRESH_MS = 5_000

/** The numbers above the feed: counted at most once in five seconds and account, and never twice at the same time. */
export class Rollups {
  readonly #kept = new Map<number, { at: number; rollup: Promise<Rollup> }>()

  read(db: Database, accountId: number): Promise<Rollup> {
    const kept = this.#kept.get(accountId)
    if (kept && performance.now() - kept.at < FRESH_MS) return kept.rollup
    const rollup = count(db, accountId)
    this.#kept.set(accountId, { at: performance.now(), rollup })
    rollup.catch(() => this.#kept.delete(accountId))
    return rollup
  }
}

const count = async (db: Database, accountId: number): Promise<Rollup> =>
  (await db.one<Rollup>(sql`
    select
      (select count(*) from changes where account_id = ${accountId} and orphaned_at is null
        and timestamp >= now() - interval '24 hours') as changes_24h,
      (select count(*) from build_runs where account_id = ${accountId} and status in ${PASSED}
        and happened_at >= now() - interval '24 hours') as builds_passed_24h,
      (select count(*) from build_runs where account_id = ${accountId} and status = 'failed'
        and happened_at >= now() - interval '24 hours') as builds_failed_24h,
      (select count(*) from tasks where account_id = ${accountId} and state <> 'completed') as open_tasks,
      (select count(*) from projects where account_id = ${accountId}) as total_projects,
      (select count(*) from projects where account_id = ${accountId} and status = 'active') as active_projects`))!
