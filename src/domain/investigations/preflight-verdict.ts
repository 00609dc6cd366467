import { invalidParameter } from '../../contract/errors.ts'
import { EVIDENT } from '../../contract/labels/shown-suspects.ts'
import type { QueryOf, ReplyOf } from '../../contract/routes.ts'
import { type BuildStatus, type FailureCategory, RUNNING_STATUSES } from '../../contract/sets.ts'
import { type Database, type Sql, sql } from '../../db/database.ts'
import type { ProjectKey } from '../../db/project-key.ts'
import { isAttributable } from '../../diagnosis/suspects/kinds.ts'
import { idsNamed } from '../branches/build-names.ts'
import { IS_REGULAR } from '../branches/build-statuses.ts'
import { labelsOfJobs } from '../branches/job-labels.ts'
import { BRANCH, namedOn } from '../branches/positions.ts'
import { baseOf, HAS_FROM_BASE, TARGET } from '../branches/preflight-base.ts'
import { openOnBranch } from '../breakages/open-on-branch.ts'
import { UNSETTLED } from '../builds/follow-up-jobs.ts'
import { failedTestsOf } from '../tests/failed-tests.ts'

type Preflight = ReplyOf<'showPreflight'>
type Job = Preflight['jobs'][number]
type Asked = Partial<QueryOf<'showPreflight'>>

interface Build extends ProjectKey {
  id: number
  ci_job_name: string
  job: string
  status: BuildStatus
  /** What it counts as; null until it passed or failed. */
  counts_as: 'passed' | 'failed' | null
  commit_hash: string
  /** Empty if unknown. */
  target_branch: string
  created_at: string
  /** Positions on the target branch, of which one is its base: `baseOf`. */
  earliest: string | null
  latest: string | null
  /** Of the newest completed investigation; null without one. */
  category: FailureCategory | null
  fingerprint: string | null
  joins_keys: string[] | null
  diagnosis: string | null
  evidence: { line: number; text: string }[] | null
  /** Its own change touches the files of the failure. */
  is_named: boolean | null
  /** The test passed and failed at one change before, on any branch. */
  is_flaky: boolean | null
  /** The machine fails more often than others. */
  is_machine: boolean | null
  /** A person found that its own change is not the cause. */
  is_cleared: boolean
  /** A person corrected what failed. */
  is_corrected: boolean
}

/** More jobs than a preflight has. */
const BUILDS_MAX = 500

/** The preflights of a pull request, a shelf or a commit; of several commits only those of the newest. */
export async function showPreflight(db: Database, project: ProjectKey, query: Asked): Promise<Preflight> {
  const asked = Object.values(query).some((value) => value !== undefined) ? query : await newestIn(db, project)
  return judge(db, project, asked ? await buildsOf(db, project, whichOf(project, asked)) : [])
}

const sqlOf = ({ account_id, project_id }: ProjectKey) => ({ account_id: sql`${account_id}`, project_id: sql`${project_id}` })

function whichOf(project: ProjectKey, { pull_request, shelf, commit }: Asked): Sql {
  if ([pull_request, shelf, commit].filter(Boolean).length !== 1)
    throw invalidParameter('pull_request', 'or shelf or commit must be given, only one of them')
  if (pull_request) return sql`b.id = any (array(${idsNamed(sqlOf(project), 'pull_request', sql`${pull_request}`)}))`
  if (commit) return sql`b.commit_hash = ${commit}`
  // A pending changelist that a CI builds is a shelf too.
  return sql`b.id = any (array(${idsNamed(sqlOf(project), 'shelf', sql`${shelf}`)}
    union all
    select x.id from build_runs x where x.account_id = ${project.account_id} and x.project_id = ${project.project_id}
      and x.changelist = ${shelf} and x.changelist <> '' and x.shelf = '' and x.pull_request = ''))`
}

async function newestIn(db: Database, project: ProjectKey): Promise<Asked | undefined> {
  const newest = await db.one<Record<'pull_request' | 'shelf' | 'commit' | 'changelist', string>>(sql`
    select b.pull_request, b.shelf, b.commit_hash as commit, b.changelist
    from (${idsNamed(sqlOf(project), 'preflight', sql`''`)} order by n.build_run_id desc limit 1) n
    join build_runs b on b.account_id = ${project.account_id} and b.id = n.build_run_id`)
  if (!newest) return undefined
  const { pull_request, shelf, commit, changelist } = newest
  if (pull_request) return { pull_request }
  if (shelf || changelist) return { shelf: shelf || changelist }
  return commit ? { commit } : undefined
}

const buildsOf = (db: Database, { account_id, project_id }: ProjectKey, which: Sql) =>
  db.rows<Build>(sql`
    select b.account_id, b.project_id, b.id, b.ci_job_name, b.job, b.status, b.verdict as counts_as, b.commit_hash, b.created_at, base.earliest::text, base.latest::text,
      ${TARGET} as target_branch, i.correction_id is not null as is_corrected,
      i.category, i.fingerprint, i.joins_keys, i.diagnosis, i.evidence, (named_suspect(i.suspects) ->> 'score')::float8 >= ${EVIDENT} as is_named,
      i.steps @> '[{"name": "flaky"}]' as is_flaky, i.steps @> '[{"name": "agent"}]' as is_machine,
      exists (
        select from corrections n join changes c on c.account_id = n.account_id and c.id = any (n.cleared_change_ids)
        where n.account_id = i.account_id and n.id = i.correction_id and c.identifier in (nullif(b.commit_hash, ''), nullif(b.shelf, ''), nullif(b.changelist, ''))) as is_cleared
    from build_runs b left join lateral (
      select * from investigations i where i.account_id = b.account_id and i.build_run_id = b.id and i.status = 'completed'
      order by i.id desc limit 1) i on true
    cross join lateral (${baseOf}) base
    where b.account_id = ${account_id} and b.project_id = ${project_id} and b.kind = 'preflight' and ${which}
    order by b.id desc limit ${BUILDS_MAX}`)

/** The verdict of one preflight; undefined if the build is none. */
export async function verdictOf(db: Database, project: ProjectKey, id: number): Promise<Job | undefined> {
  const [build] = await buildsOf(db, project, sql`b.id = ${id}`)
  if (!build) return undefined
  return judgeJob(
    db,
    build,
    build.commit_hash === '' ? [] : await buildsOf(db, project, whichOf(project, { commit: build.commit_hash })),
  )
}

/** The verdict of one commit's or shelf's builds, newest first: the newest of each job counts. */
async function judge(db: Database, project: ProjectKey, builds: readonly Build[]): Promise<Preflight> {
  const { commit_hash, target_branch } = builds[0] ?? { commit_hash: '', target_branch: '' }
  const same = builds.filter((build) => build.commit_hash === commit_hash)
  const newest = [...new Map(same.toReversed().map((build) => [build.job, build])).values()]
  const jobs: Job[] = []
  const labels = labelsOfJobs(newest.map(({ job }) => job))
  for (const build of newest) jobs.push({ ...(await judgeJob(db, build, same)), job: labels.get(build.job)! })
  jobs.sort((a, b) => ORDER.indexOf(a.verdict) - ORDER.indexOf(b.verdict) || (a.job < b.job ? -1 : 1))
  const open = target_branch === '' ? [] : await openOnBranch(db, { ...project, branch: target_branch })
  return {
    verdict: jobs[0]?.verdict ?? 'unknown',
    settled:
      newest.length > 0 &&
      newest.every((build) => !RUNNING_STATUSES.includes(build.status) && (!isFailed(build) || build.category !== null)),
    commit: commit_hash,
    target_branch,
    jobs,
    branch_breakages: open.map(({ id, cause }) => ({ id, cause })),
  }
}

/** The first one of all jobs is the verdict. */
const ORDER = ['failed_by_change', 'unknown', 'failed_not_by_change', 'passed'] as const

async function judgeJob(db: Database, build: Build, all: readonly Build[]): Promise<Job> {
  const said = (verdict: Job['verdict'], reason: string, breakage_id: string | null = null): Job => ({
    job: build.ci_job_name,
    build_id: String(build.id),
    verdict,
    reason,
    breakage_id,
    category: isFailed(build) ? build.category : null,
    evidence: isFailed(build) ? (build.evidence?.[0]?.text.trim() ?? null) : null,
  })
  if (build.status === 'cancelled') return said('unknown', 'The build was canceled.')
  if (build.counts_as === null) return said('unknown', 'The build has not finished.')
  if (!isFailed(build)) return said('passed', 'The build passed.')
  const passed =
    build.commit_hash !== '' && all.find((one) => one.job === build.job && one.counts_as === 'passed' && haveOneBase(one, build))
  if (passed)
    return said('failed_not_by_change', `The job passed at the same commit and base in build ${passed.id}: it is flaky.`)
  const { category, target_branch: branch } = build
  if (category === null) return said('unknown', 'The failure is not investigated yet.')
  if (category === 'unknown' || category === 'none') return said('unknown', 'The log does not say why it failed.')
  if (!isAttributable(category)) {
    const words = `The machine or the network failed: ${build.diagnosis}`
    if (build.is_machine || build.is_corrected) return said('failed_not_by_change', words)
    const known = branch === '' ? undefined : await sameOnBranch(db, build)
    return known?.is_open && known.from_base
      ? said('failed_not_by_change', words, known.id)
      : said('unknown', `${words} Nothing else shows it. Build again.`)
  }
  const failed = category === 'test_failure' ? await failedTestsOf(db, build, build.id) : undefined
  if (failed?.tests.only === 'quarantined') return said('failed_not_by_change', 'Only tests in quarantine failed.')
  if (failed?.tests.only === 'flaky' || build.is_flaky)
    return said('failed_not_by_change', 'Only tests failed that have passed and failed at one change before.')
  if (build.is_machine) return said('unknown', 'The machine may be the cause: it fails more often than others.')
  if (build.is_cleared) return said('failed_not_by_change', 'A person found that this change is not the cause.')
  if (branch === '') return said('unknown', 'The target branch is unknown.')
  const same = await sameOnBranch(db, build)
  const known = same?.from_base ? same : undefined
  if (known?.is_open && failed && failed.tests.others.causes > 0)
    return said('unknown', `${branch} already has breakage #${known.id}, but other tests failed for other causes.`, known.id)
  if (known?.is_open)
    return said('failed_not_by_change', `${branch} is already broken for this cause: breakage #${known.id}.`, known.id)
  if (known?.flaky)
    return said('failed_not_by_change', `This failure comes and goes on ${branch}: breakage #${known.id}.`, known.id)
  if (known)
    return said(
      'failed_not_by_change',
      `${branch} was broken for this cause when this was built: breakage #${known.id}. Update to the newest state and build again.`,
      known.id,
    )
  const base = await resultAtBase(db, build)
  if (same && !base?.passed)
    return said(
      'unknown',
      `${branch} got this failure after this build: breakage #${same.id}. This change may have brought it.`,
      same.id,
    )
  if (!base) return said('unknown', `The job has no result at the change of ${branch} that this was built on.`)
  if (!base.passed) return said('unknown', `The job fails at the change of ${branch} that this was built on, build ${base.id}.`)
  return build.is_named
    ? said('failed_by_change', `The change touches what failed, and ${branch} ${same ? 'did' : 'does'} not have this failure.`)
    : said('failed_by_change', `The job passes at the change of ${branch} that this was built on, build ${base.id}.`)
}

/** Both were built on the same change of their target branch, as far as is known. */
const haveOneBase = (one: Build, other: Build) =>
  one.earliest !== null &&
  one.target_branch === other.target_branch &&
  [one.latest, other.earliest, other.latest].every((position) => position === one.earliest)

/** Its CI or its tests say so: one that only tests in quarantine failed is said to be that. */
const isFailed = ({ status, counts_as }: Build) => status === 'failed' || counts_as === 'failed'

interface Known {
  id: string
  is_open: boolean
  flaky: boolean
  from_base: boolean
}

/**
 * The breakage of the target branch with the same cause: an open one, a flaky one, or one that was fixed shortly before the build; first
 * one that the preflight has from its base.
 */
const sameOnBranch = (db: Database, { account_id, project_id, id, fingerprint, joins_keys, target_branch, created_at }: Build) =>
  db.one<Known>(sql`
    select k.id::text, ${UNSETTLED} as is_open, k.flaky, ${HAS_FROM_BASE} as from_base
    from build_runs b cross join lateral (${baseOf}) base
    join breakages k on k.account_id = b.account_id and k.project_id = b.project_id
    where b.account_id = ${account_id} and b.id = ${id} and k.account_id = ${account_id} and k.project_id = ${project_id}
      and (k.branch = ${target_branch} or k.branch is null) and k.state <> 'withdrawn'
      and (k.fingerprint = ${fingerprint} or k.cause_keys && ${joins_keys ?? []}::text[])
      and (${UNSETTLED} or k.last_seen_at > ${created_at}::timestamptz - case when k.flaky then interval '30 days' else interval '14 days' end)
    order by from_base desc, ${UNSETTLED} desc, k.flaky desc, k.id desc limit 1`)

/** Builds of one job at one change: more are not read. */
const AT_BASE_MAX = sql`200`

/** The result of the job at the base: it passed only if it passed, and never failed, at each change that may be the base. */
const resultAtBase = (db: Database, { account_id, project_id, job, target_branch, earliest, latest }: Build) =>
  db.one<{ id: string; passed: boolean }>(sql`
    with bases as (
      select p.position, p.arrived_at from change_branches p
      where p.account_id = ${account_id} and p.project_id = ${project_id} and p.branch = ${target_branch} and p.orphaned_at is null
        and p.position between ${earliest}::bigint and ${latest}::bigint),
    near as (
      select b.* from build_runs b
      where b.account_id = ${account_id} and b.project_id = ${project_id} and ${BRANCH} = ${target_branch} and b.job = ${job}
        and ${IS_REGULAR} and b.verdict is not null
        and b.created_at >= (select min(arrived_at) from bases) - interval '1 hour'
      order by b.created_at, b.id limit ${AT_BASE_MAX}),
    results as (
      select ${namedOn(BRANCH)} as position, min(b.id) as id, bool_and(b.verdict = 'passed') as passed from near b group by 1)
    select min(r.id)::text as id, bool_and(r.passed) as passed from bases left join results r on r.position = bases.position
    having count(*) > 0 and (count(*) = count(r.id) or not bool_and(coalesce(r.passed, true)))`)
