import { isObjectStoreAway } from '../../contract/errors.ts'
import { suspicionWords } from '../../contract/labels/agent-words.ts'
import { EVIDENT } from '../../contract/labels/shown-suspects.ts'
import { type Database, isConnectionError, isTransient, sql } from '../../db/database.ts'
import type { RecordKey } from '../../db/project-key.ts'
import { diagnose } from '../../diagnosis/diagnose.ts'
import { isCausedByTests, withFailedTests } from '../../diagnosis/failed-tests.ts'
import type { Finding } from '../../diagnosis/finding.ts'
import { isAttributable } from '../../diagnosis/suspects/kinds.ts'
import { IS_MUTED, suspicionOf } from '../agents/agents.ts'
import { BRANCH, inferBranchAnew, inOrder, positionOn } from '../branches/positions.ts'
import { lockBreakages } from '../branches/project-lock.ts'
import { assignToBreakage, leaveBreakage } from '../breakages/assign.ts'
import { openOnBranch } from '../breakages/open-on-branch.ts'
import { recompute } from '../breakages/recompute.ts'
import { scheduleBisection } from '../builds/follow-up-jobs.ts'
import { logOf } from '../builds/stored-log.ts'
import { scheduleWriteBack } from '../integrations/write-backs.ts'
import { failedTestsOf } from '../tests/failed-tests.ts'
import { storeVerdict } from '../tests/gate.ts'
import { applyToOthers, correctionsFor, revisionOf } from './corrections.ts'
import { rulesOf } from './failure-rules.ts'
import { refund } from './investigations.ts'
import { linesOfLastPasses } from './passed-lines.ts'
import { diagnoseInThread } from './rule-thread.ts'
import { type Case, type Span, type Suspects, suspectsOf } from './suspects.ts'

interface Outcome extends Searched {
  finding: Finding
  suspects: { change_id: number; user_id: number | null; score: number; reasons: string[] }[]
  attributed_user_id: number | null
  steps: { name: string; status: string; detail: string }[]
  /** The state of the project's corrections that the finding follows. */
  revision: string
  /** The failed tests that are the cause. */
  tests: string[]
  /** Only quarantined tests failed: no breakage. */
  isExcused: boolean
}

type Blamed = Pick<Outcome, 'suspects' | 'attributed_user_id'>
const NOBODY: Blamed = { suspects: [], attributed_user_id: null }

/** The range in which suspects were searched, as stored. */
interface Searched {
  searched_above: number | null
  searched_up_to: number | null
}

/** Better words for a finding, and the line of its evidence that shows the cause. */
export interface Explained {
  line: number
  diagnosis: string
  suggested_fix: string
}

export type Explainable = Pick<Finding, 'category' | 'diagnosis' | 'suggested_fix' | 'evidence'>

/** Improves the wording of a finding and the order of its lines; null leaves it unchanged. */
export type Explain = (finding: Explainable, accountId: number) => Promise<Explained | null>

/** Does the work: reads the log, ranks the changes, writes the result. Safe to repeat until it is finished. */
export async function run(db: Database, { account_id, id }: RecordKey, explain?: Explain): Promise<void> {
  const open = await db.execute(
    sql`update investigations set status = 'running'
      where account_id = ${account_id} and id = ${id} and status in ('pending', 'running')`,
  )
  if (open === 0) return
  const { build_run_id } = (await db.one<{ build_run_id: number }>(
    sql`select build_run_id from investigations where account_id = ${account_id} and id = ${id}`,
  ))!
  const { stored, ...it } = (await caseOf(db, { account_id, id: build_run_id }))!
  let log: string
  let outcome: Outcome
  try {
    const suspects = await suspectsOf(db, it)
    log = (await logOf(db, { account_id: it.account_id, ...stored })) ?? ''
    outcome = await investigate(db, it, log, suspects)
  } catch (error) {
    // Transient errors are retried; only an error that would repeat every time ends it.
    if (isConnectionError(error) || isTransient(error) || isObjectStoreAway(error)) throw error
    await fail(db, { account_id, id }, error as Error)
    return
  }
  // A person's words need no other, and neither do those of a test.
  const isExplained =
    explain && log !== '' && !outcome.finding.correction && outcome.tests.length === 0 && (await mayLeave(db, it.account_id))
  const words = isExplained ? await explain(outcome.finding, account_id) : null
  // Somebody corrected a finding of the project in the meantime.
  if (!(await finish(db, id, it, outcome, words, log !== '' || outcome.tests.length > 0)))
    await run(db, { account_id, id }, explain)
}

/** Whether the account allows a language model. Read right before the request, because an owner may just have switched it off. */
const mayLeave = async (db: Database, accountId: number): Promise<boolean> =>
  (await db.one(sql`select from accounts where id = ${accountId} and uses_language_model`)) !== undefined

interface StoredLog {
  log: string | null
  log_object: string | null
}

/** A failed build and the location of its log. */
async function caseOf(db: Database, build: RecordKey): Promise<(Case & { stored: StoredLog }) | undefined> {
  await inferBranchAnew(db, build)
  const found = await db.one<Case & StoredLog>(sql`
    select b.id as build_run_id, b.project_id, b.account_id, b.ci_job_name, b.job, ${BRANCH} as branch, b.branch as told_branch, b.kind,
      coalesce(nullif(branch_key(b.target_branch), ''), ${BRANCH}) as target_branch, b.commit_hash, b.changelist, b.agent,
      b.output_log as log, b.log_object, b.status <> 'failed' as is_passed, b.created_at, coalesce(b.started_at, b.created_at) as began_at
    from build_runs b where b.account_id = ${build.account_id} and b.id = ${build.id}`)
  if (!found) return undefined
  const { log, log_object, ...it } = found
  return { ...it, stored: { log, log_object } }
}

/** A change may be committed this long after the time of its arrival. */
const COMMITTING = sql`interval '10 seconds'`

/**
 * Computes the suspects of a failed build again, because builds or changes that were reported late changed its range. The finding stays as it
 * is. `span`: the range that other builds have narrowed it to.
 */
export async function review(db: Database, build: RecordKey, span?: Span) {
  const found = await caseOf(db, build)
  if (!found || !(await isFailed(db, found))) return
  const { stored, ...it } = found
  const { now } = (await db.one<{ now: string }>(sql`select goldmaster_now() - ${COMMITTING} as now`))!
  const log = (await logOf(db, { account_id: it.account_id, ...stored })) ?? ''
  const again = await investigate(db, it, log, await suspectsOf(db, it, span), span)
  await db.transaction(async (db) => {
    await lockBreakages(db, it.project_id)
    await db.execute(sql`
      update investigations set suspects = ${JSON.stringify(again.suspects)}::jsonb, attributed_user_id = ${again.attributed_user_id},
        searched_above = ${again.searched_above}, searched_up_to = ${again.searched_up_to}, reviewed_at = ${now}
      where account_id = ${build.account_id} and id = (
        select max(id) from investigations where account_id = ${build.account_id} and build_run_id = ${build.id} and status = 'completed')`)
    const member = await db.one<{ breakage_id: number }>(sql`
      select breakage_id from breakage_builds where account_id = ${it.account_id} and build_run_id = ${build.id}`)
    if (member) await recompute(db, { account_id: it.account_id, id: member.breakage_id })
  })
}

/** Where the job's range begins, for tests that never passed; they may have failed before the job last passed. */
const aboveOf = ({ searched }: Suspects, upTo: number) => (searched && searched.above < upTo ? searched.above : 0)

/** What two ranges share; the second one if they share nothing. */
function shared(one: Span, other: Span): Span {
  const both = { above: Math.max(one.above, other.above), up_to: Math.min(one.up_to, other.up_to) }
  return both.above < both.up_to ? both : other
}

async function investigate(db: Database, it: Case, told: string, suspects: Suspects, span?: Span): Promise<Outcome> {
  // The CI calls it passed and its tests say otherwise: the log says nothing about them.
  const log = it.is_passed ? '' : told
  const own = await rulesOf(db, it.account_id)
  const passed = await linesOfLastPasses(db, it)
  const corrections = await correctionsFor(db, it)
  const options = { passed, corrections, candidates: suspects.candidates, failed: true }
  const found = own.length === 0 ? diagnose(log, options) : await diagnoseInThread(log, { ...options, own })
  const failed = isCausedByTests(found) ? await failedTestsOf(db, it, it.build_run_id) : undefined
  // The tests may have broken later than the job did.
  const broken = failed?.span && { ...failed.span, above: failed.span.above ?? aboveOf(suspects, failed.span.up_to) }
  const inRange = broken ? await suspectsOf(db, it, span ? shared(broken, span) : broken, true) : suspects
  const finding = failed ? withFailedTests(found, failed.tests, inRange.candidates) : found
  const steps = finding.steps.map(({ name, status, detail }) => ({ name, status, detail }))
  const searched = { searched_above: suspects.searched?.above ?? null, searched_up_to: suspects.searched?.up_to ?? null }
  const { searched_above, searched_up_to, ...blamed } = failed?.tests.only
    ? { ...NOBODY, ...searched }
    : { ...searched, ...(await blame(db, it, finding, steps, inRange, span !== undefined, failed !== undefined)) }
  const applied = corrections.find(({ id }) => id === finding.correction?.id)
  return {
    finding,
    steps,
    searched_above,
    searched_up_to,
    ...withoutCleared(blamed, applied?.cleared_change_ids ?? []),
    revision: revisionOf(corrections),
    tests: failed?.tests.lead.slice(0, TESTS_KEPT).map(({ id }) => id) ?? [],
    isExcused: failed?.tests.only === 'quarantined' && found.category !== 'build_script_error',
  }
}

/** The tests that end a breakage once they pass. */
const TESTS_KEPT = 100

/** The suspects without the changes that a person cleared. */
function withoutCleared({ suspects, attributed_user_id }: Blamed, cleared: readonly number[]): Blamed {
  const left = suspects.filter(({ change_id }) => !cleared.includes(change_id))
  const isLeft = left.some(({ user_id }) => user_id === attributed_user_id)
  return { suspects: left, attributed_user_id: isLeft ? attributed_user_id : null }
}

/** Errors in the code: the same source fails on every machine. */
const MACHINE_FREE: ReadonlySet<string> = new Set(['compile_error', 'link_error', 'shader_error', 'lint_or_doc'])

/** The suspects of a finding. If there are none, adds a step that says why. */
async function blame(
  db: Database,
  it: Case,
  finding: Finding,
  steps: Outcome['steps'],
  suspects: Suspects,
  isNarrowed: boolean,
  byTests: boolean,
): Promise<Blamed & Partial<Searched>> {
  for (const detail of suspects.notes) steps.push({ name: 'range', status: 'done', detail })
  if (!suspects.placed && suspects.notes.length === 0)
    steps.push({ name: 'range', status: 'done', detail: 'The branch of the build is unknown: changes were taken by time alone.' })
  if (it.kind === 'preflight' && (await isOfBranch(db, it, finding, steps))) return NOBODY
  if (suspects.hadPassed) {
    steps.push({ name: 'range', status: 'done', detail: 'The job has passed at this change before, so no change is suspected.' })
    return NOBODY
  }
  if (finding.category === 'test_failure' && !byTests && (await comesAndGoes(db, it, finding.fingerprint))) {
    steps.push({
      name: 'flaky',
      status: 'done',
      detail: 'This test passed and failed at the same change before: nobody is named.',
    })
    return NOBODY
  }
  const suspicion = MACHINE_FREE.has(finding.category) ? undefined : await suspicionOf(db, it, it.agent)
  if (suspicion) {
    steps.push({
      name: 'agent',
      status: 'done',
      detail: `${suspicionWords(it.agent, suspicion)} The machine is suspected, no change.`,
    })
    return NOBODY
  }
  const earlier =
    it.kind === 'preflight' || isNarrowed ? undefined : await sameFailureBefore(db, it, suspects, finding.fingerprint)
  if (earlier) {
    steps.push({
      name: 'inherit',
      status: 'done',
      detail: `The same failure as build ${earlier.build_run_id}: its result stands.`,
    })
    const { build_run_id: _, ...result } = earlier
    return result
  }
  if (!isAttributable(finding.category)) return NOBODY
  const named = finding.attribution?.attributed_author ?? null
  const all = (finding.attribution?.suspects ?? []).map(({ change_id, score, reasons, reason_codes }) => ({
    change_id: Number(change_id),
    user_id: suspects.users.get(change_id) ?? null,
    score,
    reasons,
    reason_codes,
  }))
  const isUnplaced = ({ change_id }: { change_id: number }) => suspects.unplaced.has(String(change_id))
  // Any of these may be the cause, so being the only change left is no evidence.
  if (all.some(isUnplaced))
    return { attributed_user_id: null, suspects: all.filter((one) => !isUnplaced(one) && one.score >= EVIDENT) }
  return { attributed_user_id: named?.startsWith('user:') ? Number(named.slice(5)) : null, suspects: all }
}

/** Whether the branch is already broken for this cause: then the preflight did not cause it. Also names the branch's other breakages. */
async function isOfBranch(db: Database, it: Case, finding: Finding, steps: Outcome['steps']): Promise<boolean> {
  const branch = it.target_branch
  if (branch === '') return false
  const isKnown = finding.category !== 'unknown' && finding.category !== 'none'
  const open = await openOnBranch(db, { ...it, branch }, isKnown ? { ...finding, id: it.build_run_id } : undefined)
  const same = open.filter((one) => one.same)
  const others = open.filter((one) => !one.same)
  const named = (some: typeof open) => some.map(({ id }) => `#${id}`).join(', ')
  const details = [
    same.length > 0
      ? `${branch} already has breakage ${named(same)} with the same cause: this change did not cause it.`
      : isKnown && `${branch} had no open breakage with this cause when this was built.`,
    others.length > 0 && `${branch} also has ${others.length === 1 ? 'breakage' : 'breakages'} ${named(others)}.`,
  ]
  steps.push({ name: 'branch', status: 'done', detail: details.filter(Boolean).join(' ') || `${branch} has no open breakages.` })
  return same.length > 0
}

/** Whether a breakage of this cause was marked as flaky: then no change since the last pass need be the cause. */
const comesAndGoes = async (db: Database, it: Case, fingerprint: string) =>
  (await db.one(sql`
    select from breakages where account_id = ${it.account_id} and project_id = ${it.project_id} and fingerprint = ${fingerprint} and flaky
    limit 1`)) !== undefined

/** How many of the newest investigations of this cause are read: they inherited their suspects from older ones. */
const EARLIER_MAX = 100

/**
 * The first suspects stay suspects as long as nothing passed in between: by position, number and arrival. The barrier: planned while the
 * tables are small, all builds of the job would be read for each investigation.
 */
const sameFailureBefore = (db: Database, it: Case, { passed }: Suspects, fingerprint: string) => {
  const place = (id: number) =>
    sql`(select ${inOrder(positionOn(BRANCH))} from build_runs b where b.account_id = ${it.account_id} and b.id = ${id})`
  return db.one<Blamed & Searched & { build_run_id: number }>(sql`
    with earlier as (
      select b.*, i.suspects, i.attributed_user_id, i.searched_above, i.searched_up_to from investigations i, lateral (
        select b.* from build_runs b where b.account_id = i.account_id and b.id = i.build_run_id offset 0) b
      where i.account_id = ${it.account_id} and i.fingerprint = ${fingerprint} and i.status = 'completed' and b.id <> ${it.build_run_id}
        and b.project_id = ${it.project_id} and b.job = ${it.job} and ${BRANCH} = ${it.branch} and b.kind <> 'preflight'
      order by i.id desc limit ${EARLIER_MAX}),
    standing as (select b.*, ${inOrder(positionOn(BRANCH))} as place from earlier b)
    select b.id as build_run_id, b.suspects, b.attributed_user_id, b.searched_above, b.searched_up_to from standing b
    where b.place < ${place(it.build_run_id)} ${passed ? sql`and b.place > ${place(passed.id)}` : sql``}
    order by b.place limit 1`)
}

/** Stores the result. Returns false, and stores nothing, if somebody corrected a finding of the project while it was worked out. */
const finish = (
  db: Database,
  id: number,
  it: Case,
  { finding, suspects, attributed_user_id, searched_above, searched_up_to, steps, revision, tests, isExcused }: Outcome,
  words: Explained | null,
  hadEvidence: boolean,
) =>
  db.transaction(async (db) => {
    await lockBreakages(db, it.project_id)
    if (revisionOf(await correctionsFor(db, it)) !== revision) return false
    const done = await db.execute(sql`
      update investigations set status = 'completed', diagnosis = ${words?.diagnosis ?? finding.diagnosis},
        suggested_fix = ${words?.suggested_fix ?? finding.suggested_fix}, category = ${finding.category}, confidence = ${finding.confidence},
        evidence = ${JSON.stringify(withFirst(finding.evidence, words?.line))}::jsonb, suspects = ${JSON.stringify(suspects)}::jsonb,
        steps = ${JSON.stringify(steps)}::jsonb, attributed_user_id = ${attributed_user_id}, fingerprint = ${finding.fingerprint}, joins_keys = ${finding.joins_keys}::text[],
        searched_above = ${searched_above}, searched_up_to = ${searched_up_to},
        correction_id = ${finding.correction?.id ?? null}, finished_at = now()
      where account_id = ${it.account_id} and id = ${id} and status = 'running'`)
    // Without a log or test results there was nothing to find: it costs nothing.
    if (done > 0 && !hadEvidence) await refund(db, { account_id: it.account_id, id })
    if (done > 0 && finding.correction) await applyToOthers(db, it, finding.correction)
    if (done > 0 && !it.is_passed)
      await storeVerdict(db, { account_id: it.account_id, id: it.build_run_id }, isExcused ? 'passed' : null)
    if (done > 0 && isExcused) await leaveBreakage(db, it)
    else if (done > 0 && (await isFailed(db, it))) await assignToBreakage(db, { ...it, tests }, finding, hadEvidence)
    if (done > 0) await scheduleWriteBack(db, { account_id: it.account_id, id: it.build_run_id })
    if (it.kind === 'bisect') await scheduleBisection(db, { account_id: it.account_id, id: it.build_run_id })
    return true
  })

/** The line that shows the cause comes first. */
const withFirst = (evidence: Finding['evidence'], chosen: number | undefined) =>
  evidence.toSorted((a, b) => Number(b.line === chosen) - Number(a.line === chosen))

/** Whether it counts for its branch: a preflight does not, nor does an imported build or a failure on a muted agent. */
const isFailed = async (db: Database, { account_id, build_run_id }: Case) =>
  (await db.one(sql`
    select from build_runs b where account_id = ${account_id} and id = ${build_run_id} and verdict = 'failed' and kind <> 'preflight'
      and b.import_id is null and not ${IS_MUTED}`)) !== undefined

const fail = (db: Database, { account_id, id }: RecordKey, error: Error) =>
  db.transaction(async (db) => {
    const step = { name: 'failed', status: 'failed', detail: `The investigation broke off: ${error.message}` }
    const failed = await db.execute(sql`
      update investigations set status = 'failed', steps = ${JSON.stringify([step])}::jsonb, finished_at = now()
      where account_id = ${account_id} and id = ${id} and status = 'running'`)
    if (failed > 0) await refund(db, { account_id, id })
  })
