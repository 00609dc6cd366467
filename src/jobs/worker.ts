import { EventEmitter } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
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
import * as passwordResets from '../domain/password-resets.ts'
import * as sessions from '../domain/sessions.ts'
import { sweep } from '../domain/trials.ts'
import { describeChangelist } from '../intake/describe-changelist.ts'
import { ingest } from '../intake/ingest.ts'
import type { Outside } from '../intake/outside.ts'
import { pollJenkins } from '../intake/poll-jenkins.ts'
import { followJenkins, startJenkins } from '../intake/start-jenkins.ts'
import { type Post, sendMail } from './mail.ts'
import { handOver, keepPresence } from './presence.ts'

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
export const WORK: { [K in JobKind]: Work<Jobs[K]> } = {
  ingest: ({ db }, { delivery_id }) => ingest(db, delivery_id),
  describe_changelist: describeChangelist,
  poll_jenkins: pollJenkins,
  start_jenkins: startJenkins,
  follow_jenkins: followJenkins,
  send_mail: sendMail,
  mail_password_reset: ({ db }, payload) => passwordResets.mail(db, payload),
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
const CONCURRENCY = 4
/** Before it begins anew. */
const PAUSE_MS = 1_000

export interface Worker {
  stop(): Promise<void>
}

/** Works on jobs until stopped; a job that throws is tried again later, each time a little later. */
export async function startWorker(bench: Bench): Promise<Worker> {
  const { log } = bench
  const stopping = new AbortController()
  const cutOff = new AbortController()
  let current = await begin(bench, cutOff.signal)
  const running = (async () => {
    for (;;) {
      await current.over
      if (stopping.signal.aborted) return
      // It gives itself up when it cannot write down how a job ended: PostgreSQL was away at the wrong moment.
      log.warn('the worker ended and begins anew')
      current = (await beginAgain(current.pool)) ?? current
      if (stopping.signal.aborted) await current.stop()
    }
  })()

  async function beginAgain(former: string) {
    while (!stopping.signal.aborted) {
      await sleep(PAUSE_MS, undefined, { signal: stopping.signal }).catch(() => {})
      try {
        await handOver(bench.db, [former])
        return await begin(bench, cutOff.signal)
      } catch (error) {
        log.warn({ error: (error as Error).message }, 'the worker waits for the database')
      }
    }
    return undefined
  }

  return {
    async stop() {
      const timer = setTimeout(() => cutOff.abort(), STOP_PATIENCE_MS)
      stopping.abort()
      await current.stop()
      await running
      clearTimeout(timer)
    },
  }
}

/** One life of the worker; `over` when it ends, by itself or told to. */
async function begin(bench: Bench, signal: AbortSignal) {
  const { db, log } = bench
  const tasks = Object.entries({ ...WORK, ...HOURLY }) as [string, Work<never>][]
  const events: WorkerEvents = new EventEmitter()
  let pool = ''
  let presence: ReturnType<typeof keepPresence> | undefined
  events.on('pool:create', ({ workerPool }) => {
    pool = workerPool.id
    presence = keepPresence(db, log, pool)
  })
  // Of a shutdown that waits for a database that is away nobody hears again.
  const gaveUp = new Promise<void>((resolve) => {
    events.on('pool:gracefulShutdown', () => setTimeout(resolve, 2 * STOP_PATIENCE_MS + PAUSE_MS).unref())
  })
  const runner: Runner = await run({
    pgPool: db.pool,
    concurrency: CONCURRENCY,
    noHandleSignals: true,
    events,
    // Batches, even of one, are waited for when the worker stops; single writes would be lost with the connection.
    preset: { worker: { gracefulShutdownAbortTimeout: 2 * STOP_PATIENCE_MS, completeJobBatchDelay: 0, failJobBatchDelay: 0 } },
    logger: new GraphileLogger((scope) => (level, message, meta) => {
      if (level === 'error') log.warn({ job: scope.taskIdentifier, error: (meta?.error as Error | undefined)?.message }, message)
      else log.trace({ job: scope.taskIdentifier }, message)
    }),
    taskList: Object.fromEntries(
      tasks.map(([kind, work]) => [kind, async (payload: unknown) => void (await work(bench, payload as never, signal))]),
    ),
    crontab: Object.keys(HOURLY)
      .map((kind, i) => `${i * 7} * * * * ${kind}`)
      .join('\n'),
  })
  const ended = runner.promise.catch((error: Error) => log.warn({ error: error.message }, 'the worker failed'))
  const over = Promise.race([ended, gaveUp]).then(() => presence?.end())
  return {
    pool,
    over,
    async stop() {
      await Promise.race([runner.stop().catch(() => {}), gaveUp])
      await over
    },
  }
}
