import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Pool } from '../db/database.ts'
import { openLeases, type Session } from './leases.ts'

const TICK_MS = 250
/** Queues processed in parallel; one that hangs blocks nobody else. */
const LANES_MAX = 512
/** How long running messages have after the signal to stop. */
const STOP_TIMEOUT_MS = 3_000

/** Processes one queue, one message after the other. */
export interface Lane {
  id: number
  /** The lane ends after the current message. */
  stopping(): boolean
  /** Aborts the current message. */
  signal: AbortSignal
}

export interface Work {
  /** The name of its queues in the log. */
  name: string
  lease: number
  /** Fills the queues. Returns true if there is more than one round handles. */
  fill(): Promise<boolean>
  /** Queues with something to send. */
  due(lanes: { busy: number[]; resting: number[]; free: number }): Promise<number[]>
  /** Returns how many milliseconds the queue should not get another lane. */
  run(lane: Lane): Promise<number>
  close(): void
}

export interface Lanes {
  stop(): Promise<void>
}

/** Repeats: at once if there is more to do, otherwise after a short pause. */
export async function repeat(round: () => Promise<boolean>, stopped: AbortSignal, onError: (error: Error) => void) {
  while (!stopped.aborted) {
    const more = await round().catch((error: Error) => {
      onError(error)
      return false
    })
    if (!more) await sleep(TICK_MS, undefined, { signal: stopped }).catch(() => {})
  }
}

/** Processes queues in lanes, until stopped. Any number of nodes may do so in parallel: each queue has one lane among all of them. */
export function startLanes({ db, log }: { db: Pool; log: Logger }, work: Work): Lanes {
  const lanes = new Map<number, Promise<void>>()
  const resting = new Set<number>()
  const stopped = new AbortController()
  let session: Session | undefined

  const rest = (id: number, milliseconds: number) => {
    if (milliseconds === 0) return
    resting.add(id)
    setTimeout(() => resting.delete(id), milliseconds).unref()
  }

  const begin = (id: number, held: Session) => {
    const done = work
      .run({ id, signal: held.signal, stopping: () => stopped.signal.aborted || held.isLost() })
      .then((milliseconds) => rest(id, milliseconds))
      .catch((error: Error) => log.warn({ [work.name]: id, error: error.message }, 'a queue is waiting for the database'))
      .then(() => held.release(id))
      .catch(() => {})
      .finally(() => lanes.delete(id))
    lanes.set(id, done)
  }

  const round = async (): Promise<boolean> => {
    const more = await work.fill()
    const due = await work.due({ busy: [...lanes.keys()], resting: [...resting], free: LANES_MAX - lanes.size })
    if (due.length === 0) return more
    if (session === undefined || session.isLost()) session = await openLeases(db, work.lease)
    for (const id of await session.take(due)) begin(id, session)
    return more
  }

  const running = repeat(round, stopped.signal, (error) =>
    log.warn({ error: error.message }, `${work.name}s are waiting for the database`),
  )

  return {
    async stop() {
      stopped.abort()
      const timer = setTimeout(() => session?.breakOff(), STOP_TIMEOUT_MS)
      await running
      await Promise.all(lanes.values())
      clearTimeout(timer)
      session?.end()
      work.close()
    },
  }
}
