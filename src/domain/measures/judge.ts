import { type MeasureBudget, NO_BUDGET } from '../../contract/routes/measure-budgets.ts'
import type { MeasureAlertKind } from '../../contract/sets.ts'
import { type Database, sql } from '../../db/database.ts'
import { when } from '../../db/page.ts'
import type { ProjectKey } from '../../db/project-key.ts'
import { writersOf } from '../changes/writers.ts'
import { budgetsOf, store } from './budgets.ts'
import { changesBetween } from './changes-between.ts'
import { type LiveBuild, liveBuilds } from './live-builds.ts'
import { groupsFor, type Series, seriesIn } from './series.ts'
import { type Crossing, crossingOf, isBudgeted, mayHaveBudgeted, missingSince } from './verdict.ts'

interface Due extends ProjectKey {
  /** Only measures of this job; all if absent. */
  job?: string
}

/** A budget and a series that it is about. */
interface Budgeted {
  budget: MeasureBudget
  series: Series
}

type AlertedSeries = Pick<Series, 'name' | 'platform' | 'configuration' | 'job' | 'branch'>

const budgetKey = (budget: MeasureBudget) => JSON.stringify(Object.entries(budget).sort(([a], [b]) => (a < b ? -1 : 1)))

const keyOf = (kind: MeasureAlertKind, budget: MeasureBudget, { name, platform, configuration, job, branch }: AlertedSeries) =>
  JSON.stringify([kind, name, platform ?? '', configuration ?? '', job, branch, budgetKey(budget)])

/** Groups whose builds are read at once. */
const GROUPS_READ = 50

/** Opens an alert for each measure that has crossed its budget or no longer comes, and settles those of measures that are back. */
export const judgeMeasures = (db: Database, due: Due) =>
  db.transaction(async (db) => {
    const budgets = await budgetsOf(db, due, sql`for no key update`)
    if (!budgets) return
    const open = await openAlerts(db, due)
    if (budgets.length > 0) {
      const { groups } = await groupsFor(db, due, { job: due.job })
      const budgeted = groups.filter((group) => budgets.some((budget) => mayHaveBudgeted(budget, group)))
      const live = await liveBuilds(db, due)
      for (let at = 0; at < budgeted.length; at += GROUPS_READ) {
        const all = await seriesIn(db, due, budgeted.slice(at, at + GROUPS_READ))
        if (adoptUnits(budgets, all)) await store(db, due, budgets)
        for (const budget of budgets)
          for (const series of all.filter((one) => isBudgeted(budget, one))) await judge(db, due, { budget, series }, live, open)
      }
    }
    await forgetObsolete(db, due, budgets)
  })

/**
 * A budget without a unit takes that of the oldest value that it is about, if these all measure the same: from then on 20,000 ms are 20 s.
 * Whether one has.
 */
function adoptUnits(budgets: MeasureBudget[], all: readonly Series[]): boolean {
  let adopted = false
  for (const budget of budgets) {
    if (budget.unit !== '' || budget.max_value === null) continue
    const units = new Set(all.filter((series) => isBudgeted(budget, series)).map(({ points }) => points[0]!.unit))
    const [unit, ...others] = units
    if (unit == null || others.length > 0) continue
    budget.unit = unit
    adopted = true
  }
  return adopted
}

/** The ids of open alerts by their keys. */
async function openAlerts(db: Database, { account_id, project_id, job }: Due): Promise<Map<string, string>> {
  const rows = await db.rows<AlertedSeries & { id: string; kind: MeasureAlertKind; budget: MeasureBudget }>(sql`
    select id::text, kind, ${JSON.stringify(NO_BUDGET)}::jsonb || budget as budget, measure as name, platform, configuration, job, branch
    from measure_alerts
    where account_id = ${account_id} and project_id = ${project_id} and state = 'open' ${when(job, (name) => sql`and job = ${name}`)}`)
  return new Map(rows.map(({ id, kind, budget, ...series }) => [keyOf(kind, budget, series), id]))
}

/** Alerts of a budget that was removed or a branch that was deleted. Nobody is told that they are settled. */
const forgetObsolete = (db: Database, { account_id, project_id }: ProjectKey, budgets: readonly MeasureBudget[]) =>
  db.execute(sql`
    delete from measure_alerts a where a.account_id = ${account_id} and a.project_id = ${project_id} and a.state = 'open'
      and (${JSON.stringify(NO_BUDGET)}::jsonb || a.budget <> all (${budgets.map((budget) => JSON.stringify(budget))}::jsonb[])
        or exists (select from branches b where b.account_id = a.account_id and b.project_id = a.project_id and b.name = a.branch
          and b.deleted_at is not null))`)

/** Once per crossing: an alert that is open stays as it is until the measure is back. */
async function judge(
  db: Database,
  project: ProjectKey,
  about: Budgeted,
  live: readonly LiveBuild[],
  open: ReadonlyMap<string, string>,
) {
  const { budget, series } = about
  const crossing = crossingOf(budget, series, live)
  const exceeded = open.get(keyOf('exceeded', budget, series))
  if (crossing?.over && exceeded === undefined) await openExceeded(db, project, about, crossing)
  if (crossing && !crossing.over && exceeded !== undefined)
    await settle(db, project, exceeded, { value: crossing.value, allowed: crossing.allowed, unit: series.unit })
  const missing = open.get(keyOf('missing', budget, series))
  const stopped = missingSince(series)
  if (stopped && missing === undefined)
    await insert(db, project, 'missing', about, { since: stopped.since.build_run_id, first: stopped.first })
  if (missing !== undefined && series.without.length === 0)
    await settle(db, project, missing, { value: series.points.at(-1)!.value, allowed: null, unit: series.unit })
}

/** Names a change only if it is the only one in the range, and its author only then. */
async function openExceeded(
  db: Database,
  project: ProjectKey,
  about: Budgeted,
  { since, first, attributable, ...crossing }: Crossing,
) {
  const range = since && (await changesBetween(db, project, since.build_run_id, first!.build_run_id))
  const change_id = attributable && range?.count === 1 ? range.changes[0]!.id : null
  const writer = change_id === null ? undefined : (await writersOf(db, project, [change_id])).get(change_id)
  await insert(db, project, 'exceeded', about, {
    ...{ value: crossing.value, allowed: crossing.allowed, change_id },
    since: since?.build_run_id ?? null,
    first: first!.build_run_id,
    user_id: writer?.user_id ?? null,
  })
}

interface Found {
  since: string | null
  first: string
  value?: number
  allowed?: number
  change_id?: number | null
  user_id?: number | null
}

const insert = (db: Database, project: ProjectKey, kind: MeasureAlertKind, { budget, series }: Budgeted, found: Found) =>
  db.execute(sql`
    insert into measure_alerts (account_id, project_id, kind, budget, measure, platform, configuration, unit, job, branch, value, allowed,
      since_build_run_id, build_run_id, change_id, user_id, opened_at, updated_at)
    values (${project.account_id}, ${project.project_id}, ${kind}, ${JSON.stringify(budget)}::jsonb, ${series.name}, ${series.platform ?? ''},
      ${series.configuration ?? ''}, ${series.unit ?? ''}, ${series.job}, ${series.branch}, ${found.value ?? null}, ${found.allowed ?? null}, ${found.since}, ${found.first},
      ${found.change_id ?? null}, ${found.user_id ?? null}, goldmaster_now(), goldmaster_now())
    on conflict do nothing`)

interface Level {
  value: number
  allowed: number | null
  unit: string | null
}

const settle = (db: Database, { account_id }: ProjectKey, id: string, { value, allowed, unit }: Level) =>
  db.execute(sql`
    update measure_alerts set state = 'settled', value = ${value}, allowed = ${allowed}, unit = ${unit ?? ''}, settled_at = goldmaster_now(),
      updated_at = goldmaster_now()
    where account_id = ${account_id} and id = ${id}`)
