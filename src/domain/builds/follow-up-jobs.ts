import { type Database, sql } from '../../db/database.ts'
import type { ProjectKey, RecordKey } from '../../db/project-key.ts'
import { enqueue, enqueueAll } from '../../db/queue.ts'
import { eachRow } from '../accounts/isolation.ts'
import { IS_REGULAR, MAY_FAIL, PASSED, PASSED_OR_FAILED } from '../branches/build-statuses.ts'
import { hasLog } from './stored-log.ts'

/** Jobs that follow from an update of a build or of the changes it contains; in the transaction that wrote it. */

/** A breakage `k` that is neither fixed nor withdrawn. */
export const UNSETTLED = sql`k.state not in ('fixed', 'withdrawn')`

interface Due extends ProjectKey {
  job: string
}

/** The fix and this build may have been reported with different clocks. */
const CLOCKS = sql`interval '3 hours'`

export const scheduleBreakageCheck = (db: Database, { account_id, id }: RecordKey) => scheduleBreakageChecks(db, account_id, [id])

/** In the transaction that ended builds, if their jobs are hit by an open breakage, or were when the builds ran. */
export async function scheduleBreakageChecks(db: Database, accountId: number, builds: readonly number[]) {
  if (builds.length === 0) return
  const due = await db.rows<Due & { began_at: string; late: boolean }>(sql`
    select b.account_id, b.project_id, b.ci_job_name as job, b.began_at, hit.late
    from (select *, least(started_at, created_at) - ${CLOCKS} as began_at from build_runs
        where account_id = ${accountId} and id = any (${builds}::bigint[])) b, lateral (
      select bool_or(k.state = 'fixed') as late from breakages k
      where k.account_id = b.account_id and k.project_id = b.project_id and b.ci_job_name = any (k.jobs)
        and (${UNSETTLED} or k.fixed_at > b.began_at)) hit
    where hit.late is not null
    order by b.ci_job_name, b.id`)
  const checked = new Set<string>()
  for (const { began_at, late, ...job } of due) {
    const check = `${job.job} ${late ? began_at : ''}`
    if (checked.has(check)) continue
    checked.add(check)
    if (late) await enqueueCheck(db, job, { since: began_at })
    else await scheduleJobCheck(db, job)
  }
}

/** One check covers everything that happens before it runs. */
export const scheduleJobCheck = (db: Database, due: Due, delay = 0) => enqueueCheck(db, due, { delay })

const enqueueCheck = (
  db: Database,
  { account_id, project_id, job }: Due,
  { since, delay = 0 }: { since?: string; delay?: number },
) =>
  enqueue(
    db,
    'recompute_breakages',
    { account_id, project_id, job, ...(since !== undefined && { since }) },
    { account_id, name: `recompute ${project_id} ${since ?? (delay > 0 ? 'later' : 'now')} ${job}`, delay },
  )

/** A log may arrive after the failure; without one there is little to find, but people must be notified. */
const WAIT_FOR_LOG = 60
/** A log that grows after it was read is read again after this many seconds, with what it got until then. */
const LOG_REST = 10

/** Skips demo accounts and accounts with limited credits unless the project's settings say otherwise. */
export const WANTED = sql`coalesce(p.investigates_failures, a.credits is null) and not a.demo and a.swept_at is null`

interface LogDue {
  id: number
  is_failed: boolean
  is_wanted: boolean
  has_log: boolean
  is_known: boolean
  /** No report said for which platform or configuration it is. */
  is_unknown: boolean
}

export const scheduleInvestigation = (db: Database, { account_id, id }: RecordKey) =>
  enqueueAll(db, 'investigate_failure', account_id, [investigation(account_id, id, 0)])

const investigation = (account_id: number, id: number, delay: number) => ({
  payload: { account_id, build_run_id: id },
  name: `investigate build ${id}`,
  delay,
})

export const scheduleLogReading = (db: Database, { account_id, id }: RecordKey) => scheduleLogReadings(db, account_id, [id])

/** In the transaction that ended builds, or that changed the logs of ended ones: investigates failures, reads the logs of passes. */
export async function scheduleLogReadings(db: Database, account_id: number, builds: readonly number[]) {
  if (builds.length === 0) return
  const due = await db.rows<LogDue>(sql`
    select b.id, ${MAY_FAIL} as is_failed, ${WANTED} and b.import_id is null as is_wanted, ${hasLog} as has_log,
      exists (select from investigations i where i.account_id = b.account_id and i.build_run_id = b.id) as is_known,
      b.platform = '' or b.configuration = '' as is_unknown
    from build_runs b join projects p on p.account_id = b.account_id and p.id = b.project_id join accounts a on a.id = b.account_id
    where b.account_id = ${account_id} and b.id = any (${builds}::bigint[]) and b.status in ${PASSED_OR_FAILED}`)
  const delayOf = ({ is_known, has_log }: LogDue) => (is_known ? LOG_REST : has_log ? 0 : WAIT_FOR_LOG)
  await enqueueAll(
    db,
    'investigate_failure',
    account_id,
    due.filter((build) => build.is_failed && build.is_wanted).map((build) => investigation(account_id, build.id, delayOf(build))),
  )
  const read = due.filter(({ has_log, is_failed, is_unknown }) => has_log && (!is_failed || is_unknown))
  await enqueueAll(
    db,
    'read_log',
    account_id,
    read.map(({ id }) => ({ payload: { account_id, build_run_id: id }, name: `read log of build ${id}`, delay: LOG_REST })),
  )
}

/** In the transaction that stored test results of a build. */
export const scheduleTestJudging = (db: Database, { account_id, id }: RecordKey) =>
  enqueue(db, 'judge_tests', { account_id, test_build_id: id }, { account_id, name: `judge tests ${id}` })

/** In the transaction that ended builds: their test results may have arrived before. */
export async function scheduleTestsOf(db: Database, accountId: number, builds: readonly number[]) {
  if (builds.length === 0) return
  const tests = await db.rows<RecordKey>(sql`
    select account_id, id from test_builds where account_id = ${accountId} and build_run_id = any (${builds}::bigint[]) order by id`)
  for (const one of tests) await scheduleTestJudging(db, one)
}

/** Logs of parallel builds are read one after the other: one look covers them. */
const MEASURES_REST = 5

/** In the transaction that stored measures of a job, or changed the budgets of a project. */
export const scheduleMeasures = (db: Database, { account_id, project_id }: ProjectKey, job?: string) =>
  enqueue(
    db,
    'judge_measures',
    { account_id, project_id, ...(job !== undefined && { job }) },
    { account_id, name: `judge measures ${project_id} ${job ?? ''}`, delay: MEASURES_REST },
  )

/** In the transaction that stored measures of builds, if their project has budgets. */
export async function scheduleMeasuresOf(db: Database, accountId: number, builds: readonly number[]) {
  if (builds.length === 0) return
  const due = await db.rows<Due>(sql`
    select distinct b.account_id, b.project_id, b.ci_job_name as job
    from build_runs b join projects p on p.account_id = b.account_id and p.id = b.project_id and p.measure_budgets <> '[]'
    where b.account_id = ${accountId} and b.id = any (${builds}::bigint[]) and b.status in ${PASSED} and ${IS_REGULAR}
    order by job`)
  for (const one of due) await scheduleMeasures(db, one, one.job)
}

/** Every project with budgets: a measure may no longer come, or another build is live. */
export async function scheduleAllMeasures(db: Database) {
  const projects = await db.rows<ProjectKey>(sql`
    select account_id, id as project_id from projects where measure_budgets <> '[]' and deleted_at is null order by account_id, id`)
  await eachRow(db, 'judge_all_measures', projects, (project) => scheduleMeasures(db, project))
}

/** How long after a build a change in its range may arrive. */
export const LATE = sql`interval '24 hours'`
/** Changes arrive in bursts: one check covers all of them. */
const BURST = 2

/** Whether a project has failed builds whose range a new change could be in. */
export const hasRecentFailures = (project: ProjectKey) => sql`exists (
  select from build_runs b where b.account_id = ${project.account_id} and b.project_id = ${project.project_id} and b.verdict = 'failed'
    and b.created_at > goldmaster_now() - ${LATE})`

/** Call it in the transaction that stores changes on branches, if `hasRecentFailures`. */
export const scheduleReviews = (db: Database, { account_id, project_id }: ProjectKey) =>
  enqueue(db, 'review_ranges', { account_id, project_id }, { account_id, name: `review ranges ${project_id}`, delay: BURST })

/** In the transaction that ended a bisecting build, or found its cause: its search goes on, if the service started it. */
export async function scheduleBisection(db: Database, { account_id, id }: RecordKey) {
  const search = await db.one<{ bisection_id: number }>(sql`
    select bisection_id from bisection_builds where account_id = ${account_id} and build_run_id = ${id}`)
  if (search)
    await enqueue(db, 'advance_bisection', { account_id, ...search }, { account_id, name: `bisection ${search.bisection_id}` })
}
