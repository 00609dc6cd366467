import { setTimeout as sleep } from 'node:timers/promises'
import * as outbox from '../../domain/feed/outbox.ts'
import * as outgoing from '../../domain/notifications/outgoing.ts'
import { enqueueMessages, isAnybodyThere } from '../../domain/notifications/outgoing-queue.ts'
import type { WorkerContext } from '../worker.ts'
import { openDispatcher } from './dispatcher.ts'
import { openLeases, type Session } from './leases.ts'
import { runWebhookWorker } from './webhook-worker.ts'

const TICK_MS = 250
/** Webhooks worked for side by side; one that hangs holds up nobody else. */
const WORKERS_MAX = 512
/** After the signal to stop, messages under way have this long. */
const STOP_PATIENCE_MS = 3_000

export interface Outgoing {
  stop(): Promise<void>
}

/** Sends what happens to those who asked to be told, until stopped. Any number of nodes may do so side by side. */
export function startOutgoing(context: WorkerContext): Outgoing {
  const { db, log } = context
  const dispatcher = openDispatcher(context.allowed)
  const workers = new Map<number, Promise<void>>()
  const resting = new Set<number>()
  const stopped = new AbortController()
  let session: Session | undefined

  const rest = (subscriptionId: number, milliseconds: number) => {
    if (milliseconds === 0) return
    resting.add(subscriptionId)
    setTimeout(() => resting.delete(subscriptionId), milliseconds).unref()
  }

  const begin = (subscriptionId: number, held: Session) => {
    const worker = { subscriptionId, dispatcher, signal: held.signal, stopping: () => stopped.signal.aborted || held.isLost() }
    const done = runWebhookWorker(context, worker)
      .then((milliseconds) => rest(subscriptionId, milliseconds))
      .catch((error: Error) => log.warn({ webhook: subscriptionId, error: error.message }, 'a webhook waits for the database'))
      .then(() => held.release(subscriptionId))
      .catch(() => {})
      .finally(() => workers.delete(subscriptionId))
    workers.set(subscriptionId, done)
  }

  const round = async (): Promise<boolean> => {
    // Whether anybody listens or not: what has no place in the order could never be purged.
    const unnumbered = await outbox.sequence(db)
    if (!(await isAnybodyThere(db))) return unnumbered
    const more = (await enqueueMessages(db)) || unnumbered
    const due = await outgoing.due(db, { busy: [...workers.keys()], resting: [...resting], free: WORKERS_MAX - workers.size })
    if (due.length === 0) return more
    if (session === undefined || session.isLost()) session = await openLeases(db)
    for (const id of await session.take(due)) begin(id, session)
    return more
  }

  const running = (async () => {
    while (!stopped.signal.aborted) {
      const more = await round().catch((error: Error) => {
        log.warn({ error: error.message }, 'webhooks wait for the database')
        return false
      })
      if (!more) await sleep(TICK_MS, undefined, { signal: stopped.signal }).catch(() => {})
    }
  })()

  return {
    async stop() {
      stopped.abort()
      const timer = setTimeout(() => session?.breakOff(), STOP_PATIENCE_MS)
      await running
      await Promise.all(workers.values())
      clearTimeout(timer)
      session?.end()
      dispatcher.close()
    },
  }
}
