import { type Database, sql } from '../../db/database.ts'
import type { ProjectKey } from '../../db/project-key.ts'
import { IS_OF_BRANCH } from '../branches/build-statuses.ts'
import { BRANCH, positionOn, type Standing } from '../branches/positions.ts'
import { outcomeAt } from '../tests/packed.ts'
import { isFailing } from '../tests/test-cases.ts'

/** Runs of the tests that are read: around the first failure, and the newest. */
const BEFORE = 50
const READ = 200

interface Case {
  report_id: number
  /** A renamed case has one for each name. */
  numbers: number[]
  /** The newest failure is of this one: a test that was fixed or renamed before need not pass. */
  required: boolean
}

interface Run extends Standing {
  report_id: number
  outcomes: Buffer
}

/**
 * The passes of a job that a breakage with failed tests hit: builds in which these tests passed, whatever else failed there, and passed builds
 * in which none of them failed. `builds`: the failures of the job in their order.
 */
export async function withPassesOfTests(
  db: Database,
  { account_id, project_id }: ProjectKey,
  { job, branch, builds }: { job: string; branch: string; builds: readonly number[] },
  passes: readonly Standing[],
): Promise<readonly Standing[]> {
  const cases = await db.rows<Case>(sql`
    with recursive failed as (
      select unnest(m.test_case_ids) as id, array_position(${builds}::bigint[], m.build_run_id) as nth from breakage_builds m
      where m.account_id = ${account_id} and m.build_run_id = any (${builds}::bigint[])),
    named as (
      select id as of, id from failed
      union
      select n.of, renamed.id from named n, lateral (
        select c.continues_id as id from test_cases c where c.account_id = ${account_id} and c.id = n.id and c.continues_id is not null
        union all select c.id from test_cases c where c.account_id = ${account_id} and c.continues_id = n.id) renamed)
    select c.test_report_id as report_id, array_agg(distinct c.number) as numbers, max(f.nth) = (select max(nth) from failed) as required
    from failed f join named n on n.of = f.id join test_cases c on c.account_id = ${account_id} and c.id = n.id
    group by c.test_report_id, f.id`)
  if (cases.length === 0) return passes
  const runs = await db.rows<Run>(sql`
    with first as (
      select q.test_report_id, min(q.received_at) as at from test_builds t
      join test_runs q on q.account_id = t.account_id and q.test_build_id = t.id
      where t.account_id = ${account_id} and t.build_run_id = any (${builds}::bigint[])
        and q.test_report_id = any (${cases.map(({ report_id }) => report_id)}::bigint[]) group by q.test_report_id),
    read as (
      select distinct q.* from first, lateral (
        (select q.account_id, q.test_build_id, q.test_report_id from test_runs q
          where q.account_id = ${account_id} and q.test_report_id = first.test_report_id and q.received_at < first.at
          order by q.received_at desc limit ${BEFORE})
        union all (select q.account_id, q.test_build_id, q.test_report_id from test_runs q
          where q.account_id = ${account_id} and q.test_report_id = first.test_report_id and q.received_at >= first.at
          order by q.received_at limit ${READ})
        union all (select q.account_id, q.test_build_id, q.test_report_id from test_runs q
          where q.account_id = ${account_id} and q.test_report_id = first.test_report_id order by q.received_at desc limit ${READ})) q)
    select b.account_id, b.id, b.created_at as began_at, ${branch}::text as branch, ${positionOn(sql`${branch}::text`)} as position,
      b.build_number, b.commit_hash, b.changelist, coalesce(b.finished_at, b.updated_at) as finished_at, b.created_at as received_at, b.kind = 'bisect' as bisect,
      q.test_report_id as report_id, q.outcomes
    from read join test_runs q on q.account_id = read.account_id and q.test_build_id = read.test_build_id and q.test_report_id = read.test_report_id
    join test_builds t on t.account_id = q.account_id and t.id = q.test_build_id
    join build_runs b on b.account_id = t.account_id and b.id = t.build_run_id and b.project_id = ${project_id} and b.job = ${job}
      and ${BRANCH} = ${branch} and ${IS_OF_BRANCH} and b.verdict is not null`)
  const found = new Map(passes.map((pass) => [pass.id, pass]))
  for (const [id, own] of grouped(runs)) {
    const outcomes = cases.map((one) => ({ ...one, outcome: outcomeIn(own, one) }))
    if (outcomes.some(({ outcome }) => isFailing(outcome))) found.delete(id)
    else if (outcomes.every(({ outcome, required }) => !required || outcome === 'passed')) {
      const { report_id: _, outcomes: __, ...standing } = own[0]!
      found.set(id, standing)
    }
  }
  return [...found.values()]
}

const outcomeIn = (runs: readonly Run[], { report_id, numbers }: Case) => {
  const run = runs.find((one) => one.report_id === report_id)
  const outcomes = numbers.flatMap((number) => (run && outcomeAt(run, number)) ?? [])
  return outcomes.find(isFailing) ?? outcomes[0]
}

function grouped(runs: readonly Run[]): Map<number, Run[]> {
  const builds = new Map<number, Run[]>()
  for (const run of runs) builds.set(run.id, [...(builds.get(run.id) ?? []), run])
  return builds
}
