import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { backOff } from '../contract/back-off.ts'
import type { Database, Pool } from '../db/database.ts'
import * as queue from '../db/queue.ts'
import { scrub } from '../domain/privacy/scrub.ts'
import { NoAnswer, Unreachable } from '../net/safe-fetch.ts'
import { traced } from '../net/tracing.ts'
import type { Breaker } from './breaker.ts'
import { isTime, nextTime, type Times } from './schedule.ts'
import { Slots } from './slots.ts'

export type Task = (payload: never, signal: AbortSignal) => Promise<unknown>

/** Kinds of jobs that share slots, and how the slots are shared. */
export interface WorkerPool {
  /** Jobs that call a server, or those that do not. */
  remote: boolean
  slots: number
  perOwner: number
  perServer: number
  tasks: Record<string, Task>
}

interface RunnerContext {
  db: Pool
  log: Logger
  breaker: Breaker
  /** The times of recurring work, by kind. */
  times: Record<string, Times>
}

/** New jobs are found by polling: NOTIFY takes a lock that all commits of the database wait for, and a pooler does not forward it. */
const TICK_MS = 200
const RENEW_MS = 5_000
const SCHEDULE_MS = 60_000
/** How long work may continue after the signal to stop; then jobs that wait for other servers are aborted and retried later. */
const STOP_TIMEOUT_MS = 3_000
const GIVE_UP_MS = 2 * STOP_TIMEOUT_MS + 1_000
const PAUSE_MS = 1_000
const ERROR_MAX = 2_000
/** Attempts over half an hour: after that recurring work waits for its next time. */
const RECURRING_ATTEMPTS = 8

interface Running {
  job: queue.Job
  pool: WorkerPool
  control: AbortController
  ended: Promise<void>
}

/** Runs jobs until stopped. A job that throws is retried with growing delays. */
export async function startRunner({ db, log, breaker, times }: RunnerContext, pools: WorkerPool[]) {
  const worker = randomUUID()
  const running = new Map<number, Running>()
  const stopping = new AbortController()
  const isStopping = () => stopping.signal.aborted
  const pause = (milliseconds: number) => sleep(milliseconds, undefined, { signal: stopping.signal }).catch(() => {})

  /** Owners and servers that get no slot now. */
  const full = (jobs: queue.Job[], { perOwner, perServer }: WorkerPool) => ({
    owners: [...counted(jobs.map(({ owner }) => owner))].flatMap(([owner, count]) => (count >= perOwner ? [owner] : [])),
    servers: [
      ...breaker.open(),
      ...[...counted(jobs.map(({ server }) => server))].flatMap(([server, count]) =>
        server !== '' && count >= (breaker.isHalfOpen(server) ? 1 : perServer) ? [server] : [],
      ),
    ],
  })

  /** Fills the free slots of a pool, one job per owner at a time. */
  const filling = (pool: WorkerPool) => {
    const kinds = Object.keys(pool.tasks)
    const slots = new Slots({ count: pool.slots, rests: !pool.remote, onFree: () => wake() })
    let after = ''
    return async (db: Database) => {
      while (!isStopping()) {
        const jobs = [...running.values()].flatMap((one) => (one.pool === pool ? [one.job] : []))
        const limit = slots.free
        if (limit === 0) return
        const claimed = await queue.claim(db, { worker, remote: pool.remote, kinds, after, full: full(jobs, pool), limit })
        if (claimed.length === 0 || isStopping()) return
        for (const job of claimed) begin(job, pool, slots)
        after = claimed.at(-1)!.owner
        // All owners had their turn, and those at their limit get no more.
        const { owners } = full([...jobs, ...claimed], pool)
        if (claimed.length < limit && claimed.every(({ owner }) => owners.includes(owner))) return
      }
    }
  }

  const begin = (job: queue.Job, pool: WorkerPool, slots: Slots) => {
    slots.take()
    const control = new AbortController()
    const began = performance.now()
    const ended = run(job, pool.tasks[job.kind]!, control.signal).finally(() => {
      running.delete(job.id)
      slots.leave(performance.now() - began)
    })
    running.set(job.id, { job, pool, control, ended })
  }

  const run = async (job: queue.Job, task: Task, signal: AbortSignal) => {
    const slot = job.slot === null ? undefined : new Date(job.slot)
    const payload = slot === undefined ? job.payload : { slot: job.slot }
    let failure: unknown
    if (slot === undefined || isTime(times[job.kind]!, slot))
      failure = await traced(`job ${job.kind}`, 'internal', { 'goldmaster.job': job.kind }, () =>
        task(payload as never, signal),
      ).then(() => undefined, failureOf)
    if (failure !== undefined) log.warn({ job: job.kind, error: reasonOf(failure) }, 'job failed')
    if (job.server !== '' && !signal.aborted) await judge(job.server, failure)
    await record(job, () => (slot === undefined ? end(job, failure) : recur(job, slot, failure)))
  }

  /** Updates the circuit breaker after a job that called a server. */
  const judge = async (server: string, failure: unknown) => {
    if (!(failure instanceof NoAnswer)) {
      if (failure === undefined || failure instanceof Unreachable) breaker.answered(server)
      return
    }
    const milliseconds = breaker.failed(server)
    if (milliseconds === undefined) return
    log.warn({ server, seconds: Math.round(milliseconds / 1000) }, 'a server does not respond; pausing requests')
    await queue.postpone(db, server, milliseconds / 1000).catch(() => {})
  }

  const end = (job: queue.Job, failure: unknown) => {
    if (failure === undefined) return queue.complete(db, worker, job)
    const error = reasonOf(failure)
    const seconds = Math.max(delayOf(job), failure instanceof Unreachable ? failure.retryAfter : 0)
    return queue.fail(db, worker, job, job.attempts < queue.ATTEMPTS_MAX ? { error, seconds } : { error })
  }

  const recur = (job: queue.Job, slot: Date, failure: unknown) => {
    const now = Date.now()
    const next = nextTime(times[job.kind]!, new Date(Math.max(now, slot.getTime())))
    const [error, seconds] = [failure === undefined ? null : reasonOf(failure), delayOf(job)]
    return error !== null && job.attempts < RECURRING_ATTEMPTS && now + 1000 * seconds < next.getTime()
      ? queue.fail(db, worker, job, { error, seconds })
      : queue.reschedule(db, worker, job, next, error)
  }

  /** The job keeps its slot until its end is recorded: without the database there is no other job to run. */
  const record = async (job: queue.Job, write: () => Promise<unknown>) => {
    for (;;)
      try {
        return void (await write())
      } catch (error) {
        log.warn({ job: job.kind, error: reasonOf(error) }, 'saving the result of a job: waiting for the database')
        if (isStopping()) return
        await pause(PAUSE_MS)
      }
  }

  let isWoken = false
  let resume = () => {}
  const wake = () => {
    isWoken = true
    resume()
  }
  /** Until the next poll of the queue, which a free slot triggers early. */
  const rest = () =>
    new Promise<void>((resolve) => {
      if (isWoken) return resolve()
      const timer = setTimeout(resolve, TICK_MS)
      resume = () => {
        clearTimeout(timer)
        resolve()
      }
    })

  const fills = pools.map(filling)
  let promotedAt = Number.NEGATIVE_INFINITY
  const look = async (db: Database) => {
    isWoken = false
    if (performance.now() - promotedAt >= TICK_MS) {
      promotedAt = performance.now()
      await queue.promote(db)
    }
    for (const fill of fills) await fill(db)
  }
  /** A separate connection: the queue is polled whatever jobs do with the others. */
  const attend = () =>
    db.onOneConnection(async (db) => {
      await queue.planForIndexes(db, true)
      while (!isStopping()) {
        await look(db)
        await rest()
      }
      await queue.planForIndexes(db, false)
    })

  let reclaimsFrom = 0
  const renew = async () => {
    try {
      for (const id of await queue.renew(db, worker, [...running.keys()])) running.get(id)?.control.abort()
      if (performance.now() < reclaimsFrom) return
      const jobs = await queue.reclaim(db)
      if (jobs > 0) log.warn({ jobs }, 'took over jobs of dead workers')
    } catch (error) {
      // Other workers could not renew their leases either, and do so first.
      reclaimsFrom = performance.now() + queue.LEASE_SECONDS * 1000
      throw error
    }
  }

  const schedule = () =>
    queue.schedule(db, Object.fromEntries(Object.entries(times).map(([kind, its]) => [kind, nextTime(its, new Date())])))

  /** Repeats until stopped; retries after a while if the database is unreachable. */
  const repeat = async (work: () => Promise<unknown>, rest: () => Promise<unknown>) => {
    while (!isStopping())
      await work().then(rest, (error: unknown) => {
        log.warn({ error: reasonOf(error) }, 'the worker is waiting for the database')
        return pause(PAUSE_MS)
      })
  }

  await schedule()
  const loops = [repeat(attend, async () => {}), repeat(renew, () => pause(RENEW_MS)), repeat(schedule, () => pause(SCHEDULE_MS))]
  return {
    async stop() {
      stopping.abort()
      wake()
      const cutOff = setTimeout(() => {
        for (const { control } of running.values()) control.abort()
      }, STOP_TIMEOUT_MS)
      await within(GIVE_UP_MS, Promise.all([...loops, ...[...running.values()].map(({ ended }) => ended)]))
      clearTimeout(cutOff)
      await within(
        PAUSE_MS,
        queue.release(db, worker).catch(() => {}),
      )
    },
  }
}

const counted = (values: string[]) => {
  const counts = new Map<string, number>()
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  return counts
}

/** Waits for something, but no longer than this. */
async function within(milliseconds: number, work: Promise<unknown>) {
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, milliseconds)
  })
  await Promise.race([work, timeout])
  clearTimeout(timer)
}

/** Seconds until the next attempt: three at first, six hours at most. */
const delayOf = ({ attempts }: queue.Job) => backOff(attempts, { first: Math.E, longest: Math.E ** 10, factor: Math.E })

const failureOf = (error: unknown) => error ?? new Error('It failed without a reason.')

/** The queue stores why a job failed, and errors quote external text. */
const reasonOf = (error: unknown) =>
  scrub(error instanceof Error ? error.message : String(error))
    .replaceAll('\0', '')
    .slice(0, ERROR_MAX)
    .toWellFormed()
