import { NO_BUDGET } from '../../contract/routes/measure-budgets.ts'
import type { ReplyOf } from '../../contract/routes.ts'
import { type Database, type Sql, sql } from '../../db/database.ts'
import type { ProjectKey } from '../../db/project-key.ts'
import { changesBetween } from './changes-between.ts'
import { grownParts } from './grown-parts.ts'
import { seriesKey } from './series.ts'

export type Alert = ReplyOf<'listMeasureBudgets'>['alerts'][number]
type Stored = Omit<Alert, 'range' | 'grown'> & { since_build_run_id: string | null }

/** Looking up the changes of each takes several statements. */
const ALERTS_MAX = 25

const stored = (db: Database, { account_id, project_id }: ProjectKey, which: Sql): Promise<Stored[]> =>
  db.rows(sql`
    select a.id::text, a.kind, a.state, ${JSON.stringify(NO_BUDGET)}::jsonb || a.budget as budget, a.measure as name,
      nullif(a.platform, '') as platform, nullif(a.configuration, '') as configuration, nullif(a.unit, '') as unit, a.job, a.branch,
      a.value, a.allowed, a.since_build_run_id::text, a.build_run_id::text, a.change_id, a.user_id, iso(a.opened_at) as opened_at,
      iso(a.settled_at) as settled_at
    from measure_alerts a where a.account_id = ${account_id} and a.project_id = ${project_id} and ${which}`)

/** The keys of the series that are over a budget. */
export async function overBudget(db: Database, { account_id, project_id }: ProjectKey): Promise<Set<string>> {
  const found = await db.rows<Pick<Alert, 'job' | 'branch' | 'name' | 'platform' | 'configuration'>>(sql`
    select job, branch, measure as name, nullif(platform, '') as platform, nullif(configuration, '') as configuration from measure_alerts
    where account_id = ${account_id} and project_id = ${project_id} and state = 'open' and kind = 'exceeded'`)
  return new Set(found.map(seriesKey))
}

/** The newest first. */
export async function openAlerts(db: Database, project: ProjectKey): Promise<{ alerts: Alert[]; has_more: boolean }> {
  const open = await stored(db, project, sql`a.state = 'open' order by a.opened_at desc, a.id desc limit ${ALERTS_MAX + 1}`)
  const alerts: Alert[] = []
  for (const alert of open.slice(0, ALERTS_MAX)) alerts.push(await withDetails(db, project, alert))
  return { alerts, has_more: open.length > ALERTS_MAX }
}

export async function findAlert(db: Database, project: ProjectKey, id: string): Promise<Alert | undefined> {
  const [found] = await stored(db, project, sql`a.id = ${id}::bigint`)
  return found && withDetails(db, project, found)
}

/** With the changes since the last build under the budget, and what grew in them. A change that is no longer the only one is not named. */
async function withDetails(db: Database, project: ProjectKey, alert: Stored): Promise<Alert> {
  const { since_build_run_id: since, ...shown } = alert
  if (since === null) return { ...shown, change_id: null, user_id: null, range: null, grown: [] }
  const range = await changesBetween(db, project, since, alert.build_run_id)
  const isOnly = range?.count === 1 && range.changes[0]!.id === alert.change_id
  return {
    ...shown,
    ...(isOnly ? {} : { change_id: null, user_id: null }),
    range,
    grown: alert.kind === 'exceeded' ? await grownParts(db, project.account_id, alert, since, alert.build_run_id) : [],
  }
}
