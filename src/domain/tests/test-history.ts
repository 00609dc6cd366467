import { notFound } from '../../contract/errors.ts'
import type { QueryOf, ReplyOf } from '../../contract/routes.ts'
import { type Database, sql } from '../../db/database.ts'
import { when } from '../../db/page.ts'
import type { ProjectKey } from '../../db/project-key.ts'
import { branchKey } from '../branches/branch-names.ts'
import { byNumber } from '../branches/build-order.ts'
import { BRANCH, positionOn } from '../branches/positions.ts'
import { asShown } from '../privacy/scrub.ts'
import { failingSince } from './flaky.ts'
import { LAST_FILE, withOwners } from './owners.ts'
import { durationAt, outcomeAt } from './packed.ts'
import { QUARANTINE } from './quarantine.ts'
import { CASE, type ShownCase } from './test-cases.ts'

type TestHistory = ReplyOf<'showTest'>
type Run = TestHistory['runs'][number]
type Branch = TestHistory['branches'][number]

const RUNS_MAX = 100
const FAILURES_MAX = 10

/** A test with its newest runs. Only the bytes of this case are read from each of them. */
export async function find(
  db: Database,
  { account_id, project_id }: ProjectKey,
  id: number | undefined,
  { branch }: QueryOf<'showTest'>,
): Promise<TestHistory> {
  type Found = { shown: ShownCase; number: number; report_id: number; quarantine: TestHistory['quarantine']; file: string | null }
  const found = await db.one<Found>(sql`
    select (select row_to_json(x) from (select ${CASE}) x) as shown, c.number, c.test_report_id as report_id, ${QUARANTINE} as quarantine, ${LAST_FILE}
    from test_cases c join test_reports r on r.account_id = c.account_id and r.id = c.test_report_id
    left join test_quarantines q on q.account_id = c.account_id and q.test_case_id = c.id
    where c.account_id = ${account_id} and c.project_id = ${project_id} and c.id = ${id ?? 0}`)
  if (!found) throw notFound('Test')
  type Row = Omit<Placed, 'outcome' | 'duration_ms'> & { outcome: Buffer; duration: Buffer }
  const rows = await db.rows<Row>(sql`
    select b.id::text as build_run_id, b.build_number, ${BRANCH} as branch, b.commit_hash, b.changelist,
      substring(q.outcomes from ${found.number + 1}::integer for 1) as outcome,
      substring(q.durations from ${found.number * 2 + 1}::integer for 2) as duration, iso(q.received_at) as received_at,
      b.kind = 'preflight' as preflight, ${positionOn(BRANCH)} as position
    from test_runs q
    join test_builds t on t.account_id = q.account_id and t.id = q.test_build_id
    join build_runs b on b.account_id = t.account_id and b.id = t.build_run_id
    where q.account_id = ${account_id} and q.test_report_id = ${found.report_id} and octet_length(q.outcomes) > ${found.number}
      ${when(branch, (name) => sql`and ${BRANCH} = ${asShown(branchKey(name))}`)}
    order by q.received_at desc limit ${RUNS_MAX}`)
  const failures = await db.rows<TestHistory['failures'][number]>(sql`
    select t.build_run_id::text, t.build_number, f.outcome, f.message, f.details, f.output, nullif(f.file, '') as file, f.line,
      iso(f.failed_at) as failed_at
    from test_failures f join test_builds t on t.account_id = f.account_id and t.id = f.test_build_id
    where f.account_id = ${account_id} and f.test_case_id = ${id ?? 0} order by f.failed_at desc limit ${FAILURES_MAX}`)
  const placed = rows.flatMap(({ outcome, duration, ...run }): Placed[] => {
    const known = outcomeAt({ outcomes: outcome }, 0)
    return known === undefined ? [] : [{ ...run, outcome: known, duration_ms: durationAt({ durations: duration }, 0) }]
  })
  const runs = placed.map(({ preflight: _, position: __, ...run }) => run)
  const [owned] = await withOwners(db, { account_id, project_id }, [{ ...found.shown, file: found.file }])
  return {
    ...found.shown,
    owners: owned!.owners,
    quarantine: found.quarantine,
    branches: await branchesOf(db, { account_id, project_id }, id!, placed),
    runs,
    failures,
  }
}

interface Placed extends Run {
  preflight: boolean
  position: number | null
}

/** Whether the test fails on each branch, and the changes between its last pass and its first failure there. */
async function branchesOf(db: Database, project: ProjectKey, id: number, placed: readonly Placed[]): Promise<Branch[]> {
  const flaky = await db.rows<{ branch: string }>(sql`
    select branch from flaky_tests where account_id = ${project.account_id} and test_case_id = ${id}`)
  const own = placed.filter(({ preflight }) => !preflight)
  const branches = [...new Set(own.map(({ branch }) => branch))]
  return Promise.all(
    branches.map(async (branch): Promise<Branch> => {
      const runs = own.filter((run) => run.branch === branch).toSorted(inPlace)
      const since = failingSince(runs)
      const isFlaky = flaky.some((each) => each.branch === branch)
      const nothing = { first_failed_build_run_id: null, last_passed_build_run_id: null, ...NO_RANGE }
      if (since === null || isFlaky) return { branch, flaky: isFlaky, failing: since !== null, ...nothing }
      const first = runs[since.first]!
      const passed = since.lastPassed === null ? undefined : runs[since.lastPassed]!
      return {
        branch,
        flaky: false,
        failing: true,
        first_failed_build_run_id: first.build_run_id,
        last_passed_build_run_id: passed?.build_run_id ?? null,
        ...(await rangeOf(db, project, branch, passed?.position ?? null, first.position)),
      }
    }),
  )
}

/** In the order of the branch. */
const inPlace = (a: Placed, b: Placed) =>
  (a.position ?? 0) - (b.position ?? 0) || byNumber({ ...a, id: Number(a.build_run_id) }, { ...b, id: Number(b.build_run_id) })

type Range = Pick<Branch, 'last_good_change' | 'first_bad_change' | 'changes_in_range'>
const NO_RANGE: Range = { last_good_change: null, first_bad_change: null, changes_in_range: null }

async function rangeOf(
  db: Database,
  { account_id, project_id }: ProjectKey,
  branch: string,
  above: number | null,
  upTo: number | null,
): Promise<Range> {
  if (upTo === null) return NO_RANGE
  const there = sql`p.account_id = ${account_id} and p.project_id = ${project_id} and p.branch = ${branch} and p.orphaned_at is null`
  const changeAt = (position: number) => sql`(
    select json_build_object('id', c.id, 'identifier', c.identifier, 'display_identifier', c.display_identifier, 'timestamp', iso(c.timestamp))
    from change_branches p join changes c on c.account_id = p.account_id and c.id = p.change_id
    where ${there} and p.position <= ${position} order by p.position desc limit 1)`
  return (await db.one<Range>(sql`
    select ${above === null ? sql`null::json` : changeAt(above)} as last_good_change, ${changeAt(upTo)} as first_bad_change,
      ${above === null ? sql`null::integer` : sql`(select count(*) from change_branches p where ${there} and p.position > ${above} and p.position <= ${upTo})::integer`}
        as changes_in_range`))!
}
