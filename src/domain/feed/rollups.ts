import type { Rollup } from '../../contract/shapes.ts'
import { type Database, raw, type Sql, sql } from '../../db/database.ts'
import { PASSED } from '../branches/build-statuses.ts'

const FRESH_MS = 5_000
const KEPT_MAX = 10_000

/** The account, or those of its projects that a user has access to. */
interface Counted {
  account_id: number
  project_ids: number[] | null
}

/** The counts above the feed: computed at most once in five seconds per account, and never twice at the same time. */
export class Rollups {
  readonly #kept = new Map<string, { at: number; rollup: Promise<Rollup> }>()

  read(db: Database, counted: Counted): Promise<Rollup> {
    const key = JSON.stringify([counted.account_id, counted.project_ids])
    const kept = this.#kept.get(key)
    if (kept && performance.now() - kept.at < FRESH_MS) return kept.rollup
    if (this.#kept.size >= KEPT_MAX) this.#kept.clear()
    const rollup = count(db, counted)
    this.#kept.set(key, { at: performance.now(), rollup })
    rollup.catch(() => this.#kept.delete(key))
    return rollup
  }
}

const count = async (db: Database, { account_id, project_ids }: Counted): Promise<Rollup> => {
  const within = (project: string): Sql =>
    project_ids === null
      ? sql`account_id = ${account_id}`
      : sql`account_id = ${account_id} and ${raw(project)} = any (${project_ids}::integer[])`
  const rows = within('project_id')
  return (await db.one<Rollup>(sql`
    select
      (select count(*) from changes where ${rows} and orphaned_at is null
        and timestamp >= now() - interval '24 hours') as changes_24h,
      (select count(*) from build_runs where ${rows} and status in ${PASSED} and kind = 'regular'
        and happened_at >= now() - interval '24 hours') as builds_passed_24h,
      (select count(*) from build_runs where ${rows} and status = 'failed' and kind = 'regular'
        and happened_at >= now() - interval '24 hours') as builds_failed_24h,
      (select count(*) from tasks where ${rows} and deleted_at is null and state <> 'completed') as open_tasks,
      (select count(*) from projects where ${within('id')}) as total_projects,
      (select count(*) from projects where ${within('id')} and status = 'active') as active_projects`))!
}
