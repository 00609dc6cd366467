import type { MeasureBudget } from '../../contract/routes/measure-budgets.ts'
import type { MeasureAlertKind } from '../../contract/sets.ts'
import { type Database, sql } from '../../db/database.ts'
import { when } from '../../db/page.ts'
import type { ProjectKey } from '../../db/project-key.ts'
import { writersOf } from '../changes/writers.ts'
import { changesBetween } from './changes-between.ts'
import { type LiveBuild, liveBuilds } from './live-builds.ts'
import { type Series, seriesOf } from './series.ts'
import { type Crossing, crossingOf, isBudgeted, missingSince } from './verdict.ts'

interface Due extends ProjectKey {
  /** Only measures of this job; all if absent. */
  job?: string
}

interface Open {
  id: string
  key: string
}

/** A budget and a series that it is about. */
interface Budgeted {
  budget: MeasureBudget
  series: Series
}

const keyOf = (kind: MeasureAlertKind, { budget, series: { name, platform, job, branch } }: Budgeted) =>
  JSON.stringify([kind, name, platform ?? '', job, branch, ...Object.entries(budget).sort(([a], [b]) => (a < b ? -1 : 1))])

/** Opens an alert for each measure that has crossed its budget or no longer comes, and settles those of measures that are back. */
export const judgeMeasures = (db: Database, due: Due) =>
  db.transaction(async (db) => {
    const project = await db.one<{ budgets: MeasureBudget[] }>(sql`
      select measure_budgets as budgets from projects
      where account_id = ${due.account_id} and id = ${due.project_id} and deleted_at is null for no key update`)
    if (!project) return
    const open = new Map((await openAlerts(db, due)).map((alert) => [alert.key, alert.id]))
    if (project.budgets.length === 0 && open.size === 0) return
    const all = await seriesOf(db, due, { job: due.job })
    const live = await liveBuilds(db, due)
    for (const budget of project.budgets)
      for (const series of all.filter((one) => isBudgeted(budget, one))) await judge(db, due, { budget, series }, live, open)
    // What is left has no budget or no builds anymore: nobody is told that it is settled.
    await db.execute(sql`
      delete from measure_alerts where account_id = ${due.account_id} and id = any (${[...open.values()]}::bigint[])`)
  })

async function openAlerts(db: Database, { account_id, project_id, job }: Due): Promise<Open[]> {
  const rows = await db.rows<{
    id: string
    kind: MeasureAlertKind
    budget: MeasureBudget
    measure: string
    platform: string
    job: string
    branch: string
  }>(sql`
    select id::text, kind, budget, measure, platform, job, branch from measure_alerts
    where account_id = ${account_id} and project_id = ${project_id} and state = 'open' ${when(job, (name) => sql`and job = ${name}`)}`)
  return rows.map(({ id, kind, budget, measure, ...series }) => ({
    id,
    key: keyOf(kind, { budget, series: { ...series, name: measure } as Series }),
  }))
}

/** Takes the alerts that are still about something out of `open`. */
async function judge(db: Database, project: ProjectKey, about: Budgeted, live: readonly LiveBuild[], open: Map<string, string>) {
  const [over, missing] = [keyOf('exceeded', about), keyOf('missing', about)]
  const crossing = crossingOf(about.budget, about.series, live)
  if (crossing) {
    const known = open.get(over)
    if (crossing.over && known === undefined) await openExceeded(db, project, about, crossing)
    if (!crossing.over && known !== undefined) await settle(db, project, known, crossing.value)
    open.delete(over)
  }
  const known = open.get(missing)
  const stopped = missingSince(about.series)
  if (stopped && known === undefined)
    await insert(db, project, 'missing', about, { since: stopped.since.build_run_id, first: stopped.first })
  if (known !== undefined && about.series.without.length === 0)
    await settle(db, project, known, about.series.points.at(-1)!.value)
  open.delete(missing)
}

/** Names a change only if it is the only one in the range, and its author only then. */
async function openExceeded(db: Database, project: ProjectKey, about: Budgeted, { since, first, steep, ...crossing }: Crossing) {
  const range = since && (await changesBetween(db, project, since.build_run_id, first!.build_run_id))
  const change_id = steep && range?.count === 1 ? range.changes[0]!.id : null
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
    insert into measure_alerts (account_id, project_id, kind, budget, measure, platform, unit, job, branch, value, allowed,
      since_build_run_id, build_run_id, change_id, user_id, opened_at, updated_at)
    values (${project.account_id}, ${project.project_id}, ${kind}, ${JSON.stringify(budget)}::jsonb, ${series.name}, ${series.platform ?? ''},
      ${series.unit ?? ''}, ${series.job}, ${series.branch}, ${found.value ?? null}, ${found.allowed ?? null}, ${found.since}, ${found.first},
      ${found.change_id ?? null}, ${found.user_id ?? null}, goldmaster_now(), goldmaster_now())
    on conflict do nothing`)

const settle = (db: Database, { account_id }: ProjectKey, id: string, value: number) =>
  db.execute(sql`
    update measure_alerts set state = 'settled', value = ${value}, settled_at = goldmaster_now(), updated_at = goldmaster_now()
    where account_id = ${account_id} and id = ${id}`)
