import type { BuildContext } from '../../contract/app/builds.ts'
import { notFound } from '../../contract/errors.ts'
import { CI_ACTIONS } from '../../contract/sets.ts'
import { type Database, type Sql, sql } from '../../db/database.ts'
import type { ProjectKey } from '../../db/project-key.ts'
import { BRANCH, lastPassed, NAMED_CHANGES, placed } from '../branches/positions.ts'
import { openOnBranch } from '../breakages/open-on-branch.ts'
import { lineColumns } from '../builds/build-line.ts'
import { type CiSubject, ciSubject, ofIntegration, refusalOf } from '../builds/ci-actions.ts'
import { startParameters } from '../builds/start-parameters.ts'
import { wouldBegin } from './investigations.ts'
import { verdictOf } from './preflight-verdict.ts'

/** For a job with many branches, how many builds are searched for the neighbor on the same branch. */
const NEIGHBOURS = 200

const neighbour = (branch: string, side: Sql, order: Sql) => sql`(
  select row_to_json(x) from (
    select ${lineColumns} from (
      select b.* from build_runs b
      where b.account_id = this.account_id and b.project_id = this.project_id and b.ci_job_name = this.ci_job_name and b.kind = this.kind
        and (b.created_at, b.id) ${side} (this.created_at, this.id)
      order by ${order} limit ${NEIGHBOURS}) b
    where ${BRANCH} = ${branch} and b.job = this.job order by ${order} limit 1) x)`

const CANDIDATES = 20

/** The possible branches of a build whose branch is unknown: streams that end in the CI's name, or branches with that name in a repository. */
const branchCandidates = (branch: string) => sql`(
  select coalesce(json_agg(k.name order by k.name), '[]') from (
    select k.name from branches k
    where ${branch === ''} and this.branch <> '' and k.account_id = this.account_id and k.project_id = this.project_id and k.deleted_at is null
      and (k.told = branch_key(this.branch) or k.tail = substring(lower(branch_key(this.branch)) from '[^/]+$')
        and right(k.name, length(branch_key(this.branch)) + 1) = '/' || lower(branch_key(this.branch)))
    order by k.name limit ${CANDIDATES}) k)`

/** The neighbors, branch and breakage of a build. */
export async function contextOf(db: Database, project: ProjectKey, id: number): Promise<BuildContext> {
  const build = await placed(db, { ...project, id })
  if (!build) throw notFound('Build run')
  const passed = await lastPassed(db, build)
  const context = (await db.one<
    Omit<BuildContext, 'branch_breakages' | 'ci_actions' | 'ci_parameters' | 'verdict'> & Preflight & { ci: CiSubject }
  >(sql`
    select this.kind = 'preflight' as is_preflight, this.url, this.time_note, this.shelf, this.pull_request, this.head_repository,
      coalesce(nullif(branch_key(this.target_branch), ''), ${build.branch}) as target_branch,
      ${build.branch}::text as branch_name, ${branchCandidates(build.branch)} as branch_candidates,
      exists (select from change_branches p
        where p.account_id = this.account_id and p.project_id = this.project_id and p.branch = ${build.branch}) as branch_has_changes,
      ${neighbour(build.branch, sql`<`, sql`b.created_at desc, b.id desc`)} as previous,
      ${neighbour(build.branch, sql`>`, sql`b.created_at, b.id`)} as next,
      (select row_to_json(x) from (select ${lineColumns} from build_runs b
        where b.account_id = this.account_id and b.id = ${passed?.id ?? 0}) x) as last_passed,
      this.status = 'failed' and ${wouldBegin(sql`this`)} as can_investigate,
      (select row_to_json(x) from (
        select ${ciSubject(sql`b`)} from (select this.*) b ${ofIntegration(sql`b`)}) x) as ci,
      coalesce((
        select c.file_url from (select this.*) b, ${NAMED_CHANGES} where c.file_url <> ''
        order by c.timestamp desc limit 1), '') as file_url,
      ${roots} as roots
    from build_runs this where this.account_id = ${build.account_id} and this.id = ${build.id}`))!
  const { is_preflight, ci, ...shown } = context
  const open = is_preflight ? await openOnBranch(db, { ...project, branch: shown.target_branch }) : []
  return {
    ...shown,
    ci_actions: CI_ACTIONS.filter((action) => refusalOf(action, ci) === null),
    ci_parameters: startParameters(ci.start_parameters),
    branch_breakages: open.map(({ id, cause }) => ({ id, cause })),
    verdict: is_preflight ? ((await verdictOf(db, project, id)) ?? null) : null,
  }
}

interface Preflight {
  is_preflight: boolean
}

/** A few changes show the folders that people work in; one that touches everything would take long to read. */
const CHANGES = 50
const FILES = 500

/** The top folders of the repository, below the stream if there is one. */
const roots = sql`(
  select coalesce(json_agg(distinct root), '[]') from (
    select c.files from changes c where c.account_id = this.account_id and c.project_id = this.project_id and c.file_count <= ${FILES}
    order by c.timestamp desc, c.id desc limit ${CHANGES}) recent,
  jsonb_array_elements(recent.files) file,
  lateral (select substring(file ->> 'path' from '^(?://[^/]+/[^/]+/)?([^/]+)/') as root) top
  where root is not null)`
