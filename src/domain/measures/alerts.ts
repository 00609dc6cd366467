import type { ReplyOf } from '../../contract/routes.ts'
import { type Database, type Sql, sql } from '../../db/database.ts'
import type { ProjectKey } from '../../db/project-key.ts'
import { changesBetween } from './changes-between.ts'
import { grownParts } from './grown-parts.ts'
import { seriesKey } from './series.ts'

export type Alert = ReplyOf<'listMeasureBudgets'>['alerts'][number]
type Stored = Omit<Alert, 'range' | 'grown'> & { since_build_run_id: string | null }

const ALERTS_MAX = 50
/** Looking up changes takes several statements each. */
const DETAILED_MAX = 10

const stored = (db: Database, { account_id, project_id }: ProjectKey, which: Sql): Promise<Stored[]> =>
  db.rows(sql`
    select a.id::text, a.kind, a.state, a.budget, a.measure as name, nullif(a.platform, '') as platform, nullif(a.unit, '') as unit, a.job, a.branch,
      a.value, a.allowed, a.since_build_run_id::text, a.build_run_id::text, a.change_id, a.user_id, iso(a.opened_at) as opened_at,
      iso(a.settled_at) as settled_at
    from measure_alerts a where a.account_id = ${account_id} and a.project_id = ${project_id} and ${which}`)

/** The keys of the series that are over a budget. */
export async function overBudget(db: Database, { account_id, project_id }: ProjectKey): Promise<Set<string>> {
  const found = await db.rows<Pick<Alert, 'job' | 'branch' | 'name' | 'platform'>>(sql`
    select job, branch, measure as name, nullif(platform, '') as platform from measure_alerts
    where account_id = ${account_id} and project_id = ${project_id} and state = 'open' and kind = 'exceeded'`)
  return new Set(found.map(seriesKey))
}

/** The newest first. */
export async function openAlerts(db: Database, project: ProjectKey): Promise<Alert[]> {
  const found = await stored(db, project, sql`a.state = 'open' order by a.opened_at desc, a.id desc limit ${ALERTS_MAX}`)
  const alerts: Alert[] = []
  for (const [at, alert] of found.entries()) alerts.push(await withDetails(db, project, alert, at < DETAILED_MAX))
  return alerts
}

export async function findAlert(db: Database, project: ProjectKey, id: string): Promise<Alert | undefined> {
  const [found] = await stored(db, project, sql`a.id = ${id}::bigint`)
  return found && withDetails(db, project, found, true)
}

/** With the changes since the last build under the budget, and what grew in them. A change that is no longer the only one is not named. */
async function withDetails(db: Database, project: ProjectKey, alert: Stored, detailed: boolean): Promise<Alert> {
  const { since_build_run_id: since, ...shown } = alert
  if (since === null || !detailed) return { ...shown, change_id: null, user_id: null, range: null, grown: [] }
  const range = await changesBetween(db, project, since, alert.build_run_id)
  const isOnly = range?.count === 1 && range.changes[0]!.id === alert.change_id
  return {
    ...shown,
    ...(isOnly ? {} : { change_id: null, user_id: null }),
    range,
    grown: alert.kind === 'exceeded' ? await grownParts(db, project.account_id, alert, since, alert.build_run_id) : [],
  }
}
