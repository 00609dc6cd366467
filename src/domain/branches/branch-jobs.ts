import type { BuildStatus } from '../../contract/sets.ts'
import { type Database, sql } from '../../db/database.ts'
import type { ProjectKey } from '../../db/project-key.ts'
import { matchesBranch } from './branch-names.ts'
import { byNumber } from './build-order.ts'
import { IS_REGULAR } from './build-statuses.ts'
import { fullLabelOf, nameOfJob } from './job-labels.ts'
import { BRANCH, positionOn } from './positions.ts'

/** A branch that was built, with its jobs and when each of them last reported. */
export interface Built {
  name: string
  /** By `build_job`: the same name on two platforms is two jobs. */
  jobs: { job: string; at: string }[]
  /** Null unless the branch was deleted. */
  deleted_at: string | null
}

export interface Requirement {
  branch: string
  jobs: string[]
}

export const requiredJobs = async (db: Database, { account_id, project_id }: ProjectKey) =>
  (await db.one<{ required_jobs: Requirement[] }>(
    sql`select required_jobs from projects where account_id = ${account_id} and id = ${project_id}`,
  ))!.required_jobs

export interface Run {
  id: number
  job: string
  status: BuildStatus
  /** What it counts as; null until it passed or failed. */
  verdict: 'passed' | 'failed' | null
  build_number: string
  commit_hash: string
  changelist: string
  lost_at: string | null
  at: string
  arrived_at: string
  position: number | null
}

const DAY_MS = 86_400_000
const RECENT_DAYS = 30
/** A job without a build for this long, while the others report this many, was retired or renamed. */
const SILENT_DAYS = 7
const OTHERS_REPORTED = 20

/** A job that a branch must pass to be good. */
export interface RequiredJob {
  job: string
  /** The name in the project's settings that requires it; undefined if all of the branch's jobs are required. */
  setting?: string
}

/**
 * The jobs that the project's settings name for the branch; otherwise those that reported in the days before its newest build. A name without
 * platform requires the job on every platform; one such as `Game (PS5)` only on that.
 */
export function jobsOf({ name, jobs }: Built, required: readonly Requirement[]): RequiredJob[] {
  const named = required.find(({ branch }) => matchesBranch(branch, name))
  const newest = Math.max(...jobs.map(({ at }) => Date.parse(at)))
  const isRecent = ({ at }: Built['jobs'][number]) => Date.parse(at) >= newest - RECENT_DAYS * DAY_MS
  if (!named) return jobs.filter(isRecent).map(({ job }) => ({ job }))
  const all = named.jobs.flatMap((setting) => {
    const own = jobs.filter(({ job }) => [job, nameOfJob(job), fullLabelOf(job)].includes(setting))
    const recent = own.length > 1 ? own.filter(isRecent) : own
    const shown = recent.length > 0 ? recent : own
    return shown.length === 0 ? [{ job: setting, setting }] : shown.map(({ job }) => ({ job, setting }))
  })
  return all.filter(({ job }, at) => all.findIndex((other) => other.job === job) === at)
}

/** The newest runs of each job on a branch. */
export const runsOf = (
  db: Database,
  { account_id, project_id }: ProjectKey,
  branch: string,
  jobs: readonly string[],
  take: number,
): Promise<Run[]> =>
  db.rows(sql`
    select b.id, b.job, b.status, b.verdict, b.build_number, b.commit_hash, b.changelist, iso(b.lost_at) as lost_at,
      iso(coalesce(b.finished_at, b.started_at, b.created_at)) as at, b.created_at as arrived_at, ${positionOn(sql`${branch}::text`)} as position
    from unnest(${jobs}::text[]) j (name) cross join lateral (
      select b.* from build_runs b where b.account_id = ${account_id} and b.project_id = ${project_id} and ${BRANCH} = ${branch}
        and b.job = j.name and ${IS_REGULAR}
      order by b.created_at desc, b.id desc limit ${take}) b
    order by b.created_at desc, b.id desc`)

type Order = (a: Run, b: Run) => boolean

const byPosition =
  (next: Order): Order =>
  (a, b) =>
    a.position === null || b.position === null || a.position === b.position ? next(a, b) : a.position > b.position

/** Of builds of several jobs, whose numbers say nothing of each other: by position, then by arrival. */
const isAfter = byPosition((a, b) => a.id > b.id)
/** Of builds of one job: by position, then by the CI's number, then by arrival. */
const isAfterInJob = byPosition((a, b) => byNumber(a, b) > 0)

const last = (runs: readonly Run[], order: Order) => runs.reduce((newest, run) => (order(run, newest) ? run : newest), runs[0]!)

/** Whether a job is retired: measured from its last build to the branch's newest build, not until today. */
export function isRetired(job: string, runs: readonly Run[]): boolean {
  const own = runs.filter((run) => run.job === job)
  if (own.length === 0) return false
  const [heard, newest] = [last(own, isAfterInJob), last(runs, isAfter)]
  const silent = Date.parse(newest.arrived_at) - Date.parse(heard.arrived_at)
  const others = runs.filter((run) => run.job !== job && isAfter(run, heard))
  return silent >= SILENT_DAYS * DAY_MS && others.length >= OTHERS_REPORTED
}

export const hasVerdict = ({ verdict }: Pick<Run, 'verdict'>) => verdict !== null
export const isVerdict = (run: Run) => run.position !== null && hasVerdict(run)

/** Oldest first: by the CI's number, then by arrival. */
export const verdictsOf = (runs: readonly Run[]) =>
  runs
    .toSorted(byNumber)
    .map(({ id, position, verdict, at }, rank) => ({ id, position: position ?? 0, passed: verdict === 'passed', rank, at }))
