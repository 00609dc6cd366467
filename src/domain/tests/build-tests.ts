import { notFound } from '../../contract/errors.ts'
import type { ReplyOf } from '../../contract/routes.ts'
import type { TestFailureState, TestOutcome } from '../../contract/sets.ts'
import { type Database, sql } from '../../db/database.ts'
import type { ProjectKey } from '../../db/project-key.ts'
import { byCause } from './cause.ts'
import { BASE, earlierRuns, lastOutcomes } from './earlier-runs.ts'
import { withOwners } from './owners.ts'
import { type Counts, durationAt, outcomeAt, type Packed } from './packed.ts'
import { IN_QUARANTINE } from './quarantine.ts'
import { CASE, type CasePlace, isFailing, withNames } from './test-cases.ts'

type BuildTests = ReplyOf<'listBuildTests'>
export type Failure = Omit<BuildTests['failures'][number], 'owners'>

const SHOWN_MAX = 200
const SLOWER_MAX = 20
/** Faster tests vary by more than a half anyway. */
const SLOW_MS = 1_000
const SLOWER = 1.5

interface Run extends Packed, Counts {
  report_id: number
  report: string | null
  platform: string | null
  rhi: string | null
  received_at: string
  previous_id: string | null
  previous_outcomes: Buffer | null
  previous_durations: Buffer | null
}

/** The results of a build, compared with the previous run of the same tests on its branch. A preflight is compared with its target branch. */
export async function ofBuild(db: Database, project: ProjectKey, buildRunId: number | undefined): Promise<BuildTests> {
  const { runs, failures, verdict } = await resultsOf(db, project, buildRunId)
  const compared = runs.map(compare)
  const across = <K extends keyof Compared>(key: K) => compared.flatMap((each) => each[key] as Compared[K][number][])
  const total = (count: (run: Run) => number) => runs.reduce((sum, run) => sum + count(run), 0)
  const inState = (state: TestFailureState) => failures.filter((failure) => failure.state === state && isFailing(failure.outcome))
  const counts = countsOf(total)
  return {
    ...counts,
    verdict,
    quarantined: failures.filter(({ quarantined, outcome }) => quarantined && isFailing(outcome)).length,
    reports: runs.map((run) => ({
      report: run.report,
      platform: run.platform,
      rhi: run.rhi,
      ...countsOf((count) => count(run)),
      compared_with_build_run_id: run.previous_id,
      received_at: run.received_at,
    })),
    new_failures: inState('new').length,
    still_failing: inState('still_failing').length,
    first_run_failures: inState('first_run').length,
    causes: causesOf(failures, counts.tests),
    failures: await withOwners(db, project, failures.slice(0, SHOWN_MAX)),
    fixed: await withNames(db, project, across('fixed').slice(0, SHOWN_MAX)),
    skipped_tests: await withNames(db, project, across('skipped').slice(0, SHOWN_MAX)),
    slower: await withNames(db, project, slowest(across('slower'))),
  }
}

async function resultsOf(db: Database, project: ProjectKey, buildRunId: number | undefined) {
  const build = await db.one<{ test_build_id: number | null; verdict: BuildTests['verdict'] }>(sql`
    select t.id as test_build_id, b.verdict from build_runs b left join test_builds t on t.account_id = b.account_id and (t.build_run_id = b.id
      or t.build_run_id is null and t.integration_id = b.integration_id and t.ci_job_name = b.ci_job_name and t.build_number = b.build_number)
    where b.account_id = ${project.account_id} and b.project_id = ${project.project_id} and b.id = ${buildRunId ?? 0}`)
  if (!build) throw notFound('Build run')
  if (build.test_build_id === null) return { runs: [], failures: [], verdict: build.verdict }
  const runs = await runsOf(db, project, build.test_build_id, buildRunId!)
  return { runs, verdict: build.verdict, failures: await failuresOf(db, project, build.test_build_id, buildRunId!, runs) }
}

/** Its failed and flaky tests, and how many it ran. */
export async function failuresOfBuild(db: Database, project: ProjectKey, buildRunId: number) {
  const { runs, failures } = await resultsOf(db, project, buildRunId)
  return { failures, tests: testsOf((count) => runs.reduce((sum, run) => sum + count(run), 0)) }
}

type Total = (count: (run: Run) => number) => number
const testsOf = (total: Total) => total((run) => run.passed + run.failed + run.errors + run.skipped + run.flaky)
const countsOf = (total: Total) => ({
  tests: testsOf(total),
  passed: total((run) => run.passed),
  failed: total((run) => run.failed),
  errors: total((run) => run.errors),
  skipped: total((run) => run.skipped),
  flaky: total((run) => run.flaky),
  duration_ms: total((run) => run.duration_ms),
})

const runsOf = (db: Database, project: ProjectKey, testBuildId: number, buildRunId: number) =>
  db.rows<Run>(sql`
    with earlier as materialized (${earlierRuns(project, testBuildId, buildRunId)})
    select r.test_report_id as report_id, nullif(p.name, '') as report, nullif(p.platform, '') as platform, nullif(p.rhi, '') as rhi,
      r.passed, r.failed, r.errors, r.skipped, r.flaky, r.duration_ms, r.outcomes, r.durations, iso(r.received_at) as received_at,
      e.build_run_id::text as previous_id, before.outcomes as previous_outcomes, before.durations as previous_durations
    from test_runs r
    join test_reports p on p.account_id = r.account_id and p.id = r.test_report_id
    left join earlier e on e.report_id = r.test_report_id and e.nth = 1
    left join test_runs before on before.account_id = r.account_id and before.test_build_id = e.test_build_id
      and before.test_report_id = r.test_report_id
    where r.account_id = ${project.account_id} and r.test_build_id = ${testBuildId}
    order by p.name, p.platform, p.rhi`)

/** Failures before flaky tests, new ones first. */
async function failuresOf(
  db: Database,
  project: ProjectKey,
  testBuildId: number,
  buildRunId: number,
  runs: Run[],
): Promise<Failure[]> {
  const { account_id } = project
  const rows = await db.rows<Omit<Failure, 'state'> & { number: number; report_id: number; is_renamed: boolean }>(sql`
    select ${CASE}, c.number, c.test_report_id as report_id, c.continues_id is not null as is_renamed, f.outcome, f.cause, f.place, f.message, nullif(f.file, '') as file, f.line,
      k.test_case_id is not null as flaky,
      case when k.test_case_id is not null then json_build_object('flaky', k.flaky_runs, 'of', k.runs) end as flaky_runs, coalesce(${IN_QUARANTINE}, false) as quarantined
    from test_failures f
    join test_cases c on c.account_id = f.account_id and c.id = f.test_case_id
    join test_reports r on r.account_id = c.account_id and r.id = c.test_report_id
    join build_runs b on b.account_id = f.account_id and b.id = ${buildRunId}
    left join flaky_tests k on k.account_id = f.account_id and k.test_case_id = f.test_case_id and k.branch = ${BASE}
    left join test_quarantines q on q.account_id = f.account_id and q.test_case_id = f.test_case_id
    where f.account_id = ${account_id} and f.test_build_id = ${testBuildId} order by c.test_report_id, c.number`)
  const byReport = new Map(runs.map((run) => [run.report_id, run]))
  const previous = new Map(rows.map((row) => [row.id, outcomeBefore(byReport.get(row.report_id), row.number)]))
  const isKnown = ({ id }: { id: string }) => previous.get(id) !== undefined && previous.get(id) !== 'skipped'
  const earlier = await lastOutcomes(
    db,
    project,
    { testBuildId, buildRunId },
    rows.filter((row) => !isKnown(row) && byReport.get(row.report_id)?.previous_outcomes),
  )
  const found = rows.map(({ number, report_id, is_renamed, ...failure }): Failure => {
    const before = isKnown(failure) ? previous.get(failure.id) : earlier.get(`${report_id} ${number}`)
    const isFirst = byReport.get(report_id)?.previous_outcomes ? (is_renamed ? 'still_failing' : 'first_run') : 'unknown'
    return { ...failure, state: before === undefined ? isFirst : isFailing(before) ? 'still_failing' : 'new' }
  })
  const rank = ({ outcome, state }: Failure) => (outcome === 'flaky' ? 3 : state === 'new' ? 0 : state === 'first_run' ? 2 : 1)
  return found.toSorted((a, b) => rank(a) - rank(b))
}

const outcomeBefore = (run: Run | undefined, number: number): TestOutcome | undefined =>
  run?.previous_outcomes ? outcomeAt({ outcomes: run.previous_outcomes }, number) : undefined

const causesOf = (failures: readonly Failure[], tests: number): BuildTests['causes'] =>
  byCause(
    failures.filter((failure) => isFailing(failure.outcome)),
    tests,
  )
    .map((group) => ({
      cause: group[0]!.cause,
      place: group.every(({ place }) => place === group[0]!.place) ? group[0]!.place : null,
      tests: group.length,
      new_failures: group.filter(({ state }) => state === 'new').length,
    }))
    .toSorted((a, b) => b.tests - a.tests)
    .slice(0, SHOWN_MAX)

interface Slower extends CasePlace {
  duration_ms: number
  previous_ms: number
}

interface Compared {
  fixed: CasePlace[]
  skipped: CasePlace[]
  slower: Slower[]
}

function compare(run: Run): Compared {
  const { report_id } = run
  const previous = run.previous_outcomes && { outcomes: run.previous_outcomes, durations: run.previous_durations! }
  const found: Compared = { fixed: [], skipped: [], slower: [] }
  for (let number = 0; number < run.outcomes.length; number++) {
    const outcome: TestOutcome | undefined = outcomeAt(run, number)
    if (outcome === 'skipped') found.skipped.push({ report_id, number })
    if (outcome !== 'passed' || !previous) continue
    const before = outcomeAt(previous, number)
    if (isFailing(before)) found.fixed.push({ report_id, number })
    const duration_ms = durationAt(run, number)
    const previous_ms = durationAt(previous, number)
    if (before !== 'passed' || duration_ms === null || previous_ms === null) continue
    if (duration_ms >= SLOW_MS && duration_ms >= previous_ms * SLOWER)
      found.slower.push({ report_id, number, duration_ms, previous_ms })
  }
  return found
}

const slowest = (slower: Slower[]) =>
  slower.toSorted((a, b) => b.duration_ms - b.previous_ms - (a.duration_ms - a.previous_ms)).slice(0, SLOWER_MAX)
