import { ofAccount, type Pool } from '../db/database.ts'
import type { JobKind, Jobs } from '../db/queue.ts'
import * as assistants from '../domain/access/assistants.ts'
import { deleteAccount, deleteProject } from '../domain/accounts/deletion.ts'
import { deleteUser } from '../domain/accounts/forget-person.ts'
import type { Quotas } from '../domain/accounts/quotas.ts'
import { RETENTION_DEFAULTS, type Retained, type Retention } from '../domain/accounts/retention-days.ts'
import { sweep } from '../domain/accounts/trials.ts'
import { logHeads, sealAll } from '../domain/audit/audit-chain.ts'
import { recordWrongPassword } from '../domain/audit/sign-ins.ts'
import { advance, advanceAll } from '../domain/breakages/bisection/advance-bisection.ts'
import { correctAuthors } from '../domain/breakages/corrected-authors.ts'
import { reviewRanges } from '../domain/breakages/late-changes.ts'
import { recomputeJob, recomputeOverdue } from '../domain/breakages/recompute.ts'
import { scheduleAllMeasures } from '../domain/builds/follow-up-jobs.ts'
import { markLost } from '../domain/builds/lost.ts'
import { readLog } from '../domain/builds/read-log.ts'
import { revise } from '../domain/channels/message-queue.ts'
import { announceStaleBranches } from '../domain/channels/stale-branches.ts'
import { sweep as sweepFiles } from '../domain/files/files.ts'
import { sendDigests } from '../domain/inbox/digest.ts'
import { announceEndedQuarantines } from '../domain/inbox/ended-quarantines.ts'
import * as integrations from '../domain/integrations/integrations.ts'
import { investigateFailure } from '../domain/investigations/automatic-investigations.ts'
import { judgeResults } from '../domain/investigations/judge-results.ts'
import * as investigations from '../domain/investigations/run-investigation.ts'
import { judgeMeasures } from '../domain/measures/judge.ts'
import { recordSizes } from '../domain/operations/sizes.ts'
import { giveUpOld } from '../domain/previews/pending.ts'
import { purge, purgeExpired } from '../domain/retention/retention.ts'
import * as passwordResets from '../domain/sign-in/password-resets.ts'
import * as signUps from '../domain/sign-in/sign-ups.ts'
import { catchUp } from '../intake/deliveries/catch-up.ts'
import { readImport, resumeImports } from '../intake/history/run-import.ts'
import { startNightlyLooks } from '../intake/history/start-import.ts'
import { undoImport } from '../intake/history/undo-import.ts'
import { ingest } from '../intake/ingest.ts'
import type { JobContext } from '../intake/job-context.ts'
import { fetchPreviews } from '../intake/previews/fetch-previews.ts'
import { serverJobs, startBuild } from '../intake/providers/jobs.ts'
import { startPolls } from '../intake/providers/polling.ts'
import { writeBackIssue } from '../intake/write-back/issue.ts'
import { checkWriteBack, writeBack } from '../intake/write-back/write-back.ts'
import { within } from '../net/budget.ts'
import { writeExport } from '../world/export-file.ts'
import { type Backups, makeBackup } from './backups/backups.ts'
import { openBreaker } from './breaker.ts'
import { startRunner, type Task, type WorkerPool } from './runner.ts'
import { daily, everyMinutes, hourly, type Times } from './schedule.ts'
import type { Post } from './sending/mail.ts'

/** The resources of a job. */
export interface WorkerContext extends JobContext {
  db: Pool
  /** Sends mails to a mail server, if one is configured. */
  post?: Post
  /** A language model that rephrases findings, if one is configured. */
  explain?: investigations.Explain
  /** The public URL for links in messages. */
  site: string
  /** How many jobs without remote calls run at once. */
  concurrency?: number
  /** The destination of scheduled backups, if any. */
  backups?: Backups
  /** Quotas of accounts that have none of their own. */
  quotas?: Quotas
  /** Retention; the defaults if not configured. */
  retention?: Retention
}

type Work<Payload> = (context: WorkerContext, payload: Payload, signal?: AbortSignal) => Promise<unknown>

/** Every kind of job and its function; a kind without one does not compile. */
export const WORK: { [K in JobKind]: Work<Jobs[K]> } = {
  ingest: ({ db }, delivery) => ingest(db, delivery),
  catch_up: ({ db }, integration) => catchUp(db, integration),
  mail_sign_up: ({ db }, payload) => signUps.mail(db, payload),
  mail_password_reset: ({ db }, payload) => passwordResets.mail(db, payload),
  audit_refused_sign_in: ({ db }, payload) => recordWrongPassword(db, payload),
  purge_integration: ({ db }, { integration_id }) => integrations.purge(db, integration_id),
  write_export: (context, requested, signal) => writeExport(context, requested, signal),
  delete_account: ({ db }, { account_id }, signal) => deleteAccount(db, account_id, () => signal?.throwIfAborted()),
  delete_project: ({ db }, scope, signal) => deleteProject(db, scope, () => signal?.throwIfAborted()),
  delete_user: ({ db }, { user_id }, signal) => deleteUser(db, user_id, () => signal?.throwIfAborted()),
  investigate: ({ db, explain }, { account_id, investigation_id }) =>
    investigations.run(db, { account_id, id: investigation_id }, explain),
  investigate_failure: ({ db, explain }, { account_id, build_run_id }) =>
    investigateFailure(db, { account_id, id: build_run_id }, explain),
  read_log: ({ db }, { account_id, build_run_id }) => readLog(db, { account_id, id: build_run_id }),
  judge_tests: ({ db }, { account_id, test_build_id }) => judgeResults(db, { account_id, id: test_build_id }),
  judge_measures: ({ db }, payload) => judgeMeasures(db, payload),
  recompute_breakages: ({ db }, payload) => recomputeJob(db, payload),
  review_suspects: ({ db }, { account_id, build_run_id, span }) =>
    investigations.review(db, { account_id, id: build_run_id }, span),
  correct_authors: ({ db }, payload) =>
    correctAuthors(db, payload, (db, accountId, alerts) => revise(db, accountId, 'budget', alerts)),
  review_ranges: ({ db }, project) => reviewRanges(db, project),
  advance_bisection: ({ db }, payload) => advance(db, payload),
  fetch_previews: (context, payload, signal) => fetchPreviews(context, payload, signal),
  read_import: (context, payload, signal) => readImport(context, payload, signal),
  undo_import: ({ db }, payload, signal) => undoImport(db, payload, signal),
  start_build: (context, payload) => startBuild(context, payload),
  write_back: (context, payload, signal) => writeBack(context, payload, signal),
  write_back_issue: (context, payload, signal) => writeBackIssue(context, payload, signal),
  check_write_back: (context, payload) => checkWriteBack(context, payload),
  ...serverJobs,
}

/** Scheduled work. */
const HOURLY: Record<string, Work<never>> = {
  sweep_trials: ({ db }) => sweep(db),
  recompute_breakages_overdue: ({ db }) => recomputeOverdue(db),
  announce_stale_branches: ({ db }) => announceStaleBranches(db),
  judge_all_measures: ({ db }) => scheduleAllMeasures(db),
  announce_ended_quarantines: ({ db, vault, site }) => announceEndedQuarantines(db, { vault, site }),
  send_digests: (context) => sendDigests(context),
  ...Object.fromEntries((Object.keys(RETENTION_DEFAULTS) as Retained[]).map((kind) => [`purge_${kind}`, purging(kind)])),
  purge_expired: ({ db }, _, signal) => purgeExpired(db, { signal }),
  seal_audit_logs: async ({ db, vault, log }) => {
    await sealAll(db, vault)
    await logHeads(db, (head) => log.info(head, 'audit log sealed'))
  },
  purge_assistants: ({ db }) => assistants.purge(db),
  sweep_files: async ({ db, log }, _, signal) => {
    const { removed, moved } = await sweepFiles(db, signal)
    if (removed + moved > 0) log.info({ removed, moved }, 'files swept')
  },
  give_up_previews: ({ db }) => giveUpOld(db),
  record_sizes: ({ db }) => recordSizes(db),
}

/** More frequent, because people see the result. */
const EVERY_FIVE_MINUTES: Record<string, Work<never>> = {
  mark_lost_builds: ({ db }) => markLost(db),
  advance_bisections: ({ db }) => advanceAll(db),
  start_polls: ({ db }) => startPolls(db),
  resume_imports: ({ db }) => resumeImports(db),
}

/** When most studios are asleep or at home; webhooks of the day have long arrived. */
const NIGHTLY: Record<string, Work<never>> = {
  look_for_gaps: ({ db }) => startNightlyLooks(db),
}

/** Work over all accounts. */
export const SCHEDULED: Record<string, Work<never>> = { ...HOURLY, ...EVERY_FIVE_MINUTES, ...NIGHTLY }

const SCHEDULED_BACKUP: Record<string, Work<never>> = {
  make_backup: ({ db, log, backups }, slot, signal) => makeBackup({ db, log, backups: backups! }, slot, signal),
}

function purging(kind: Retained): Work<never> {
  return ({ db, log, retention = RETENTION_DEFAULTS }, _, signal) =>
    purge(db, kind, retention[kind], { signal }).then((rows) => {
      if (rows > 0) log.info({ kind, rows }, 'purged')
    })
}

/** When recurring work is due. Hourly work is spread over the hour. */
const timesOf = ({ backups }: WorkerContext): Record<string, Times> => ({
  ...Object.fromEntries(Object.keys(HOURLY).map((kind, i) => [kind, hourly((5 * i) % 60)])),
  ...Object.fromEntries(Object.keys(EVERY_FIVE_MINUTES).map((kind) => [kind, everyMinutes(5)])),
  ...Object.fromEntries(Object.keys(NIGHTLY).map((kind) => [kind, daily(['03:30'])])),
  ...(backups && Object.fromEntries(Object.keys(SCHEDULED_BACKUP).map((kind) => [kind, daily(backups.at)]))),
})

export interface Worker {
  stop(): Promise<void>
}

interface StartedWorker extends Worker {
  /** Silent servers that are not called for now. */
  silentServers(): string[]
}

export async function startWorker(context: WorkerContext): Promise<StartedWorker> {
  const { db, log } = context
  const breaker = openBreaker()
  const { stop } = await startRunner({ db, log, breaker, times: timesOf(context) }, poolsOf(context))
  return { silentServers: breaker.silent, stop }
}

/** The statements of a job are about its account, if it has one. */
const about = (context: WorkerContext, payload: { account_id?: number } | null): WorkerContext => ({
  ...context,
  db: ofAccount(context.db, payload?.account_id),
})

/** What a job may fetch from servers of tools; the longest thing is a log. */
const JOB = { bytes: 128 * 1024 * 1024, values: 500_000, pages: 1_000, seconds: 3_600 }

/** Jobs that call a server have separate slots: a silent server blocks nothing else. Nobody ever has all slots of a pool. */
function poolsOf(context: WorkerContext): WorkerPool[] {
  const kinds = Object.entries<Work<never>>({
    ...WORK,
    ...SCHEDULED,
    // Only if it is configured: other nodes leave the job to those that can.
    ...(context.backups && SCHEDULED_BACKUP),
  })
  const tasks: Record<string, Task> = Object.fromEntries(
    kinds.map(([kind, work]) => [kind, (payload, signal) => within(JOB, () => work(about(context, payload), payload, signal))]),
  )
  const { concurrency = 6 } = context
  const remote = 2 * concurrency
  return [
    { remote: false, tasks, slots: concurrency, perOwner: Math.ceil(concurrency / 2), perServer: 0 },
    { remote: true, tasks, slots: remote, perOwner: Math.ceil(remote / 3), perServer: 2 },
  ]
}
