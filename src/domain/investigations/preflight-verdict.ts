import { invalidParameter } from '../../contract/errors.ts'
import type { QueryOf, ReplyOf } from '../../contract/routes.ts'
import { type BuildStatus, type FailureCategory, PASSED_STATUSES, RUNNING_STATUSES } from '../../contract/sets.ts'
import { type Database, type Sql, sql } from '../../db/database.ts'
import type { ProjectKey } from '../../db/project-key.ts'
import { isAttributable } from '../../diagnosis/suspects/kinds.ts'
import { PASSED, PASSED_OR_FAILED } from '../branches/build-statuses.ts'
import { BRANCH, positionOn } from '../branches/positions.ts'
import { firstArrival, openOnBranch } from '../breakages/open-on-branch.ts'
import { UNSETTLED } from '../builds/follow-up-jobs.ts'
import { failedTestsOf } from '../tests/failed-tests.ts'

type Preflight = ReplyOf<'showPreflight'>
type Job = Preflight['jobs'][number]
type Asked = Partial<QueryOf<'showPreflight'>>

interface Build extends ProjectKey {
  id: number
  ci_job_name: string
  status: BuildStatus
  commit_hash: string
  /** Empty if unknown. */
  target_branch: string
  created_at: string
  ended_at: string
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
}

/** The score from which a reason counts by itself. */
const EVIDENT = 0.25

/** More jobs than a preflight has. */
const BUILDS_MAX = 500

/** The preflights of a pull request, a shelf or a commit; of several commits only those of the newest. */
export async function showPreflight(db: Database, project: ProjectKey, query: Asked): Promise<Preflight> {
  const asked = Object.values(query).some((value) => value !== undefined) ? query : await newestIn(db, project)
  return judge(db, project, asked ? await buildsOf(db, project, whichOf(asked)) : [])
}

function whichOf({ pull_request, shelf, commit }: Asked): Sql {
  if ([pull_request, shelf, commit].filter(Boolean).length !== 1)
    throw invalidParameter('pull_request', 'or shelf or commit must be given, only one of them')
  if (pull_request) return sql`b.pull_request = ${pull_request}`
  if (commit) return sql`b.commit_hash = ${commit}`
  // A pending changelist that a CI builds is a shelf too.
  return sql`(b.shelf = ${shelf} or b.changelist = ${shelf} and b.shelf = '' and b.pull_request = '')`
}

async function newestIn(db: Database, { account_id, project_id }: ProjectKey): Promise<Asked | undefined> {
  const newest = await db.one<Record<'pull_request' | 'shelf' | 'commit' | 'changelist', string>>(sql`
    select b.pull_request, b.shelf, b.commit_hash as commit, b.changelist from build_runs b
    where b.account_id = ${account_id} and b.project_id = ${project_id} and b.kind = 'preflight' order by b.created_at desc limit 1`)
  if (!newest) return undefined
  const { pull_request, shelf, commit, changelist } = newest
  if (pull_request) return { pull_request }
  if (shelf || changelist) return { shelf: shelf || changelist }
  return commit ? { commit } : undefined
}

const buildsOf = (db: Database, { account_id, project_id }: ProjectKey, which: Sql) =>
  db.rows<Build>(sql`
    select b.account_id, b.project_id, b.id, b.ci_job_name, b.status, b.commit_hash, b.created_at, coalesce(b.finished_at, b.created_at) as ended_at,
      coalesce(nullif(branch_key(b.target_branch), ''), case when b.pull_request = '' then ${BRANCH} else '' end) as target_branch,
      i.category, i.fingerprint, i.joins_keys, i.diagnosis, i.evidence, (named_suspect(i.suspects) ->> 'score')::float8 >= ${EVIDENT} as is_named,
      i.steps @> '[{"name": "flaky"}]' as is_flaky, i.steps @> '[{"name": "agent"}]' as is_machine,
      exists (
        select from corrections n join changes c on c.account_id = n.account_id and c.id = any (n.cleared_change_ids)
        where n.account_id = i.account_id and n.id = i.correction_id and c.identifier in (nullif(b.commit_hash, ''), nullif(b.shelf, ''), nullif(b.changelist, ''))) as is_cleared
    from build_runs b left join lateral (
      select * from investigations i where i.account_id = b.account_id and i.build_run_id = b.id and i.status = 'completed'
      order by i.id desc limit 1) i on true
    where b.account_id = ${account_id} and b.project_id = ${project_id} and b.kind = 'preflight' and ${which}
    order by b.id desc limit ${BUILDS_MAX}`)

/** The verdict of one preflight; undefined if the build is none. */
export async function verdictOf(db: Database, project: ProjectKey, id: number): Promise<Job | undefined> {
  const [build] = await buildsOf(db, project, sql`b.id = ${id}`)
  if (!build) return undefined
  return judgeJob(db, build, build.commit_hash === '' ? [] : await buildsOf(db, project, whichOf({ commit: build.commit_hash })))
}

/** The verdict of one commit's or shelf's builds, newest first: the newest of each job counts. */
async function judge(db: Database, project: ProjectKey, builds: readonly Build[]): Promise<Preflight> {
  const { commit_hash, target_branch } = builds[0] ?? { commit_hash: '', target_branch: '' }
  const same = builds.filter((build) => build.commit_hash === commit_hash)
  const newest = [...new Map(same.toReversed().map((build) => [build.ci_job_name, build])).values()]
  const jobs: Job[] = []
  for (const build of newest) jobs.push(await judgeJob(db, build, same))
  jobs.sort((a, b) => ORDER.indexOf(a.verdict) - ORDER.indexOf(b.verdict) || (a.job < b.job ? -1 : 1))
  const open = target_branch === '' ? [] : await openOnBranch(db, { ...project, branch: target_branch })
  return {
    verdict: jobs[0]?.verdict ?? 'unknown',
    settled:
      newest.length > 0 &&
      newest.every(({ status, category }) => !RUNNING_STATUSES.includes(status) && (status !== 'failed' || category !== null)),
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
    category: build.status === 'failed' ? build.category : null,
    evidence: build.status === 'failed' ? (build.evidence?.[0]?.text.trim() ?? null) : null,
  })
  if (isPassed(build.status)) return said('passed', 'The build passed.')
  if (build.status === 'cancelled') return said('unknown', 'The build was canceled.')
  if (build.status !== 'failed') return said('unknown', 'The build has not finished.')
  const passed =
    build.commit_hash !== '' && all.find(({ ci_job_name, status }) => ci_job_name === build.ci_job_name && isPassed(status))
  if (passed) return said('failed_not_by_change', `The job passed at the same commit in build ${passed.id}: it is flaky.`)
  const { category, target_branch: branch } = build
  if (category === null) return said('unknown', 'The failure is not investigated yet.')
  if (category === 'unknown' || category === 'none') return said('unknown', 'The log does not say why it failed.')
  if (!isAttributable(category)) return said('failed_not_by_change', `The machine or the network failed: ${build.diagnosis}`)
  const failed = category === 'test_failure' ? await failedTestsOf(db, build, build.id) : undefined
  if (failed?.tests.only === 'quarantined') return said('failed_not_by_change', 'Only tests in quarantine failed.')
  if (failed?.tests.only === 'flaky' || build.is_flaky)
    return said('failed_not_by_change', 'Only tests failed that have passed and failed at one change before.')
  if (build.is_machine) return said('unknown', 'The machine may be the cause: it fails more often than others.')
  if (build.is_cleared) return said('failed_not_by_change', 'A person found that this change is not the cause.')
  if (branch === '') return said('unknown', 'The target branch is unknown.')
  const same = await sameOnBranch(db, build)
  // What arrived while it ran may be part of the build. That is an excuse only if the build's own change does not touch what failed.
  const known = same && (same.is_older || (same.came_meanwhile && !build.is_named)) ? same : undefined
  if (known?.is_open && failed && failed.tests.others.causes > 0)
    return said('unknown', `${branch} already has breakage #${known.id}, but other tests failed for other causes.`, known.id)
  if (known?.is_open)
    return said('failed_not_by_change', `${branch} is already broken for this cause: breakage #${known.id}.`, known.id)
  if (known?.flaky)
    return said('failed_not_by_change', `This failure comes and goes on ${branch}: breakage #${known.id}.`, known.id)
  if (known)
    return said(
      'unknown',
      `${branch} was broken for this cause until recently: breakage #${known.id}. Update to the newest state and build again.`,
      known.id,
    )
  if (build.is_named)
    return said(
      'failed_by_change',
      `The change touches what failed, and ${branch} ${same ? 'did' : 'does'} not have this failure.`,
    )
  if (same)
    return said(
      'unknown',
      `${branch} got this failure after this build: breakage #${same.id}. This change may have brought it.`,
      same.id,
    )
  const last = await lastOnBranch(db, build)
  if (!last) return said('unknown', `The job has no result on ${branch} to compare with.`)
  if (!last.passed) return said('unknown', `The job fails on ${branch} for another cause, build ${last.id}.`)
  if (last.unbuilt > 0)
    return said(
      'unknown',
      `${branch} has ${last.unbuilt} ${last.unbuilt === 1 ? 'change' : 'changes'} that the job has not built yet.`,
    )
  return said('failed_by_change', `The job passes at the newest change of ${branch}, build ${last.id}.`)
}

const isPassed = (status: BuildStatus) => (PASSED_STATUSES as readonly BuildStatus[]).includes(status)

interface Known {
  id: string
  is_open: boolean
  flaky: boolean
  /** The build can have it from the branch: a change that may have broken the branch was there before it. */
  is_older: boolean
  came_meanwhile: boolean
}

/**
 * The breakage of the target branch with the same cause: an open one, a flaky one, or one that was fixed shortly before the build. One that
 * a later change brought, for example the merge of this one, is no excuse.
 */
const sameOnBranch = (
  db: Database,
  { account_id, project_id, fingerprint, joins_keys, target_branch, created_at, ended_at, commit_hash }: Build,
) =>
  db.one<Known>(sql`
    select k.id::text, ${UNSETTLED} as is_open, k.flaky, k.flaky or coalesce(came.at <= ${created_at}::timestamptz, false) as is_older,
      k.flaky or coalesce(came.at <= ${ended_at}::timestamptz, false) as came_meanwhile
    from breakages k cross join lateral (${firstArrival(commit_hash)}) came
    where k.account_id = ${account_id} and k.project_id = ${project_id} and k.branch = ${target_branch} and k.state <> 'withdrawn'
      and (k.fingerprint = ${fingerprint} or k.cause_keys && ${joins_keys ?? []}::text[])
      and (${UNSETTLED} or k.last_seen_at > ${created_at}::timestamptz - case when k.flaky then interval '30 days' else interval '14 days' end)
    order by is_older desc, ${UNSETTLED} desc, k.flaky desc, k.id desc limit 1`)

/** The newest result of the job on the target branch, and how many changes the branch has since. */
const lastOnBranch = (db: Database, { account_id, project_id, ci_job_name, target_branch }: Build) =>
  db.one<{ id: string; passed: boolean; unbuilt: number }>(sql`
    select last.id::text, last.passed, (
      select count(*) from change_branches p where p.account_id = ${account_id} and p.project_id = ${project_id} and p.branch = ${target_branch}
        and p.position > last.position and p.orphaned_at is null) as unbuilt
    from (
      select b.id, b.status in ${PASSED} as passed, coalesce(${positionOn(BRANCH)}, 0) as position from build_runs b
      where b.account_id = ${account_id} and b.project_id = ${project_id} and ${BRANCH} = ${target_branch} and b.ci_job_name = ${ci_job_name}
        and b.kind = 'regular' and b.status in ${PASSED_OR_FAILED}
      order by b.created_at desc, b.id desc limit 1) last`)
