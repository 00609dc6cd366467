import { EventEmitter } from 'node:events'
import { Logger as GraphileLogger, type Runner, run, type WorkerEvents } from 'graphile-worker'
import type { Pool } from '../db/database.ts'
import { forgetGivenUp, type JobKind, type Jobs } from '../db/queue.ts'
import * as deliveries from '../domain/deliveries.ts'
import * as idempotency from '../domain/idempotency.ts'
import * as integrations from '../domain/integrations.ts'
import * as investigations from '../domain/investigations-run.ts'
import * as mails from '../domain/mails.ts'
import * as outbox from '../domain/outbox.ts'
import * as outgoing from '../domain/outgoing.ts'
import * as sessions from '../domain/sessions.ts'
import { sweep } from '../domain/trials.ts'
import { describeChangelist } from '../intake/describe-changelist.ts'
import { ingest } from '../intake/ingest.ts'
import type { Outside } from '../intake/outside.ts'
import { pollJenkins } from '../intake/poll-jenkins.ts'
import { followJenkins, startJenkins } from '../intake/start-jenkins.ts'
import { type Post, sendMail } from './mail.ts'
import { keepPresence } from './presence.ts'

/** What work on a job may use. */
export interface Bench extends Outside {
  db: Pool
  /** Hands mails to a mail server, where one is configured. */
  post?: Post
  /** A language model that words findings, where one is configured. */
  explain?: investigations.Explain
}

type Work<Payload> = (bench: Bench, payload: Payload, signal?: AbortSignal) => Promise<unknown>

/** Every kind of job and who does it; a kind without work does not compile. */
const WORK: { [K in JobKind]: Work<Jobs[K]> } = {
  ingest: ({ db }, { delivery_id }) => ingest(db, delivery_id),
  describe_changelist: describeChangelist,
  poll_jenkins: pollJenkins,
  start_jenkins: startJenkins,
  follow_jenkins: followJenkins,
  send_mail: sendMail,
  forget_integration: ({ db }, { integration_id }) => integrations.forget(db, integration_id),
  investigate: ({ db, explain }, { investigation_id }) => investigations.run(db, investigation_id, explain),
}

/** What is done by the clock. */
const HOURLY: Record<string, Work<never>> = {
  sweep_trials: ({ db }) => sweep(db),
  forget_bodies: ({ db }) => deliveries.forgetBodies(db),
  forget_keys: ({ db }) => idempotency.forget(db),
  forget_given_up: ({ db }) => forgetGivenUp(db),
  forget_outbox: ({ db }) => outbox.forget(db),
  forget_outgoing: ({ db }) => outgoing.forget(db),
  forget_mails: ({ db }) => mails.forget(db),
  forget_sessions: ({ db }) => sessions.forget(db),
}

/** Told to stop, work may go on for this long; then what waits for other servers is cut off and tried again by the next worker. */
const STOP_PATIENCE_MS = 3_000

export interface Worker {
  stop(): Promise<void>
}

/** Works on jobs until stopped; a job that throws is tried again later, each time a little later. */
export async function startWorker(bench: Bench, concurrency = 4): Promise<Worker> {
  const { db, log } = bench
  const tasks = Object.entries({ ...WORK, ...HOURLY }) as [string, Work<never>][]
  const events: WorkerEvents = new EventEmitter()
  const stopping = new AbortController()
  let presence: ReturnType<typeof keepPresence> | undefined
  events.on('pool:create', ({ workerPool }) => {
    presence = keepPresence(db, log, workerPool.id)
  })
  const runner: Runner = await run({
    pgPool: db.pool,
    concurrency,
    noHandleSignals: true,
    events,
    // Batches, even of one, are waited for when the worker stops; single writes would be lost with the connection.
    preset: { worker: { gracefulShutdownAbortTimeout: 2 * STOP_PATIENCE_MS, completeJobBatchDelay: 0, failJobBatchDelay: 0 } },
    logger: new GraphileLogger((scope) => (level, message, meta) => {
      if (level === 'error') log.warn({ job: scope.taskIdentifier, error: (meta?.error as Error | undefined)?.message }, message)
      else log.trace({ job: scope.taskIdentifier }, message)
    }),
    taskList: Object.fromEntries(
      tasks.map(([kind, work]) => [
        kind,
        async (payload: unknown) => void (await work(bench, payload as never, stopping.signal)),
      ]),
    ),
    crontab: Object.keys(HOURLY)
      .map((kind, i) => `${i * 7} * * * * ${kind}`)
      .join('\n'),
  })
  // Ends by itself only when it cannot go on; the service that holds it must know.
  runner.promise.catch((error: Error) => log.error({ error: error.message }, 'the worker ended'))
  return {
    async stop() {
      const timer = setTimeout(() => stopping.abort(), STOP_PATIENCE_MS)
      await runner.stop().catch(() => {})
      clearTimeout(timer)
      await presence?.end()
    },
  }
}
