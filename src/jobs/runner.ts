import { EventEmitter } from 'node:events'
import { Logger as GraphileLogger, type JobHelpers, type Runner, run, type WorkerEvents } from 'graphile-worker'
import type { Logger } from 'pino'
import type { Pool } from '../db/database.ts'
import { ASKS, postpone } from '../db/queue.ts'
import { scrub } from '../domain/privacy/scrub.ts'
import { NoAnswer, Unreachable } from '../net/safe-fetch.ts'
import { traced } from '../net/tracing.ts'
import { type Limits, openAdmission } from './admission.ts'
import type { Breaker } from './breaker.ts'
import { rememberClaims } from './claims.ts'
import type { Heartbeat } from './heartbeat.ts'
import { releasedOnce } from './released-once.ts'

export type Task = (payload: never, signal: AbortSignal) => Promise<unknown>

/** Kinds of jobs that share slots, and how these are shared out. */
export interface Crew extends Limits {
  slots: number
  tasks: Record<string, Task>
  crontab?: string
}

/** Told to stop, work may go on for this long; then what waits for other servers is cut off and tried again by the next worker. */
export const STOP_TIMEOUT_MS = 3_000
const GIVE_UP_MS = 2 * STOP_TIMEOUT_MS + 1_000

export interface Means {
  db: Pool
  log: Logger
  breaker: Breaker
  heartbeat: Heartbeat
  signal: AbortSignal
}

/** One life of a crew; `over` when it ends, by itself or told to. */
export async function beginRunner({ db, log, breaker, heartbeat, signal }: Means, crew: Crew) {
  const admission = openAdmission(crew, breaker)
  const claims = rememberClaims(db)
  const events: WorkerEvents = new EventEmitter()
  let pool = ''
  events.on('pool:create', ({ workerPool }) => {
    pool = workerPool.id
    heartbeat.join(pool)
  })
  let working = false
  events.on('job:start', ({ job }) => {
    working = true
    claims.taken(Number(job.id))
    admission.taken(flagsOf(job))
  })
  events.on('worker:getJob:empty', ({ worker }) => {
    working = true
    if (admission.noneFound()) worker.nudge()
  })
  events.on('worker:getJob:error', () => {
    claims.lost()
    admission.broke()
    // What the library learns with its first look it learns once: should that fail, it would fail for ever.
    if (!working) void started.then((runner) => runner.stop()).catch(() => {})
  })
  // Of a shutdown that waits for a database that is away nobody hears again.
  const gaveUp = new Promise<void>((resolve) => {
    events.on('pool:gracefulShutdown', () => setTimeout(resolve, GIVE_UP_MS).unref())
  })

  /** What a server's silence or its answer means for the others that are to ask it. */
  const judge = async (server: string | undefined, error?: unknown) => {
    if (server === undefined || signal.aborted) return
    if (!(error instanceof NoAnswer)) {
      if (error === undefined || error instanceof Unreachable) breaker.answered(server)
      return
    }
    const pause = breaker.failed(server)
    if (pause === undefined) return
    log.warn(
      { server: server.slice(ASKS.length), seconds: Math.round(pause / 1000) },
      'a server does not answer and is left alone',
    )
    await postpone(db, server, pause / 1000).catch(() => {})
  }

  const guarded =
    (task: Task) =>
    async (payload: unknown, { job }: JobHelpers) => {
      const flags = flagsOf(job)
      const server = flags.find((flag) => flag.startsWith(ASKS))
      try {
        await traced(`job ${job.task_identifier}`, 'internal', { 'goldmaster.job': job.task_identifier }, () =>
          task(payload as never, signal),
        )
        await judge(server)
      } catch (error) {
        await judge(server, error)
        throw scrubbed(error)
      } finally {
        admission.ended(flags)
      }
    }

  const started: Promise<Runner> = run({
    pgPool: releasedOnce(db.pool),
    concurrency: crew.slots,
    noHandleSignals: true,
    events,
    forbiddenFlags: async () => {
      const flags = await admission.forbidden()
      await claims.settle(pool)
      return flags
    },
    // Batches, even of one, are waited for when the worker stops; single writes would be lost with the connection.
    preset: { worker: { gracefulShutdownAbortTimeout: 2 * STOP_TIMEOUT_MS, completeJobBatchDelay: 0, failJobBatchDelay: 0 } },
    logger: new GraphileLogger((scope) => (level, message, meta) => {
      if (level === 'error') log.warn({ job: scope.taskIdentifier, error: (meta?.error as Error | undefined)?.message }, message)
      else log.trace({ job: scope.taskIdentifier }, message)
    }),
    taskList: Object.fromEntries(Object.entries(crew.tasks).map(([kind, task]) => [kind, guarded(task)])),
    crontab: crew.crontab ?? '',
  })
  const runner = await started
  const ended = runner.promise.catch((error: Error) => log.warn({ error: error.message }, 'the worker failed'))
  const over = Promise.race([ended, gaveUp]).then(() => heartbeat.leave(pool))
  return {
    pool,
    over,
    async stop() {
      await Promise.race([runner.stop().catch(() => {}), gaveUp])
      await over
    },
  }
}

const flagsOf = ({ flags }: { flags: object | null }) => Object.keys(flags ?? {})

/** The queue keeps why a job failed, and errors quote what others wrote. */
function scrubbed(error: unknown): unknown {
  if (error instanceof Error) error.message = scrub(error.message)
  return error
}
