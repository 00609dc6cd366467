import { LEASES } from '../../db/queue.ts'
import * as outbox from '../../domain/feed/outbox.ts'
import * as outgoing from '../../domain/notifications/outgoing.ts'
import { enqueueMessages, isAnybodyThere } from '../../domain/notifications/outgoing-queue.ts'
import { openDispatcher } from '../../net/dispatcher.ts'
import { type Lanes, startLanes } from '../lanes.ts'
import type { WorkerContext } from '../worker.ts'
import { runWebhookWorker } from './webhook-worker.ts'

/** Sends what happens to those who asked to be told, until stopped. */
export function startOutgoing(context: WorkerContext): Lanes {
  const { db } = context
  const dispatcher = openDispatcher(context.allowed)
  return startLanes(context, {
    name: 'webhook',
    lease: LEASES.webhooks,
    async fill() {
      // Whether anybody listens or not: what has no place in the order could never be purged.
      const unnumbered = await outbox.sequence(db)
      return ((await isAnybodyThere(db)) && (await enqueueMessages(db))) || unnumbered
    },
    due: (lanes) => outgoing.due(db, lanes),
    run: (lane) => runWebhookWorker(context, lane, dispatcher),
    close: () => dispatcher.close(),
  })
}
