import { createHash } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { TestOutcome } from '../../contract/sets.ts'
import { type Database, sql } from '../../db/database.ts'
import type { ProjectKey, RecordKey } from '../../db/project-key.ts'
import { isFailing, type TestCase, type TestReport } from '../../test-results/test-case.ts'
import type { IntegrationContext } from '../integrations/context.ts'
import { causeOf, placeOf } from './cause.ts'
import { countsOf, emptyPacked, merged, outcomeAt, type Packed, setCase, widened } from './packed.ts'

/** A file of test results, read. */
export interface TestFile {
  digest: Buffer
  report: TestReport
}

interface TestUpload {
  job: string
  number: string
  /** What distinguishes it from other reports of the job, such as `PlayMode`. */
  name: string
  platform: string
  files: TestFile[]
}

export interface Recorded {
  test_build_id: number
  build_run_id: number | null
  /** Files that were not recorded before. */
  recorded: number
}

/** Cases that are looked up, and failures that are written, in one statement. */
const AT_ONCE = 2_000
/** Failures with the same cause whose texts are kept whole: 400 tests with one exception repeat it 400 times. */
const TEXTS_PER_CAUSE = 20
const SHORT = 200
const DETAILS_KEPT = 4_096

/** Records all files or none; a file that is recorded already is skipped. Runs inside a transaction. */
export async function record(db: Database, context: IntegrationContext, upload: TestUpload): Promise<Recorded> {
  const build = await lockBuild(db, context, upload)
  const known = new Set(build.digests.map((digest) => digest.toString('hex')))
  const fresh = upload.files.filter(({ digest }) => !known.has(digest.toString('hex')) && known.add(digest.toString('hex')))
  // In one order, since uploads of other builds lock the same reports.
  const orderOf = ({ report }: TestFile) => `${report.mode}\n${report.platform}\n${report.rhi}`
  for (const { report } of fresh.toSorted((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1)))
    await recordReport(db, { ...context, job: upload.job, test_build_id: build.id }, upload.name, upload.platform, report)
  if (fresh.length > 0)
    await db.execute(sql`
      update test_builds set digests = digests || ${fresh.map(({ digest }) => digest)}::bytea[], received_at = now()
      where account_id = ${context.account_id} and id = ${build.id}`)
  return { test_build_id: build.id, build_run_id: build.build_run_id, recorded: fresh.length }
}

/** Locked: files of one build are recorded one after the other. */
const lockBuild = async (
  db: Database,
  { account_id, project_id, integration_id }: IntegrationContext,
  { job, number }: TestUpload,
) =>
  (await db.one<{ id: number; build_run_id: number | null; digests: Buffer[] }>(sql`
    insert into test_builds as t (account_id, project_id, integration_id, ci_job_name, build_number, build_run_id)
    select ${account_id}, ${project_id}, ${integration_id}, ${job}, ${number}, build.id
    from (select max(b.id) as id from build_runs b where b.account_id = ${account_id} and b.integration_id = ${integration_id}
      and b.ci_job_name = ${job} and b.build_number = ${number}) build
    on conflict (account_id, integration_id, ci_job_name, build_number)
      do update set build_run_id = coalesce(t.build_run_id, excluded.build_run_id)
    returning id, build_run_id, digests`))!

/** Records a report of a build that is known, as if it had arrived at that time. Returns the ids of its cases. Runs inside a transaction. */
export async function recordOf(db: Database, build: RecordKey, report: TestReport, receivedAt: string | undefined) {
  const known = (await db.one<Owner & { received_at: string }>(sql`
    insert into test_builds as t (account_id, project_id, integration_id, ci_job_name, build_number, build_run_id, received_at)
    select b.account_id, b.project_id, b.integration_id, b.ci_job_name, b.build_number, b.id,
      coalesce(${receivedAt ?? null}::timestamptz, b.finished_at, now())
    from build_runs b where b.account_id = ${build.account_id} and b.id = ${build.id}
    on conflict (account_id, build_run_id) do update set received_at = excluded.received_at
    returning account_id, project_id, id as test_build_id, ci_job_name as job, received_at`))!
  const case_ids = await recordReport(db, known, '', '', report, known.received_at)
  return { test_build_id: known.test_build_id, case_ids }
}

/** The build whose tests they are. */
interface Owner extends ProjectKey {
  test_build_id: number
  job: string
}

async function recordReport(
  db: Database,
  { account_id, project_id, job, test_build_id: testBuildId }: Owner,
  name: string,
  platform: string,
  { cases, ...told }: TestReport,
  receivedAt: string | null = null,
): Promise<number[]> {
  // Locked until the end of the transaction: another build of the job must not give a new case the same number.
  const report = (await db.one<{ id: number; cases: number }>(sql`
    insert into test_reports as r (account_id, project_id, ci_job_name, name, platform, rhi)
    values (${account_id}, ${project_id}, ${job}, ${name || told.mode}, ${platform || told.platform}, ${told.rhi})
    on conflict (account_id, project_id, ci_job_name, name, platform, rhi) do update set cases = r.cases
    returning id, cases`))!
  const owner = { account_id, project_id, test_report_id: report.id }
  const numbered = await numberCases(db, owner, cases, report.cases)
  const { packed, outcomes } = await mergeInto(db, owner, testBuildId, cases, numbered)
  const counts = countsOf(packed)
  await db.execute(sql`
    insert into test_runs (account_id, test_build_id, test_report_id, passed, failed, errors, skipped, flaky, duration_ms, outcomes, durations,
      received_at)
    values (${account_id}, ${testBuildId}, ${report.id}, ${counts.passed}, ${counts.failed}, ${counts.errors}, ${counts.skipped},
      ${counts.flaky}, ${counts.duration_ms}, ${packed.outcomes}, ${packed.durations},
      coalesce(${receivedAt}::timestamptz, now()))
    on conflict (account_id, test_build_id, test_report_id) do update set passed = excluded.passed, failed = excluded.failed,
      errors = excluded.errors, skipped = excluded.skipped, flaky = excluded.flaky, duration_ms = excluded.duration_ms,
      outcomes = excluded.outcomes, durations = excluded.durations`)
  const merged = cases.map((each, at) => ({ ...each, id: numbered[at]!.id, merged: outcomes[at]! }))
  await recordFailures(db, owner, testBuildId, merged, receivedAt)
  const flaky = merged.flatMap(({ id, outcome, merged }) => (outcome === 'passed' && merged === 'flaky' ? [id] : []))
  if (flaky.length > 0)
    await db.execute(sql`
      update test_failures set outcome = 'flaky'
      where account_id = ${account_id} and test_build_id = ${testBuildId} and test_case_id = any(${flaky}::bigint[])`)
  return numbered.map(({ id }) => id)
}

interface Numbered {
  id: number
  number: number
}

/** The id and number of every case; new ones get the next numbers. */
async function numberCases(
  db: Database,
  { account_id, project_id, test_report_id }: { account_id: number; project_id: number; test_report_id: number },
  cases: TestCase[],
  used: number,
): Promise<Numbered[]> {
  const seen = new Map<string, number>()
  const numbered: Numbered[] = []
  let next = used
  for (let at = 0; at < cases.length; at += AT_ONCE) {
    const slice = cases.slice(at, at + AT_ONCE).map((each) => {
      const names = `${each.suite}\0${each.class}\0${each.name}`
      const occurrence = (seen.get(names) ?? 0) + 1
      seen.set(names, occurrence)
      const identity = createHash('sha256').update(`${names}\0${occurrence}`).digest().readBigInt64BE(0).toString()
      return { identity, suite: each.suite, class: each.class, name: each.name, occurrence }
    })
    const found = new Map<string, Numbered>()
    const add = (rows: (Numbered & { identity: string })[]) => {
      for (const { identity, id, number } of rows) found.set(identity, { id, number })
    }
    add(
      await db.rows(sql`
        select identity::text, id, number from test_cases where account_id = ${account_id} and test_report_id = ${test_report_id}
          and identity = any(${slice.map(({ identity }) => identity)}::bigint[])`),
    )
    const missing = slice.filter(({ identity }) => !found.has(identity)).map((each) => ({ ...each, number: next++ }))
    if (missing.length > 0)
      add(
        await db.rows(sql`
          insert into test_cases (account_id, project_id, test_report_id, number, identity, suite, class, name, occurrence)
          select ${account_id}, ${project_id}, ${test_report_id}, number, identity, suite, class, name, occurrence
          from json_to_recordset(${JSON.stringify(missing)}::json)
            as x (number integer, identity bigint, suite text, class text, name text, occurrence integer)
          returning identity::text, id, number`),
      )
    for (const { identity } of slice) numbered.push(found.get(identity)!)
    await nextTurn()
  }
  if (next > used)
    await db.execute(sql`update test_reports set cases = ${next} where account_id = ${account_id} and id = ${test_report_id}`)
  return numbered
}

/** What earlier files of the build said, with this one. */
async function mergeInto(
  db: Database,
  { account_id, test_report_id }: { account_id: number; test_report_id: number },
  testBuildId: number,
  cases: TestCase[],
  numbered: Numbered[],
): Promise<{ packed: Packed; outcomes: TestOutcome[] }> {
  const before = await db.one<Packed>(sql`
    select outcomes, durations from test_runs
    where account_id = ${account_id} and test_build_id = ${testBuildId} and test_report_id = ${test_report_id}`)
  const size = numbered.reduce((most, { number }) => Math.max(most, number + 1), 0)
  const packed = before ? widened(before, size) : emptyPacked(size)
  const outcomes = cases.map(({ outcome, duration_ms }, at) => {
    const { number } = numbered[at]!
    const now = merged(outcomeAt(packed, number), outcome)
    setCase(packed, number, now, duration_ms)
    return now
  })
  return { packed, outcomes }
}

/** A case as its build has it with all files. */
interface MergedCase extends TestCase {
  id: number
  merged: TestOutcome
}

async function recordFailures(
  db: Database,
  { account_id, project_id }: ProjectKey,
  testBuildId: number,
  cases: readonly MergedCase[],
  receivedAt: string | null,
) {
  const perCause = new Map<string, number>()
  const rows = cases.flatMap((each) => {
    if (!isFailing(each) && each.outcome !== 'flaky') return []
    const cause = causeOf(each.message)
    const same = (perCause.get(cause) ?? 0) + 1
    perCause.set(cause, same)
    const whole = same <= TEXTS_PER_CAUSE
    const { id, merged: outcome, file, line, crashed = false } = each
    return {
      id,
      outcome,
      cause,
      place: placeOf(each),
      message: whole ? each.message : each.message.slice(0, SHORT),
      details: whole ? each.details.slice(0, DETAILS_KEPT) : '',
      output: whole ? each.output : '',
      file,
      line,
      crashed,
    }
  })
  for (let at = 0; at < rows.length; at += AT_ONCE / 4) {
    await db.execute(sql`
      insert into test_failures (account_id, project_id, test_build_id, test_case_id, outcome, cause, place, message, details, output, file,
        line, crashed, failed_at)
      select distinct on (id) ${account_id}, ${project_id}, ${testBuildId}, id, outcome, cause, place, message, details, output, file, line, crashed,
        coalesce(${receivedAt}::timestamptz, now())
      from json_to_recordset(${JSON.stringify(rows.slice(at, at + AT_ONCE / 4))}::json)
        as x (id bigint, outcome text, cause text, place text, message text, details text, output text, file text, line integer, crashed boolean)
      on conflict (account_id, test_build_id, test_case_id) do update set outcome = excluded.outcome, cause = excluded.cause,
        place = excluded.place, message = excluded.message, details = excluded.details, output = excluded.output, file = excluded.file, line = excluded.line,
        crashed = excluded.crashed`)
    await nextTurn()
  }
}
