import { type Database, sql } from '../../db/database.ts'
import type { ProjectKey, RecordKey } from '../../db/project-key.ts'
import { IS_OF_BRANCH } from '../branches/build-statuses.ts'
import { BRANCH, inOrder, positionOn } from '../branches/positions.ts'
import { type ChangedFiles, stemsOfCase, stemsOfChange, touches } from './case-files.ts'
import { runsOfBranch } from './earlier-runs.ts'
import { type CaseRun, decidingRuns, flakyFailures, isMassive, RUNS_READ, type Touched } from './flaky.ts'
import { type Counts, NOT_PASSED, outcomeAt } from './packed.ts'

/** The tests of a report on a branch. */
interface OnBranch {
  account_id: number
  project_id: number
  test_report_id: number
  branch: string
}

interface Run extends Omit<Counts, 'duration_ms'> {
  test_build_id: number
  job: string
  change: string
  position: number | null
  outcomes: Buffer
  received_at: string
}

/** Finds the flaky tests among those that a build ran, on its branch. Returns those that became flaky or are no longer. */
export async function judge(db: Database, { account_id, id }: RecordKey): Promise<number[]> {
  const reports = await db.rows<OnBranch>(sql`
    select t.account_id, t.project_id, r.test_report_id, ${BRANCH} as branch from test_builds t
    join build_runs b on b.account_id = t.account_id and b.id = t.build_run_id
    join test_runs r on r.account_id = t.account_id and r.test_build_id = t.id
    where t.account_id = ${account_id} and t.id = ${id} and ${IS_OF_BRANCH} order by r.test_report_id`)
  const changed: number[] = []
  for (const report of reports) changed.push(...(await judgeReport(db, report)))
  return changed
}

/** Finds the flaky tests of a project on every branch. */
export async function judgeAll(db: Database, { account_id, project_id }: ProjectKey) {
  const newest = await db.rows<RecordKey>(sql`
    select account_id, id from (
      select distinct on (r.test_report_id, ${BRANCH}) t.account_id, t.id from test_runs r
      join test_builds t on t.account_id = r.account_id and t.id = r.test_build_id
      join build_runs b on b.account_id = t.account_id and b.id = t.build_run_id
      where r.account_id = ${account_id} and t.project_id = ${project_id} and ${IS_OF_BRANCH}
      order by r.test_report_id, ${BRANCH}, r.received_at desc) newest
    group by account_id, id order by id`)
  for (const build of newest) await judge(db, build)
}

/** A test is flaky on a branch if it is in one of the jobs that report it: a failure on one platform and a pass on another say nothing. */
async function judgeReport(db: Database, report: OnBranch): Promise<number[]> {
  const runs = await runsOn(db, report)
  const found = new Map<number, Found>()
  for (const job of new Set(runs.map((run) => run.job)))
    for (const one of await flakyIn(
      db,
      report,
      runs.filter((run) => run.job === job),
    ))
      if ((found.get(one.number)?.flaky_runs ?? 0) < one.flaky_runs) found.set(one.number, one)
  return store(db, report, [...found.values()])
}

/** `runs`: of one job. */
async function flakyIn(db: Database, report: OnBranch, runs: readonly Run[]): Promise<Found[]> {
  const failing = failingCases(runs)
  const massive = runs.map(isMassive)
  const runsOfCase = (number: number) =>
    runs.flatMap(({ change, position, outcomes }, at): (CaseRun & { at: number })[] => {
      const outcome = outcomeAt({ outcomes }, number)
      return outcome === undefined ? [] : [{ outcome, change, position, massive: massive[at]!, at }]
    })
  // Without files: the few that could be flaky at all.
  const possible = failing.filter((number) => flakyFailures(runsOfCase(number), () => false).length > 0)
  const touchedBy = possible.length === 0 ? undefined : await touchedOf(db, report, possible, runs)
  return possible.flatMap((number) => {
    const own = runsOfCase(number)
    const failures = flakyFailures(own, touchedBy!(number))
    const last = failures.length > 0 && runs[own[failures.at(-1)!]!.at]!
    return last ? [{ number, flaky_runs: failures.length, runs: decidingRuns(own), test_build_id: last.test_build_id }] : []
  })
}

/** How many tests of a run `q` had each outcome. */
export const COUNTS = sql`q.passed, q.failed, q.errors, q.skipped, q.flaky`

/** In the order of the branch. */
export const runsOn = (db: Database, { account_id, test_report_id, branch }: OnBranch) =>
  db.rows<Run>(sql`
    with newest as (
      select b.*, q.test_build_id, q.outcomes, q.received_at as tested_at, ${COUNTS} from test_reports r
      ${runsOfBranch(sql`${branch}::text`)}
      where r.account_id = ${account_id} and r.id = ${test_report_id}
      order by b.created_at desc, b.id desc limit ${RUNS_READ}),
    placed as (select b.*, ${positionOn(BRANCH)} as position from newest b)
    select b.test_build_id, b.job, nullif(concat(b.commit_hash, ' ', b.changelist), ' ') as change, b.position, b.outcomes, b.tested_at as received_at,
      b.passed, b.failed, b.errors, b.skipped, b.flaky
    from placed b order by ${inOrder(sql`b.position`)}`)

/** The numbers of the cases that did not pass in one of the runs. */
function failingCases(runs: readonly Run[]): number[] {
  const numbers = new Set<number>()
  for (const { outcomes } of runs)
    for (let number = 0; number < outcomes.length; number++) if (NOT_PASSED.has(outcomes[number]!)) numbers.add(number)
  return [...numbers]
}

const CHANGES_READ = 2_000
const FILES_READ = 500

/** By the number of a case, whether changes touch its files. */
async function touchedOf(
  db: Database,
  { account_id, project_id, test_report_id, branch }: OnBranch,
  numbers: readonly number[],
  runs: readonly Run[],
): Promise<(number: number) => Touched> {
  const positions = runs.flatMap(({ position }) => position ?? [])
  const changes = await db.rows<{ position: number; paths: string[] | null }>(sql`
    select p.position, case when c.file_count <= ${FILES_READ} then array(select f ->> 'path' from jsonb_array_elements(c.files) f) end as paths
    from change_branches p join changes c on c.account_id = p.account_id and c.id = p.change_id
    where p.account_id = ${account_id} and p.project_id = ${project_id} and p.branch = ${branch} and p.orphaned_at is null
      and p.position > ${positions[0] ?? 0} and p.position <= ${positions.at(-1) ?? 0}
    order by p.position limit ${CHANGES_READ}`)
  const cases = await db.rows<{ number: number; suite: string; class: string; name: string; files: string[] }>(sql`
    select c.number, c.suite, c.class, c.name, array(select distinct f.file from test_failures f
      where f.account_id = c.account_id and f.test_case_id = c.id and f.file <> '') as files
    from test_cases c where c.account_id = ${account_id} and c.test_report_id = ${test_report_id} and c.number = any (${numbers}::integer[])`)
  if (changes.length === CHANGES_READ) return () => () => true
  const changed = changes.map(
    ({ position, paths }): ChangedFiles => ({ position, stems: paths === null ? null : stemsOfChange(paths) }),
  )
  const stems = new Map(cases.map(({ number, ...named }) => [number, stemsOfCase(named)]))
  return (number) => {
    const at = changed.filter((change) => touches(change, stems.get(number)!)).map(({ position }) => position)
    return (above, upTo) => at.some((position) => position > above && position <= upTo)
  }
}

interface Found {
  number: number
  flaky_runs: number
  runs: number
  test_build_id: number
}

/** Tests that are no longer flaky on the branch are removed. */
async function store(db: Database, { account_id, project_id, test_report_id, branch }: OnBranch, found: readonly Found[]) {
  const changed = await db.rows<{ id: number }>(sql`
    with found as (
      select c.id, x.flaky_runs, x.runs, x.test_build_id, q.received_at from json_to_recordset(${JSON.stringify(found)}::json)
        as x (number integer, flaky_runs integer, runs integer, test_build_id bigint)
      join test_cases c on c.account_id = ${account_id} and c.test_report_id = ${test_report_id} and c.number = x.number
      join test_runs q on q.account_id = c.account_id and q.test_build_id = x.test_build_id and q.test_report_id = c.test_report_id),
    gone as (
      delete from flaky_tests f where f.account_id = ${account_id} and f.test_report_id = ${test_report_id} and f.branch = ${branch}
        and f.test_case_id not in (select id from found)
      returning test_case_id as id),
    stored as (
    insert into flaky_tests as f (account_id, project_id, test_report_id, test_case_id, branch, flaky_runs, runs, last_test_build_id, last_failed_at)
    select ${account_id}, ${project_id}, ${test_report_id}, id, ${branch}, flaky_runs, runs, test_build_id, received_at from found
    on conflict (account_id, test_case_id, branch) do update set flaky_runs = excluded.flaky_runs, runs = excluded.runs,
      last_test_build_id = excluded.last_test_build_id, last_failed_at = excluded.last_failed_at
    where (f.flaky_runs, f.runs, f.last_test_build_id) is distinct from (excluded.flaky_runs, excluded.runs, excluded.last_test_build_id)
    returning test_case_id as id, xmax = 0 as is_new)
    select id from gone union all select id from stored where is_new`)
  return changed.map(({ id }) => id)
}
