import { isObjectStoreAway } from '../../contract/errors.ts'
import { type Database, isConnectionError, isTransient, sql } from '../../db/database.ts'
import { diagnose } from '../../diagnosis/diagnose.ts'
import type { Finding } from '../../diagnosis/finding.ts'
import type { Definition } from '../../diagnosis/own-rules/definition.ts'
import { join } from '../breakages/join.ts'
import { BRANCH, inferBranchAnew } from '../builds/positions.ts'
import { lockBreakages } from '../builds/project-lock.ts'
import { logOf } from '../builds/stored-log.ts'
import { rulesOf } from './failure-rules.ts'
import { refund } from './investigations.ts'
import { linesOfLastPasses } from './passed-lines.ts'
import { diagnoseInWorker } from './rules-worker.ts'
import { type Case, type Suspects, suspectsOf } from './suspects.ts'

interface Outcome {
  finding: Finding
  suspects: { change_id: number; user_id: number | null; score: number; reasons: string[] }[]
  attributed_user_id: number | null
  steps: { name: string; status: string; detail: string }[]
}

/** Improves the words of a finding, never its facts; null leaves them as they are. */
export type Explain = (finding: Finding) => Promise<{ diagnosis: string; suggested_fix: string } | null>

/** Does the work: reads the log, weighs the changes, writes the result. Safe to repeat until it is finished. */
export async function run(db: Database, id: number, explain?: Explain): Promise<void> {
  const open = await db.execute(
    sql`update investigations set status = 'running' where id = ${id} and status in ('pending', 'running')`,
  )
  if (open === 0) return
  const { build_run_id } = (await db.one<{ build_run_id: number }>(
    sql`select build_run_id from investigations where id = ${id}`,
  ))!
  await inferBranchAnew(db, build_run_id)
  const {
    log: inRow,
    log_object,
    ...it
  } = (await db.one<Case & { log: string | null; log_object: string | null }>(sql`
    select b.id as build_run_id, b.project_id, b.account_id, b.ci_job_name, ${BRANCH} as branch, b.commit_hash, b.changelist,
      b.output_log as log, b.log_object, coalesce(b.started_at, b.created_at) as began_at
    from investigations i join build_runs b on b.id = i.build_run_id where i.id = ${id}`))!
  const suspects = await suspectsOf(db, it)
  const own = await rulesOf(db, it.account_id)
  let log: string
  let outcome: Outcome
  try {
    const passed = await linesOfLastPasses(db, it)
    log = (await logOf(db, { account_id: it.account_id, log: inRow, log_object })) ?? ''
    outcome = await investigate(db, it, log, suspects, passed, own)
  } catch (error) {
    // What passes is tried again; only what would break it every time ends it.
    if (isConnectionError(error) || isTransient(error) || isObjectStoreAway(error)) throw error
    await fail(db, id, error as Error)
    return
  }
  const words = log === '' ? null : ((await explain?.(outcome.finding)) ?? null)
  await finish(db, id, it, outcome, words, log !== '')
}

async function investigate(
  db: Database,
  it: Case,
  log: string,
  suspects: Suspects,
  passed: Set<number>,
  own: Definition[],
): Promise<Outcome> {
  const options = { passed, candidates: suspects.candidates, failed: true }
  const finding = own.length === 0 ? diagnose(log, options) : await diagnoseInWorker(log, { ...options, own })
  const steps = finding.steps.map(({ name, status, detail }) => ({ name, status, detail }))
  if (!suspects.placed)
    steps.push({ name: 'range', status: 'done', detail: 'The branch of the build is unknown: changes were taken by time alone.' })
  if (finding.category === 'test_failure' && (await comesAndGoes(db, it, finding.fingerprint))) {
    steps.push({
      name: 'flaky',
      status: 'done',
      detail: 'This test passed and failed at the same change before: nobody is named.',
    })
    return { finding, steps, suspects: [], attributed_user_id: null }
  }
  const earlier = await sameFailureBefore(db, it, suspects, finding.fingerprint)
  if (earlier) {
    steps.push({
      name: 'inherit',
      status: 'done',
      detail: `The same failure as build ${earlier.build_run_id}: its result stands.`,
    })
    return { finding, steps, suspects: earlier.suspects, attributed_user_id: earlier.attributed_user_id }
  }
  const named = finding.attribution?.attributed_author ?? null
  return {
    finding,
    steps,
    attributed_user_id: named?.startsWith('user:') ? Number(named.slice(5)) : null,
    suspects: (finding.attribution?.suspects ?? []).map(({ change_id, score, reasons }) => ({
      change_id: Number(change_id),
      user_id: suspects.users.get(change_id) ?? null,
      score,
      reasons,
    })),
  }
}

/** Whether a breakage of this cause was marked as flaky: no change since the last pass need be to blame for it. */
const comesAndGoes = async (db: Database, it: Case, fingerprint: string) =>
  (await db.one(sql`
    select from breakages where account_id = ${it.account_id} and project_id = ${it.project_id} and fingerprint = ${fingerprint} and flaky
    limit 1`)) !== undefined

/**
 * Whoever broke it the first time broke it this time too, as long as nothing passed in between. The barrier: planned while the tables are
 * small, all builds of the job would be read for each of the investigations.
 */
const sameFailureBefore = (db: Database, it: Case, { passed }: Suspects, fingerprint: string) =>
  db.one<Pick<Outcome, 'suspects' | 'attributed_user_id'> & { build_run_id: number }>(sql`
    select i.build_run_id, i.suspects, i.attributed_user_id
    from investigations i, lateral (
      select b.*, coalesce(b.started_at, b.created_at) as began_at from build_runs b where b.id = i.build_run_id offset 0) b
    where i.account_id = ${it.account_id} and i.fingerprint = ${fingerprint} and i.status = 'completed' and b.id <> ${it.build_run_id}
      and b.project_id = ${it.project_id} and b.ci_job_name = ${it.ci_job_name} and ${BRANCH} = ${it.branch}
      and b.began_at between ${passed?.began_at ?? '-infinity'}::timestamptz and ${it.began_at}::timestamptz
    order by b.began_at limit 1`)

const finish = (
  db: Database,
  id: number,
  it: Case,
  { finding, suspects, attributed_user_id, steps }: Outcome,
  words: { diagnosis: string; suggested_fix: string } | null,
  hadLog: boolean,
) =>
  db.transaction(async (db) => {
    await lockBreakages(db, it.project_id)
    const done = await db.execute(sql`
      update investigations set status = 'completed', diagnosis = ${words?.diagnosis ?? finding.diagnosis},
        suggested_fix = ${words?.suggested_fix ?? finding.suggested_fix}, category = ${finding.category}, confidence = ${finding.confidence},
        evidence = ${JSON.stringify(finding.evidence)}::jsonb, suspects = ${JSON.stringify(suspects)}::jsonb,
        steps = ${JSON.stringify(steps)}::jsonb, attributed_user_id = ${attributed_user_id}, fingerprint = ${finding.fingerprint},
        finished_at = now()
      where id = ${id} and status = 'running'`)
    // Without a log there was nothing to find: it costs nothing.
    if (done > 0 && !hadLog) await refund(db, id)
    const failed = await db.one(sql`select from build_runs where id = ${it.build_run_id} and status = 'failed'`)
    if (done > 0 && failed) await join(db, it, finding, hadLog)
  })

const fail = (db: Database, id: number, error: Error) =>
  db.transaction(async (db) => {
    const step = { name: 'failed', status: 'failed', detail: `The investigation broke off: ${error.message}` }
    const failed = await db.execute(sql`
      update investigations set status = 'failed', steps = ${JSON.stringify([step])}::jsonb, finished_at = now()
      where id = ${id} and status = 'running'`)
    if (failed > 0) await refund(db, id)
  })
