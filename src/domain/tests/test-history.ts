import { notFound } from '../../contract/errors.ts'
import type { QueryOf, ReplyOf } from '../../contract/routes.ts'
import { type Database, type Sql, sql } from '../../db/database.ts'
import { when } from '../../db/page.ts'
import type { ProjectKey } from '../../db/project-key.ts'
import { branchKey } from '../branches/branch-names.ts'
import { byNumber } from '../branches/build-order.ts'
import { BRANCH, positionOn } from '../branches/positions.ts'
import { asShown } from '../privacy/scrub.ts'
import { runsOfBranch } from './earlier-runs.ts'
import { failingSince, isMassive, withOutages } from './flaky.ts'
import { COUNTS } from './judge-tests.ts'
import { LAST_FILE, withOwners } from './owners.ts'
import { type Counts, durationAt, outcomeAt, PASSED } from './packed.ts'
import { QUARANTINE } from './quarantine.ts'
import { CASE, type CasePlace, type ShownCase } from './test-cases.ts'

type TestHistory = ReplyOf<'showTest'>
type Run = TestHistory['runs'][number]
type Branch = TestHistory['branches'][number]

/** Of each branch, and of all: with many branches each has fewer. */
const RUNS_PER_BRANCH = 100
const RUNS_MAX = 300
/** The newest runs, of which those of each branch are taken. */
const RUNS_READ = 1_000
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
  const columns = sql`q.account_id, b.id, q.outcomes, q.durations, q.received_at, ${COUNTS}`
  const ofAny = sql`
    select ${columns}, row_number() over (partition by ${BRANCH} order by q.received_at desc) as nth
    from (
      select * from test_runs q where q.account_id = ${account_id} and q.test_report_id = ${found.report_id} and octet_length(q.outcomes) > ${found.number}
      order by q.received_at desc limit ${RUNS_READ}) q
    ${BUILD_OF_RUN}`
  const ofBranch = (name: string) => sql`
    select x.*, row_number() over (order by x.received_at desc) as nth from (
      select ${columns} from test_reports r ${runsOfBranch(sql`${asShown(branchKey(name))}::text`, sql`true`)}
      where r.account_id = ${account_id} and r.id = ${found.report_id} and octet_length(q.outcomes) > ${found.number}
      order by b.created_at desc, b.id desc limit ${RUNS_PER_BRANCH}) x`
  const newest = branch === undefined ? ofAny : ofBranch(branch)
  const rows = await db.rows<Row>(sql`
    with newest as (${newest}),
    taken as materialized (select * from newest where nth <= ${RUNS_PER_BRANCH} order by nth, received_at desc limit ${RUNS_MAX})
    ${runsIn(sql`taken`, found.number)} order by q.received_at desc`)
  const failures = await db.rows<TestHistory['failures'][number]>(sql`
    select t.build_run_id::text, t.build_number, f.outcome, f.message, f.details, f.output, nullif(f.file, '') as file, f.line,
      iso(f.failed_at) as failed_at
    from test_failures f join test_builds t on t.account_id = f.account_id and t.id = f.test_build_id
    where f.account_id = ${account_id} and f.test_case_id = ${id ?? 0} ${when(
      branch,
      (name) => sql`and exists (
      select from build_runs b where b.account_id = t.account_id and b.id = t.build_run_id and ${BRANCH} = ${asShown(branchKey(name))}::text)`,
    )}
    order by f.failed_at desc limit ${FAILURES_MAX}`)
  const placed = rows.flatMap(placedRun)
  const runs = placed.map(({ preflight: _, position: __, massive: ___, failures: ____, job: _____, ...run }) => run)
  const [owned] = await withOwners(db, { account_id, project_id }, [{ ...found.shown, file: found.file }])
  return {
    ...found.shown,
    owners: owned!.owners,
    quarantine: found.quarantine,
    branches: await branchesOf(db, { account_id, project_id }, { id: id!, ...found }, placed),
    runs,
    failures,
  }
}

interface Placed extends Run {
  job: string
  preflight: boolean
  position: number | null
  /** So many tests of the report failed that their cause is not in each of them. */
  massive: boolean
  failures: number
}

type Row = Omit<Placed, 'outcome' | 'duration_ms' | 'massive' | 'failures'> &
  Omit<Counts, 'duration_ms'> & { outcome: Buffer; duration: Buffer }

const BUILD_OF_RUN = sql`
  join test_builds t on t.account_id = q.account_id and t.id = q.test_build_id
  join build_runs b on b.account_id = t.account_id and b.id = t.build_run_id`

/** What is read of each of these runs `q`: of its outcomes and durations only those of one case. */
const runsIn = (runs: Sql, number: number) => sql`
  select b.id::text as build_run_id, b.build_number, b.job, ${BRANCH} as branch, b.commit_hash, b.changelist, ${COUNTS},
    substring(q.outcomes from ${number + 1}::integer for 1) as outcome, substring(q.durations from ${number * 2 + 1}::integer for 2) as duration,
    iso(q.received_at) as received_at, b.kind = 'preflight' as preflight, ${positionOn(BRANCH)} as position
  from ${runs} q join build_runs b on b.account_id = q.account_id and b.id = q.id`

function placedRun({ outcome, duration, passed, failed, errors, skipped, flaky, ...run }: Row): Placed[] {
  const known = outcomeAt({ outcomes: outcome }, 0)
  if (known === undefined) return []
  const massive = isMassive({ passed, failed, errors, skipped, flaky })
  return [{ ...run, outcome: known, duration_ms: durationAt({ durations: duration }, 0), massive, failures: failed + errors }]
}

/** Runs of a branch that are searched for a pass, and those that are read after and before it: reports may arrive out of order. */
const SEARCHED_MAX = 5_000
const AFTER_PASS = 50
const BEFORE_PASS = 20

/** The runs of a job around its newest pass on a branch, for a case that failed in all of its newest runs. */
const runsAroundPass = async (
  db: Database,
  { account_id }: ProjectKey,
  { report_id, number }: CasePlace,
  job: string,
  branch: string,
) => {
  const rows = await db.rows<Row>(sql`
    with own as materialized (
      select q.account_id, b.id, q.outcomes, q.durations, q.received_at, ${COUNTS} from test_reports r
      ${runsOfBranch(sql`${branch}::text`)}
      where r.account_id = ${account_id} and r.id = ${report_id} and octet_length(q.outcomes) > ${number} and b.job = ${job}
      order by b.created_at desc, b.id desc limit ${SEARCHED_MAX}),
    pass as materialized (
      select received_at from own where substring(outcomes from ${number + 1}::integer for 1) = ${PASSED}
      order by received_at desc limit 1),
    around as materialized (
      (select * from own where received_at > (select received_at from pass) order by received_at limit ${AFTER_PASS})
      union all (select * from own where received_at <= (select received_at from pass) order by received_at desc limit ${BEFORE_PASS}))
    ${runsIn(sql`around`, number)}`)
  return rows.flatMap(placedRun)
}

/** Whether the test fails on each branch, and the changes between its last pass and its first failure there. */
async function branchesOf(
  db: Database,
  project: ProjectKey,
  { id, ...place }: CasePlace & { id: number },
  placed: readonly Placed[],
): Promise<Branch[]> {
  const flaky = await db.rows<{ branch: string }>(sql`
    select branch from flaky_tests where account_id = ${project.account_id} and test_case_id = ${id}`)
  const own = placed.filter(({ preflight }) => !preflight)
  const branches = [...new Set(own.map(({ branch }) => branch))]
  return Promise.all(
    branches.map(async (branch): Promise<Branch> => {
      const isFlaky = flaky.some((each) => each.branch === branch)
      const there = own.filter((run) => run.branch === branch)
      const jobs = [...new Set(there.map(({ job }) => job))]
      const spans = await Promise.all(
        jobs.map((job) =>
          failureIn(
            db,
            project,
            place,
            there.filter((run) => run.job === job),
            isFlaky,
          ),
        ),
      )
      const failing = spans.filter((span) => span !== undefined)
      // A failure whose last pass is known has the narrower range.
      const shown = failing.find(({ passed }) => passed !== undefined) ?? failing[0]
      const nothing = { first_failed_build_run_id: null, last_passed_build_run_id: null, ...NO_RANGE }
      if (shown === undefined || isFlaky) return { branch, flaky: isFlaky, failing: shown !== undefined, ...nothing }
      const { first, passed } = shown
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

/** Since when the test fails in a job on a branch; undefined if it passes there. A job with its platform: others say nothing about it. */
async function failureIn(db: Database, project: ProjectKey, place: CasePlace, own: readonly Placed[], isFlaky: boolean) {
  let runs = own.toSorted(inPlace)
  let since = failingSince(withOutages(runs))
  if (since?.lastPassed === null && !isFlaky) {
    const { job, branch } = own[0]!
    const shown = new Set(runs.map(({ build_run_id }) => build_run_id))
    const around = await runsAroundPass(db, project, place, job, branch)
    runs = [...around.filter(({ build_run_id }) => !shown.has(build_run_id)), ...runs].toSorted(inPlace)
    since = failingSince(withOutages(runs))
  }
  return since === null
    ? undefined
    : { first: runs[since.first]!, passed: since.lastPassed === null ? undefined : runs[since.lastPassed]! }
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
