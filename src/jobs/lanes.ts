import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Pool } from '../db/database.ts'
import { openLeases, type Session } from './leases.ts'

const TICK_MS = 250
/** Queues worked off side by side; one that hangs holds up nobody else. */
const LANES_MAX = 512
/** After the signal to stop, what is under way has this long. */
const STOP_TIMEOUT_MS = 3_000

/** What works off one queue, one message after the other. */
export interface Lane {
  id: number
  /** After the message under way, the lane ends. */
  stopping(): boolean
  /** The message under way is broken off. */
  signal: AbortSignal
}

export interface Work {
  /** What the log calls its queues. */
  name: string
  lease: number
  /** Fills the queues. True when there is more than one turn takes. */
  fill(): Promise<boolean>
  /** Queues that have something to send. */
  due(lanes: { busy: number[]; resting: number[]; free: number }): Promise<number[]>
  /** Returns for how many milliseconds the queue should get no other lane. */
  run(lane: Lane): Promise<number>
  close(): void
}

export interface Lanes {
  stop(): Promise<void>
}

/** Does it again and again: at once if there is more to do, else after a short pause. */
export async function repeat(round: () => Promise<boolean>, stopped: AbortSignal, onError: (error: Error) => void) {
  while (!stopped.aborted) {
    const more = await round().catch((error: Error) => {
      onError(error)
      return false
    })
    if (!more) await sleep(TICK_MS, undefined, { signal: stopped }).catch(() => {})
  }
}

/** Works off queues in lanes, until stopped. Any number of nodes may do so side by side: each queue has one lane among all of them. */
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
      .catch((error: Error) => log.warn({ [work.name]: id, error: error.message }, 'a queue waits for the database'))
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
    log.warn({ error: error.message }, `${work.name}s wait for the database`),
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
