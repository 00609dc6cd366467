import { setTimeout as sleep } from 'node:timers/promises'
import type { Pool } from '../db/database.ts'
import { ASKS, type JobKind, type Jobs } from '../db/queue.ts'
import * as assistants from '../domain/access/assistants.ts'
import * as passwordResets from '../domain/access/password-resets.ts'
import * as signUps from '../domain/access/sign-ups.ts'
import { deleteAccount, deleteProject } from '../domain/accounts/deletion.ts'
import { deleteUser } from '../domain/accounts/forget-person.ts'
import { RETENTION_DEFAULTS, type Retained, type Retention } from '../domain/accounts/retention-days.ts'
import { sweep } from '../domain/accounts/trials.ts'
import { logHeads, sealAll } from '../domain/audit/audit-chain.ts'
import { recordWrongPassword } from '../domain/audit/sign-ins.ts'
import { reviewRanges } from '../domain/breakages/late-changes.ts'
import { settleJob, settleOverdue } from '../domain/breakages/settle.ts'
import { markLost } from '../domain/builds/lost.ts'
import { announceStaleBranches } from '../domain/channels/stale-branches.ts'
import { sendDigests } from '../domain/inbox/digest.ts'
import * as integrations from '../domain/integrations/integrations.ts'
import { investigateFailure } from '../domain/investigations/automatic-investigations.ts'
import * as investigations from '../domain/investigations/run-investigation.ts'
import { recordSizes } from '../domain/operations/sizes.ts'
import { purge, purgeExpired } from '../domain/retention/retention.ts'
import { ingest } from '../intake/ingest.ts'
import type { JobContext } from '../intake/job-context.ts'
import { serverJobs } from '../intake/providers/jobs.ts'
import { writeExport } from '../world/export-file.ts'
import { type Backups, backupTimes, makeBackup } from './backups/backups.ts'
import { openBreaker } from './breaker.ts'
import { reclaim, startHeartbeat } from './heartbeat.ts'
import { type Post, sendMail } from './mail.ts'
import { beginRunner, type Crew, type Means, STOP_TIMEOUT_MS, type Task } from './runner.ts'

/** What work on a job may use. */
export interface WorkerContext extends JobContext {
  db: Pool
  /** Hands mails to a mail server, where one is configured. */
  post?: Post
  /** A language model that words findings, where one is configured. */
  explain?: investigations.Explain
  /** Where people open what they are told of. */
  site: string
  /** How many jobs that ask nobody else are done at once. */
  concurrency?: number
  /** Where scheduled backups go, if anywhere. */
  backups?: Backups
  /** How long what is kept; the defaults where nothing is configured. */
  retention?: Retention
}

type Work<Payload> = (context: WorkerContext, payload: Payload, signal?: AbortSignal) => Promise<unknown>

/** Every kind of job and who does it; a kind without work does not compile. */
export const WORK: { [K in JobKind]: Work<Jobs[K]> } = {
  ingest: ({ db }, { delivery_id }) => ingest(db, delivery_id),
  send_mail: sendMail,
  mail_sign_up: ({ db }, payload) => signUps.mail(db, payload),
  mail_password_reset: ({ db }, payload) => passwordResets.mail(db, payload),
  audit_refused_sign_in: ({ db }, payload) => recordWrongPassword(db, payload),
  purge_integration: ({ db }, { integration_id }) => integrations.purge(db, integration_id),
  write_export: (context, { export_id }, signal) => writeExport(context, export_id, signal),
  delete_account: ({ db }, { account_id }, signal) => deleteAccount(db, account_id, () => signal?.throwIfAborted()),
  delete_project: ({ db }, scope, signal) => deleteProject(db, scope, () => signal?.throwIfAborted()),
  delete_user: ({ db }, { user_id }, signal) => deleteUser(db, user_id, () => signal?.throwIfAborted()),
  investigate: ({ db, explain }, { investigation_id }) => investigations.run(db, investigation_id, explain),
  investigate_failure: ({ db, explain }, { build_run_id }) => investigateFailure(db, build_run_id, explain),
  settle_breakages: ({ db }, payload) => settleJob(db, payload),
  review_suspects: ({ db }, { build_run_id, span }) => investigations.review(db, build_run_id, span),
  review_ranges: ({ db }, { project_id }) => reviewRanges(db, project_id),
  ...serverJobs,
}

/** What is done by the clock. */
const HOURLY: Record<string, Work<never>> = {
  sweep_trials: ({ db }) => sweep(db),
  settle_breakages_overdue: ({ db }) => settleOverdue(db),
  announce_stale_branches: ({ db }) => announceStaleBranches(db),
  send_digests: (context) => sendDigests(context),
  ...Object.fromEntries((Object.keys(RETENTION_DEFAULTS) as Retained[]).map((kind) => [`purge_${kind}`, purging(kind)])),
  purge_expired: ({ db }, _, signal) => purgeExpired(db, { signal }),
  seal_audit_logs: async ({ db, vault, log }) => {
    await sealAll(db, vault)
    await logHeads(db, (head) => log.info(head, 'audit log sealed'))
  },
  purge_assistants: ({ db }) => assistants.purge(db),
  record_sizes: ({ db }) => recordSizes(db),
}

/** What people look at meanwhile. */
const EVERY_FIVE_MINUTES: Record<string, Work<never>> = { mark_lost_builds: ({ db }) => markLost(db) }

const SCHEDULED_BACKUP: Record<string, Work<never>> = {
  make_backup: ({ db, log, backups }, slot, signal) => makeBackup({ db, log, backups: backups! }, slot, signal),
}

function purging(kind: Retained): Work<never> {
  return ({ db, log, retention = RETENTION_DEFAULTS }, _, signal) =>
    purge(db, kind, retention[kind], { signal }).then((rows) => {
      if (rows > 0) log.info({ kind, rows }, 'purged')
    })
}

/** Kinds that ask other people's servers have slots of their own: silence there holds up nothing else. */
const OUTSIDE: readonly string[] = [...Object.keys(serverJobs), 'send_mail']

/** Before it begins anew. */
const PAUSE_MS = 1_000

export interface Worker {
  stop(): Promise<void>
}

interface StartedWorker extends Worker {
  /** Servers that don't answer and are left alone. */
  silentServers(): string[]
}

/** Works on jobs until stopped; a job that throws is tried again later, each time a little later. */
export async function startWorker(context: WorkerContext): Promise<StartedWorker> {
  const stopping = new AbortController()
  const cutOff = new AbortController()
  const { db, log } = context
  const heartbeat = startHeartbeat(db, log)
  const breaker = openBreaker()
  const means = { db, log, heartbeat, breaker, signal: cutOff.signal }
  const crews = await Promise.all(crewsOf(context).map((crew) => keepRunning(means, crew, stopping.signal)))
  return {
    silentServers: () => breaker.silent().map((flag) => flag.slice(ASKS.length)),
    async stop() {
      const timer = setTimeout(() => cutOff.abort(), STOP_TIMEOUT_MS)
      stopping.abort()
      await Promise.all(crews.map((crew) => crew.stop()))
      await heartbeat.end()
      clearTimeout(timer)
    },
  }
}

/** Each with fewer jobs per owner than it has slots: nobody ever has all of them. */
function crewsOf(context: WorkerContext): Crew[] {
  const tasks = (kinds: [string, Work<never>][]): Record<string, Task> =>
    Object.fromEntries(kinds.map(([kind, work]) => [kind, (payload, signal) => work(context, payload, signal)]))
  const kinds = Object.entries(WORK) as [JobKind, Work<never>][]
  const { backups } = context
  const crontab = [
    ...(backups ? backupTimes(backups) : []),
    ...Object.keys(HOURLY).map((kind, i) => `${(i * 5) % 60} * * * * ${kind}`),
    ...Object.keys(EVERY_FIVE_MINUTES).map((kind) => `*/5 * * * * ${kind}`),
  ].join('\n')
  const { concurrency = 6 } = context
  const outside = 2 * concurrency
  const local = tasks([
    ...kinds.filter(([kind]) => !OUTSIDE.includes(kind)),
    ...Object.entries({ ...HOURLY, ...EVERY_FIVE_MINUTES }),
    // Only where it can be done: other nodes leave the job to those that can.
    ...(backups ? Object.entries(SCHEDULED_BACKUP) : []),
  ])
  return [
    { tasks: local, crontab, slots: concurrency, perOwner: Math.ceil(concurrency / 2), perServer: 3 },
    {
      tasks: tasks(kinds.filter(([kind]) => OUTSIDE.includes(kind))),
      slots: outside,
      perOwner: Math.ceil(outside / 3),
      perServer: 2,
    },
  ]
}

/** One life after the other, until stopped. */
async function keepRunning(means: Means, crew: Crew, stopping: AbortSignal): Promise<Worker> {
  const { db, log } = means
  let current = await beginRunner(means, crew)
  const running = (async () => {
    for (;;) {
      await current.over
      if (stopping.aborted) return
      // It gives itself up when it cannot write down how a job ended: PostgreSQL was away at the wrong moment.
      log.warn('the worker ended and begins anew')
      current = (await beginAgain(current.pool)) ?? current
      if (stopping.aborted) await current.stop()
    }
  })()

  async function beginAgain(former: string) {
    while (!stopping.aborted) {
      await sleep(PAUSE_MS, undefined, { signal: stopping }).catch(() => {})
      try {
        await reclaim(db, [former])
        return await beginRunner(means, crew)
      } catch (error) {
        log.warn({ error: (error as Error).message }, 'the worker waits for the database')
      }
    }
    return undefined
  }

  return {
    async stop() {
      await current.stop()
      await running
    },
  }
}
