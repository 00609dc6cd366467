import { notFound } from '../../contract/errors.ts'
import type { Branch, BranchHealth, BranchJob } from '../../contract/health-shapes.ts'
import type { QueryOf, ReplyOf } from '../../contract/routes.ts'
import type { BuildStatus } from '../../contract/sets.ts'
import { PASSED_STATUSES, RUNNING_STATUSES } from '../../contract/sets.ts'
import { type Database, raw, sql } from '../../db/database.ts'
import { when } from '../../db/page.ts'
import { branchKey, fits } from '../changes/branch-names.ts'
import { scrub } from '../privacy/scrub.ts'
import { coveredByAll, inPlace, type Span, type Verdict } from './last-known-good.ts'
import { BRANCH, positionOn } from './positions.ts'

interface Owner {
  account_id: number
  project_id: number
}

/** A branch that was built, with its jobs and when each of them last reported. */
interface Built {
  name: string
  jobs: { name: string; at: string }[]
}

/** Of a project with more branches the others are found by their name. */
const BRANCHES_MAX = 2_000
const RECENT_DAYS = 30

/**
 * Branches and their jobs, the one that was built last first. PostgreSQL walks its index from one name to the next: the cost is that of
 * the branches, not of the builds.
 */
const built = (
  db: Database,
  { project_id }: Owner,
  { only, q }: { only?: string; q?: string | undefined } = {},
): Promise<Built[]> => {
  const next = (after: ReturnType<typeof sql>, job: ReturnType<typeof sql>) => sql`
    select ${BRANCH} as branch, b.ci_job_name as job, b.created_at as at from build_runs b
    where b.project_id = ${project_id} and ${BRANCH} <> '' and (${BRANCH}, b.ci_job_name) > (${after}, ${job})
      ${only === undefined ? sql`` : sql`and ${BRANCH} = ${only}`}
    order by ${BRANCH}, b.ci_job_name, b.created_at desc, b.id desc limit 1`
  return db.rows(sql`
    with recursive walk as (
      select * from (${next(sql`''::text`, sql`''::text`)}) first
      union all
      select n.* from walk w cross join lateral (${next(sql`w.branch`, sql`w.job`)}) n),
    named as (
      select branch as name, max(at) as at, json_agg(json_build_object('name', job, 'at', at) order by job) as jobs
      from (select * from walk limit ${raw(String(20 * BRANCHES_MAX))}) w
      ${when(q, (part) => sql`where position(lower(${part}) in lower(branch)) > 0`)} group by branch)
    select name, jobs from named order by at desc, name limit ${raw(String(BRANCHES_MAX))}`)
}

/** The branches of a project, the one that was built last first; in the web app's overview the main one before it. */
export async function list(
  db: Database,
  owner: Owner,
  { q, limit, main_first }: QueryOf<'listBranches'> & { main_first?: boolean },
): Promise<ReplyOf<'listBranches'>> {
  const all = await built(db, owner, { q })
  const found = main_first ? mainFirst(all) : all
  const required = await requiredJobs(db, owner)
  const shown = found.slice(0, limit)
  const branches = await Promise.all(shown.map((one) => healthOf(db, owner, one, required)))
  return {
    branches: branches.map(({ jobs, ...branch }) => ({ ...branch, jobs: jobs.map(({ runs, ...job }) => job) })),
    pagination: { limit, has_more: found.length > limit },
  } as ReplyOf<'listBranches'>
}

/** What teams call the branch that everybody works on, the likeliest first. */
const MAIN_NAMES = ['main', 'mainline', 'master', 'trunk']

function mainFirst(branches: Built[]): Built[] {
  const place = ({ name }: Built) => MAIN_NAMES.indexOf(name.slice(name.lastIndexOf('/') + 1).toLowerCase())
  const named = branches.filter((branch) => place(branch) >= 0).sort((a, b) => place(a) - place(b))
  const [main] = named
  return main ? [main, ...branches.filter((branch) => branch !== main)] : branches
}

/** One branch with the last runs of each of its jobs. Names are stored as they are shown, so one that holds an address is found by either. */
export async function health(db: Database, owner: Owner, { branch }: { branch?: string | undefined }): Promise<BranchHealth> {
  const [found] = branch === undefined ? await built(db, owner) : await named(db, owner, scrub(branchKey(branch)))
  if (!found) throw notFound('Branch')
  return healthOf(db, owner, found, await requiredJobs(db, owner))
}

/** By its whole name, or a stream by its last folder where only one has it. */
async function named(db: Database, owner: Owner, key: string): Promise<Built[]> {
  const exact = await built(db, owner, { only: key })
  if (exact.length > 0 || key.startsWith('//')) return exact
  const streams = (await built(db, owner)).filter(({ name }) => name.startsWith('//') && name.endsWith(`/${key.toLowerCase()}`))
  return streams.length === 1 ? streams : []
}

/** Whose badge has this key. */
export async function ownerOfBadge(db: Database, key: string): Promise<Owner> {
  const owner = await db.one<Owner>(sql`select account_id, id as project_id from projects where badge_key = ${key}`)
  if (!owner) throw notFound('Badge')
  return owner
}

interface Requirement {
  branch: string
  jobs: string[]
}

const requiredJobs = async (db: Database, { project_id }: Owner) =>
  (await db.one<{ required_jobs: Requirement[] }>(sql`select required_jobs from projects where id = ${project_id}`))!
    .required_jobs

/** Those that the project names for it, else all that reported in the days before the branch was last built. */
function jobsOf({ name, jobs }: Built, required: readonly Requirement[]): string[] {
  const named = required.find(({ branch }) => fits(branchKey(branch), name))
  if (named) return named.jobs
  const newest = Math.max(...jobs.map(({ at }) => Date.parse(at)))
  return jobs.filter(({ at }) => Date.parse(at) >= newest - RECENT_DAYS * 86_400_000).map(({ name }) => name)
}

interface Run {
  id: number
  job: string
  status: BuildStatus
  build_number: string
  commit_hash: string
  changelist: string
  at: string
  position: number | null
}

const RUNS_SHOWN = 20
/** How far back each job is looked at: further where the first look finds no change that all of them cover. */
const LOOKS = [60, 300]

const runsOf = (db: Database, { project_id }: Owner, branch: string, jobs: readonly string[], take: number): Promise<Run[]> =>
  db.rows(sql`
    select b.id, b.ci_job_name as job, b.status, b.build_number, b.commit_hash, b.changelist,
      iso(coalesce(b.finished_at, b.started_at, b.created_at)) as at, ${positionOn(sql`${branch}::text`)} as position
    from unnest(${jobs}::text[]) j (name) cross join lateral (
      select b.* from build_runs b where b.project_id = ${project_id} and ${BRANCH} = ${branch} and b.ci_job_name = j.name
      order by b.created_at desc, b.id desc limit ${take}) b
    order by b.created_at desc, b.id desc`)

const hasVerdict = ({ status }: Run) => status === 'failed' || PASSED_STATUSES.includes(status)
const isVerdict = (run: Run) => run.position !== null && hasVerdict(run)
const verdictOf = (run: Run): Verdict & { id: number } => ({
  id: run.id,
  position: run.position ?? 0,
  passed: run.status !== 'failed',
  at: run.at,
})

async function healthOf(db: Database, owner: Owner, branch: Built, required: readonly Requirement[]): Promise<BranchHealth> {
  const names = jobsOf(branch, required)
  let runs: Run[] = []
  let good: Placed | undefined
  for (const take of LOOKS) {
    runs = await runsOf(db, owner, branch.name, names, take)
    const verdicts = names.map((name) => runs.filter((run) => run.job === name && isVerdict(run)).map(verdictOf))
    good = await newestIn(db, owner, branch.name, coveredByAll(verdicts))
    // Further back there is nothing to find where a job has no more runs and none of them passed, or none has more.
    const more = verdicts.map((of, at) => [
      of.some(({ passed }) => passed),
      runs.filter(({ job }) => job === names[at]).length >= take,
    ])
    if (good || more.some(([passed, hasMore]) => !passed && !hasMore) || !more.some(([, hasMore]) => hasMore)) break
  }
  const head = await newestIn(db, owner, branch.name, [{ from: 0, to: Number.MAX_SAFE_INTEGER }])
  const jobs = names.map((name) =>
    jobOf(
      name,
      runs.filter((run) => run.job === name),
    ),
  )
  return {
    name: branch.name,
    state: stateOf(jobs),
    red_since:
      jobs
        .map(({ red_since }) => red_since)
        .filter((at) => at !== null)
        .sort()[0] ?? null,
    head: head?.change ?? null,
    last_known_good: good?.change ?? null,
    changes_behind: good && head ? await changesAfter(db, owner, branch.name, good.position) : null,
    time_to_green_seconds: await timeToGreen(db, owner, branch.name),
    jobs,
  }
}

function jobOf(name: string, runs: readonly Run[]): BranchHealth['jobs'][number] {
  const placed = inPlace(runs.filter(isVerdict).map(verdictOf))
  // Without a change that is known, a job is as its last run was.
  const verdicts = placed.length > 0 ? placed : runs.filter(hasVerdict).map(verdictOf).toReversed()
  const last = verdicts.at(-1)
  const building = runs.some(({ status }) => RUNNING_STATUSES.includes(status))
  // The first failure after the last pass.
  const since = last && !last.passed ? verdicts[verdicts.findLastIndex(({ passed }) => passed) + 1]! : undefined
  return {
    name,
    state: last ? (last.passed ? 'green' : 'red') : building ? 'building' : 'unknown',
    building,
    red_since: since?.at ?? null,
    last_build_id: last ? String(last.id) : null,
    runs: runs.slice(0, RUNS_SHOWN).map(({ id, status, build_number, commit_hash, changelist, at }) => ({
      id: String(id),
      status,
      build_number,
      commit_hash,
      changelist,
      at,
    })),
  }
}

function stateOf(jobs: readonly BranchJob[]): Branch['state'] {
  for (const state of ['red', 'building', 'unknown'] as const) if (jobs.some((job) => job.state === state)) return state
  return jobs.length === 0 ? 'unknown' : 'green'
}

interface Placed {
  position: number
  change: NonNullable<Branch['head']>
}

/** The newest change of a branch that stands in one of these spans, the newest of which comes first. */
async function newestIn(db: Database, { account_id, project_id }: Owner, branch: string, spans: readonly Span[]) {
  for (const { from, to } of spans) {
    const found = await db.one<Placed>(sql`
      select p.position, json_build_object('id', c.id, 'identifier', c.identifier, 'display_identifier', c.display_identifier,
        'timestamp', iso(c.timestamp)) as change
      from change_branches p join changes c on c.id = p.change_id
      where p.account_id = ${account_id} and p.project_id = ${project_id} and p.branch = ${branch} and p.position between ${from} and ${to}
        and c.orphaned_at is null and p.orphaned_at is null
      order by p.position desc, p.change_id desc limit 1`)
    if (found) return found
  }
  return undefined
}

/** Counted no further than this: nobody needs to know more exactly how far behind it is. */
const BEHIND_MAX = 10_000

const changesAfter = async (db: Database, { account_id, project_id }: Owner, branch: string, position: number) =>
  (await db.one<{ count: number }>(sql`
    select count(*) as count from (
      select from change_branches p join changes c on c.id = p.change_id
      where p.account_id = ${account_id} and p.project_id = ${project_id} and p.branch = ${branch} and p.position > ${position}
        and c.orphaned_at is null and p.orphaned_at is null
      limit ${BEHIND_MAX}) n`))!.count

/** The median: one night that nobody worked does not say how fast a team is. */
const timeToGreen = async (db: Database, { project_id }: Owner, branch: string): Promise<number | null> =>
  (await db.one<{ seconds: number | null }>(sql`
    select percentile_disc(0.5) within group (order by extract(epoch from k.fixed_at - k.opened_at))::integer as seconds
    from breakages k where k.project_id = ${project_id} and k.branch = ${branch} and k.state = 'fixed'
      and k.fixed_at > now() - make_interval(days => ${RECENT_DAYS})`))!.seconds
