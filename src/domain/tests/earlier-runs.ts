import { type Database, type Sql, sql } from '../../db/database.ts'
import type { ProjectKey } from '../../db/project-key.ts'
import { IS_OF_BRANCH, IS_REGULAR } from '../branches/build-statuses.ts'
import { BRANCH, inOrder, positionOn } from '../branches/positions.ts'
import { outcomeAt } from './packed.ts'

/** The branch whose runs a build `b` is compared with: a preflight is compared with its target branch. */
export const BASE = sql`case when b.kind = 'preflight' and b.target_branch <> '' then branch_key(b.target_branch) else ${BRANCH} end`

/**
 * The builds `b` of a branch that ran the tests of the report `r`, and their runs `q`. From the builds of the branch, in their order: most
 * runs of a report are of other branches.
 */
export const runsOfBranch = (branch: Sql, ofKinds: Sql = sql`${IS_OF_BRANCH}`) => sql`
  join build_runs b on b.account_id = r.account_id and b.project_id = r.project_id and b.ci_job_name = r.ci_job_name
    and ${ofKinds} and ${BRANCH} = ${branch}
  cross join lateral (
    select q.* from test_builds t join test_runs q on q.account_id = t.account_id and q.test_build_id = t.id
    where t.account_id = b.account_id and t.build_run_id = b.id and q.test_report_id = r.id) q`

/** Builds are reported in any order: this many that began before and after are put in order. */
const NEAR = 100

/** Runs of the same tests that are before those of a build on its branch, the last first. Preflights and bisecting builds are none. */
export const earlierRuns = (project: ProjectKey, testBuildId: number, buildRunId: number): Sql =>
  otherRuns(project, testBuildId, buildRunId, { isOn: sql`near.place < this.place`, order: sql`desc` })

/** Those that are after them, the next first. */
export const laterRuns = (project: ProjectKey, testBuildId: number, buildRunId: number): Sql =>
  otherRuns(project, testBuildId, buildRunId, { isOn: sql`near.place > this.place`, order: sql`asc` })

const otherRuns = ({ account_id }: ProjectKey, testBuildId: number, buildRunId: number, side: { isOn: Sql; order: Sql }): Sql => {
  const near = (condition: Sql, order: Sql) => sql`(
    select q.test_build_id, b.* from test_reports r ${runsOfBranch(sql`this.base`)}
    where r.account_id = own.account_id and r.id = own.test_report_id and ${condition} and ${IS_REGULAR} and b.job = this.job
    order by b.created_at ${order}, b.id ${order} limit ${NEAR})`
  return sql`(
    with this as materialized (
      select b.id, b.job, base, b.created_at, ${inOrder(positionOn(sql`base`))} as place from (
        select b.*, ${BASE} as base from build_runs b where b.account_id = ${account_id} and b.id = ${buildRunId}) b)
    select own.test_report_id as report_id, near.test_build_id, near.build_run_id,
      row_number() over (partition by own.test_report_id order by near.place ${side.order}) as nth
    from this, test_runs own cross join lateral (
      select b.test_build_id, b.id as build_run_id, ${inOrder(positionOn(sql`this.base`))} as place from (
        ${near(sql`(b.created_at, b.id) < (this.created_at, this.id)`, sql`desc`)} union all ${near(sql`(b.created_at, b.id) > (this.created_at, this.id)`, sql`asc`)}) b) near
    where own.account_id = ${account_id} and own.test_build_id = ${testBuildId} and ${side.isOn})`
}

/** What a case did in the last earlier run that ran it, by report and number; without those that no earlier run had. */
export async function lastOutcomes(
  db: Database,
  project: ProjectKey,
  build: { testBuildId: number; buildRunId: number },
  wanted: readonly { report_id: number; number: number }[],
) {
  const found = new Map<string, ReturnType<typeof outcomeAt>>()
  if (wanted.length === 0) return found
  const rows = await db.rows<{ report_id: number; outcomes: Buffer }>(sql`
    select e.report_id, q.outcomes from ${earlierRuns(project, build.testBuildId, build.buildRunId)} e
    join test_runs q on q.account_id = ${project.account_id} and q.test_build_id = e.test_build_id and q.test_report_id = e.report_id
    where e.report_id = any (${[...new Set(wanted.map(({ report_id }) => report_id))]}::bigint[]) order by e.nth limit ${NEAR}`)
  for (const run of rows)
    for (const { report_id, number } of wanted) {
      const key = `${report_id} ${number}`
      const outcome = run.report_id === report_id && !found.has(key) ? outcomeAt(run, number) : undefined
      if (outcome !== undefined && outcome !== 'skipped') found.set(key, outcome)
    }
  return found
}
