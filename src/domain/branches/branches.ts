import type { MarkGood } from '../../contract/bodies.ts'
import { notFound } from '../../contract/errors.ts'
import type { Branch, BranchHealth, BranchJob } from '../../contract/health-shapes.ts'
import { BEHIND_MAX } from '../../contract/limits.ts'
import type { QueryOf, ReplyOf } from '../../contract/routes.ts'
import { isRunning } from '../../contract/sets.ts'
import { type Database, empty, raw, type Sql, sql } from '../../db/database.ts'
import { when } from '../../db/page.ts'
import type { ProjectKey } from '../../db/project-key.ts'
import { scrub } from '../privacy/scrub.ts'
import {
  type Built,
  hasVerdict,
  isRetired,
  isVerdict,
  jobsOf,
  type RequiredJob,
  type Requirement,
  type Run,
  requiredJobs,
  runsOf,
  verdictsOf,
} from './branch-jobs.ts'
import * as marks from './branch-marks.ts'
import { branchKey } from './branch-names.ts'
import { branchPoint, type Placed, passedAt, reference } from './branch-point.ts'
import { IS_REGULAR } from './build-statuses.ts'
import { labelsOfJobs } from './job-labels.ts'
import { coveredByAll, heldBackBy, inPlace, type Job, type Span } from './last-known-good.ts'
import { BRANCH } from './positions.ts'

/** In a project with more branches, the others are found by name. */
const BRANCHES_MAX = 2_000
const RECENT_DAYS = 30
/** How long a deleted branch is listed. */
const DELETED_FOR = sql`interval '1 day'`

/** Branches and their jobs, the most recently built first. A loose index scan: the cost depends on the number of branches, not builds. */
const built = (
  db: Database,
  { account_id, project_id }: ProjectKey,
  { only, q }: { only?: string; q?: string | undefined } = {},
): Promise<Built[]> => {
  const next = (after: Sql) => sql`
    select ${BRANCH} as branch, b.job, b.created_at as at from build_runs b
    where b.account_id = ${account_id} and b.project_id = ${project_id} and ${IS_REGULAR}
      ${when(only, (branch) => sql`and ${BRANCH} = ${branch}`)} ${after}
    order by ${BRANCH}, b.job, b.created_at desc, b.id desc limit 1`
  const behind = only === undefined ? sql`and (${BRANCH}, b.job) > (w.branch, w.job)` : sql`and b.job > w.job`
  return db.rows(sql`
    with recursive walk as (
      select * from (${next(only === undefined ? sql`and ${BRANCH} > ''` : empty)}) first
      union all
      select n.* from walk w cross join lateral (${next(behind)}) n),
    named as (
      select branch as name, max(at) as at, json_agg(json_build_object('job', job, 'at', at) order by job) as jobs,
        (select iso(d.deleted_at) from branches d
          where d.account_id = ${account_id} and d.project_id = ${project_id} and d.name = w.branch) as deleted_at
      from (select * from walk limit ${raw(String(20 * BRANCHES_MAX))}) w
      ${when(q, (part) => sql`where position(lower(${part}) in lower(branch)) > 0`)} group by branch)
    select name, jobs, deleted_at from named
    where deleted_at is null or deleted_at::timestamptz > goldmaster_now() - ${DELETED_FOR} order by at desc, name limit ${raw(String(BRANCHES_MAX))}`)
}

/** The branches of a project, the most recently built first; the web app's overview puts the main branch first. */
export async function list(
  db: Database,
  owner: ProjectKey,
  { q, limit, main_first, runs: withRuns }: QueryOf<'listBranches'> & { main_first?: boolean; runs?: boolean },
): Promise<ReplyOf<'listBranches'>> {
  const all = await built(db, owner, { q })
  const found = main_first ? mainFirst(all) : all
  const required = await requiredJobs(db, owner)
  const shown = found.slice(0, limit)
  const branches = await Promise.all(shown.map((one) => healthOf(db, owner, one, required)))
  return {
    branches: withRuns
      ? branches
      : branches.map(({ jobs, ...branch }) => ({ ...branch, jobs: jobs.map(({ runs, ...job }) => job) })),
    pagination: { limit, has_more: found.length > limit },
  } as ReplyOf<'listBranches'>
}

/** Common names of the main branch, the most likely first. */
const MAIN_NAMES = ['main', 'mainline', 'master', 'trunk']

function mainFirst(branches: Built[]): Built[] {
  const place = ({ name }: Built) => MAIN_NAMES.indexOf(name.slice(name.lastIndexOf('/') + 1).toLowerCase())
  const named = branches.filter((branch) => place(branch) >= 0).sort((a, b) => place(a) - place(b))
  const [main] = named
  return main ? [main, ...branches.filter((branch) => branch !== main)] : branches
}

/**
 * One branch with the last runs of each of its jobs. Names are stored as they are shown, so a name that contains an address is found in
 * either form.
 */
export async function health(
  db: Database,
  owner: ProjectKey,
  { branch }: { branch?: string | undefined },
): Promise<BranchHealth> {
  const [found] = branch === undefined ? await built(db, owner) : await named(db, owner, scrub(branchKey(branch)))
  if (!found) throw notFound('Branch')
  return healthOf(db, owner, found, await requiredJobs(db, owner))
}

/** Marks a change of a branch as good, or removes the mark. */
export async function markGood(db: Database, by: ProjectKey & { user_id: number }, input: MarkGood): Promise<BranchHealth> {
  const name = await marks.mark(db, by, input)
  const [found] = await built(db, by, { only: name })
  return healthOf(db, by, found ?? { name, jobs: [], deleted_at: null }, await requiredJobs(db, by))
}

/** By its full name, or a stream by its last folder if only one has it. */
async function named(db: Database, owner: ProjectKey, key: string): Promise<Built[]> {
  const exact = await built(db, owner, { only: key })
  if (exact.length > 0 || key.startsWith('//')) return exact
  const streams = (await built(db, owner)).filter(({ name }) => name.startsWith('//') && name.endsWith(`/${key.toLowerCase()}`))
  return streams.length === 1 ? streams : []
}

/** The project of a badge key. */
export async function ownerOfBadge(db: Database, key: string): Promise<ProjectKey> {
  const owner = await db.one<ProjectKey>(sql`select account_id, id as project_id from projects where badge_key = ${key}`)
  if (!owner) throw notFound('Badge')
  return owner
}

const RUNS_SHOWN = 20
/** How many runs of each job are read: more if the first read finds no change that all jobs cover. */
const LOOKS = [60, 300]

/** The required jobs with their results, and the last known good change according to them. */
interface Judged {
  runs: Run[]
  jobs: (Job & RequiredJob)[]
  good: Placed | undefined
}

async function judge(db: Database, owner: ProjectKey, branch: Built, required: readonly Requirement[]): Promise<Judged> {
  const wanted = jobsOf(branch, required)
  const names = wanted.map(({ job }) => job)
  const point = await branchPoint(db, owner, branch.name)
  const passedThere = point ? await passedAt(db, owner, branch.name, point.change.identifier) : []
  for (const take of LOOKS) {
    const runs = await runsOf(db, owner, branch.name, names, take)
    const jobs = withFirst(
      wanted.filter(isRequired(runs)).map((one) => {
        const own = runs.filter((run) => run.job === one.job)
        const said = verdictsOf(own.filter(isVerdict))
        const before = point && passedThere.includes(one.job) ? [{ position: point.position, passed: true, rank: -1 }] : []
        return { ...one, hasMore: own.length >= take, verdicts: [...before, ...said] }
      }),
    )
    const good = await newestIn(db, owner, branch.name, coveredByAll(jobs), point)
    // Reading further back finds nothing if no job has more runs, or if a job that is always required has no more runs and never passed.
    const isVain = jobs.some(
      ({ hasMore, fromFirst, verdicts }) => !hasMore && !fromFirst && !verdicts.some(({ passed }) => passed),
    )
    if (good || isVain || !jobs.some(({ hasMore }) => hasMore) || take === LOOKS.at(-1)) return { runs, jobs, good }
  }
  throw new Error('The loop above runs at least once.')
}

/** A job named by the settings stays required when it falls silent, but not its retired platforms while it reports others. */
function isRequired(runs: readonly Run[]) {
  return ({ job, setting }: RequiredJob, _: number, all: readonly RequiredJob[]) => {
    const others = all.filter((other) => other.setting === setting && other.job !== job)
    return !isRetired(job, runs) || (setting !== undefined && others.every((other) => isRetired(other.job, runs)))
  }
}

/** Whether each job is required only from its first verdict on: one that the settings name is always, but not platforms that were added later. */
function withFirst<J extends RequiredJob & { hasMore: boolean; verdicts: readonly { position: number }[] }>(jobs: readonly J[]) {
  const firstOf = ({ verdicts }: J) => Math.min(...verdicts.map(({ position }) => position))
  const isLater = (one: J) => jobs.some((other) => other.setting === one.setting && firstOf(other) < firstOf(one))
  return jobs.map((one) => ({ ...one, fromFirst: !one.hasMore && (one.setting === undefined || isLater(one)) }))
}

async function healthOf(db: Database, owner: ProjectKey, branch: Built, required: readonly Requirement[]): Promise<BranchHealth> {
  const { runs, jobs: judged, good: passed } = await judge(db, owner, branch, required)
  const mark = await marks.newestMark(db, owner, branch.name)
  const isMarked = mark !== undefined && mark.position > (passed?.position ?? -1)
  const good = isMarked ? mark : passed
  const head = await newestIn(db, owner, branch.name, [{ from: 0, to: Number.MAX_SAFE_INTEGER }])
  const labels = labelsOfJobs([...branch.jobs, ...judged].map(({ job }) => job))
  const jobs = judged
    .map(({ job }) =>
      jobOf(
        labels.get(job)!,
        runs.filter((run) => run.job === job),
      ),
    )
    // A deleted branch is neither red nor green.
    .map((job) => (branch.deleted_at === null ? job : { ...job, state: 'unknown' as const, red_since: null }))
  const next = good && (await nextAfter(db, owner, branch.name, good.position))
  const red = jobs.filter(({ state }) => state === 'red')
  return {
    name: branch.name,
    deleted_at: branch.deleted_at,
    state: stateOf(jobs),
    red_since:
      jobs
        .map(({ red_since }) => red_since)
        .filter((at) => at !== null)
        .sort()[0] ?? null,
    head: head?.change ?? null,
    last_known_good: good?.change ?? null,
    marked_good: isMarked ? mark.marked : null,
    held_back_by: !good
      ? red.map(({ name }) => name)
      : next === undefined
        ? []
        : heldBackBy(judged, next).map(({ job }) => labels.get(job)!),
    changes_behind: good && head ? await changesAfter(db, owner, branch.name, good.position) : null,
    time_to_green_seconds: await timeToGreen(db, owner, branch.name),
    jobs,
  }
}

function jobOf(name: string, runs: readonly Run[]): BranchHealth['jobs'][number] {
  const placed = inPlace(verdictsOf(runs.filter(isVerdict)))
  // Without a known change, the last run decides the state of a job.
  const verdicts = placed.length > 0 ? placed : verdictsOf(runs.filter(hasVerdict))
  const last = verdicts.at(-1)
  const building = runs.some(isRunning)
  // The first failure after the last pass.
  const since = last && !last.passed ? verdicts[verdicts.findLastIndex(({ passed }) => passed) + 1]! : undefined
  return {
    name,
    state: last ? (last.passed ? 'green' : 'red') : building ? 'building' : 'unknown',
    building,
    red_since: since?.at ?? null,
    last_build_id: last ? String(last.id) : null,
    runs: runs.slice(0, RUNS_SHOWN).map(({ id, status, verdict, build_number, commit_hash, changelist, lost_at, at }) => ({
      id: String(id),
      status,
      verdict,
      build_number,
      commit_hash,
      changelist,
      lost_at,
      at,
    })),
  }
}

function stateOf(jobs: readonly BranchJob[]): Branch['state'] {
  for (const state of ['red', 'building', 'unknown'] as const) if (jobs.some((job) => job.state === state)) return state
  return jobs.length === 0 ? 'unknown' : 'green'
}

/** The newest change of a branch in one of these spans, which are sorted newest first. */
async function newestIn(
  db: Database,
  { account_id, project_id }: ProjectKey,
  branch: string,
  spans: readonly Span[],
  point?: Placed,
): Promise<Placed | undefined> {
  for (const { from, to } of spans) {
    const found = await db.one<Placed>(sql`
      select p.position, ${reference} as change
      from change_branches p join changes c on c.account_id = p.account_id and c.id = p.change_id
      where p.account_id = ${account_id} and p.project_id = ${project_id} and p.branch = ${branch} and p.position between ${from} and ${to}
        and c.orphaned_at is null and p.orphaned_at is null
      order by p.position desc, p.change_id desc limit 1`)
    if (found) return found
    if (point && from <= point.position && point.position <= to) return point
  }
  return undefined
}

/** The position of the change after this one. */
const nextAfter = async (db: Database, { account_id, project_id }: ProjectKey, branch: string, position: number) =>
  (
    await db.one<{ position: number }>(sql`
      select p.position from change_branches p join changes c on c.account_id = p.account_id and c.id = p.change_id
      where p.account_id = ${account_id} and p.project_id = ${project_id} and p.branch = ${branch} and p.position > ${position}
        and c.orphaned_at is null and p.orphaned_at is null
      order by p.position limit 1`)
  )?.position

const changesAfter = async (db: Database, { account_id, project_id }: ProjectKey, branch: string, position: number) =>
  (await db.one<{ count: number }>(sql`
    select count(*) as count from (
      select from change_branches p, lateral (select c.orphaned_at from changes c where c.account_id = p.account_id and c.id = p.change_id offset 0) c
      where p.account_id = ${account_id} and p.project_id = ${project_id} and p.branch = ${branch} and p.position > ${position}
        and c.orphaned_at is null and p.orphaned_at is null
      order by p.position limit ${BEHIND_MAX}) n`))!.count

/** The median: a night when nobody works says nothing about how fast a team is. */
const timeToGreen = async (db: Database, { account_id, project_id }: ProjectKey, branch: string): Promise<number | null> =>
  (await db.one<{ seconds: number | null }>(sql`
    select round(percentile_cont(0.5) within group (order by greatest(0, extract(epoch from o.fixed_at - o.opened_at))))::integer as seconds
    from breakage_occurrences o join breakages k on k.account_id = o.account_id and k.id = o.breakage_id
    where o.account_id = ${account_id} and o.project_id = ${project_id} and k.branch = ${branch}
      and o.fixed_at > now() - make_interval(days => ${RECENT_DAYS})`))!.seconds
