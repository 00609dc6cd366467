import type { QueryOf, ReplyOf } from '../../contract/routes.ts'
import { type Database, type Sql, sql } from '../../db/database.ts'
import { when } from '../../db/page.ts'
import type { ProjectKey } from '../../db/project-key.ts'
import { asShown } from '../privacy/scrub.ts'
import { LAST_FILE, withOwners } from './owners.ts'
import { durationAt, type Packed } from './packed.ts'
import { IN_QUARANTINE, QUARANTINE } from './quarantine.ts'
import { CASE, type CasePlace, type ShownCase, withNames } from './test-cases.ts'

type ProjectTests = ReplyOf<'listTests'>

const SHOWN_MAX = 20
const REPORTS_MAX = 50
const QUARANTINED_MAX = 200
const SINCE = sql`now() - interval '30 days'`

/** Which tests need attention, by what the last 30 days show. */
export async function overview(db: Database, project: ProjectKey, query: QueryOf<'listTests'>): Promise<ProjectTests> {
  const [failing, flaky, slowest, quarantined] = await Promise.all([
    failingTests(db, project, query),
    flakyTests(db, project, query),
    slowestTests(db, project, query),
    quarantinedTests(db, project, query),
  ])
  const named = await withOwners(db, project, [...failing, ...flaky, ...quarantined])
  const owners = new Map(named.map((row) => [row.id, row.owners]))
  const owned = <Row extends ShownCase & { file: string | null }>(rows: readonly Row[]) =>
    rows.map(({ file: _, ...row }) => ({ ...row, owners: owners.get(row.id)! }))
  return { failing: owned(failing), flaky: owned(flaky), slowest, quarantined: owned(quarantined) }
}

type Filed<Row> = Omit<Row, 'owners'> & ShownCase & { file: string | null }

/** Only the tests that are shown are looked up, unless those of a job are searched. */
const firstOf = ({ job }: QueryOf<'listTests'>, order: Sql) => (job === undefined ? sql`${order} limit ${SHOWN_MAX}` : sql``)

const ofJob = ({ job }: QueryOf<'listTests'>) => when(job, (name) => sql`and r.ci_job_name = ${asShown(name)}`)

const failingTests = (db: Database, { account_id, project_id }: ProjectKey, query: QueryOf<'listTests'>) =>
  db.rows<Filed<ProjectTests['failing'][number]>>(sql`
    select ${CASE}, ${LAST_FILE}, f.failures, iso(f.last_failed_at) as last_failed_at, t.build_run_id::text as last_build_run_id
    from (
      select account_id, test_case_id, count(*)::integer as failures, max(failed_at) as last_failed_at, max(test_build_id) as last_id
      from test_failures where account_id = ${account_id} and project_id = ${project_id} and failed_at >= ${SINCE} and outcome <> 'flaky'
      group by account_id, test_case_id ${firstOf(query, sql`order by failures desc, last_failed_at desc, test_case_id`)}) f
    join test_cases c on c.account_id = f.account_id and c.id = f.test_case_id
    join test_reports r on r.account_id = c.account_id and r.id = c.test_report_id
    join test_builds t on t.account_id = f.account_id and t.id = f.last_id
    where true ${ofJob(query)}
    order by f.failures desc, f.last_failed_at desc, f.test_case_id limit ${SHOWN_MAX}`)

/** As `judge` found them, on any branch. */
const flakyTests = (db: Database, { account_id, project_id }: ProjectKey, query: QueryOf<'listTests'>) =>
  db.rows<Filed<ProjectTests['flaky'][number]>>(sql`
    select ${CASE}, ${LAST_FILE}, f.flaky_runs, f.runs, iso(f.last_failed_at) as last_failed_at, t.build_run_id::text as last_build_run_id
    from (
      select account_id, test_case_id, sum(flaky_runs)::integer as flaky_runs, sum(runs)::integer as runs, max(last_failed_at) as last_failed_at,
        max(last_test_build_id) as last_id
      from flaky_tests where account_id = ${account_id} and project_id = ${project_id} and last_failed_at >= ${SINCE}
      group by account_id, test_case_id ${firstOf(query, sql`order by flaky_runs desc, last_failed_at desc, test_case_id`)}) f
    join test_cases c on c.account_id = f.account_id and c.id = f.test_case_id
    join test_reports r on r.account_id = c.account_id and r.id = c.test_report_id
    join test_builds t on t.account_id = f.account_id and t.id = f.last_id
    where true ${ofJob(query)}
    order by f.flaky_runs desc, f.last_failed_at desc, f.test_case_id limit ${SHOWN_MAX}`)

/** Those that end first come first. */
const quarantinedTests = (db: Database, { account_id, project_id }: ProjectKey, query: QueryOf<'listTests'>) =>
  db.rows<Filed<ProjectTests['quarantined'][number]>>(sql`
    select ${CASE}, ${LAST_FILE}, ${QUARANTINE} as quarantine, (select count(*) from test_failures f
      where f.account_id = c.account_id and f.test_case_id = c.id and f.failed_at >= q.quarantined_at and f.outcome <> 'flaky')::integer as failures
    from test_quarantines q
    join test_cases c on c.account_id = q.account_id and c.id = q.test_case_id
    join test_reports r on r.account_id = c.account_id and r.id = c.test_report_id
    where q.account_id = ${account_id} and q.project_id = ${project_id} and ${IN_QUARANTINE} ${ofJob(query)}
    order by q.until limit ${QUARANTINED_MAX}`)

/** By the newest run of each report. */
async function slowestTests(db: Database, project: ProjectKey, query: QueryOf<'listTests'>): Promise<ProjectTests['slowest']> {
  const newest = await db.rows<Packed & { report_id: number }>(sql`
    select r.id as report_id, q.outcomes, q.durations from test_reports r
    cross join lateral (
      select q.outcomes, q.durations from test_runs q where q.account_id = r.account_id and q.test_report_id = r.id and q.received_at >= ${SINCE}
      order by q.received_at desc limit 1) q
    where r.account_id = ${project.account_id} and r.project_id = ${project.project_id} ${ofJob(query)}
    order by r.id desc limit ${REPORTS_MAX}`)
  // Most of a run's 50,000 tests are faster than the slowest so far: sorting them all would take longer than the statements.
  const slowest: (CasePlace & { duration_ms: number })[] = []
  for (const { report_id, ...packed } of newest)
    for (let number = 0; number < packed.outcomes.length; number++) {
      const duration_ms = packed.outcomes[number] === 0 ? null : durationAt(packed, number)
      if (!duration_ms || (slowest.length === SHOWN_MAX && duration_ms <= slowest.at(-1)!.duration_ms)) continue
      slowest.push({ report_id, number, duration_ms })
      slowest.sort((a, b) => b.duration_ms - a.duration_ms).splice(SHOWN_MAX)
    }
  return withNames(db, project, slowest)
}
