import { setTimeout as sleep } from 'node:timers/promises'
import { CHANNEL_KINDS } from '../../contract/channels.ts'
import { ofAccount } from '../../db/database.ts'
import { LEASES } from '../../db/queue.ts'
import { sequence } from '../../domain/feed/sequencer.ts'
import { readOutbox } from '../../domain/inbox/outbox-readers.ts'
import * as destinations from '../../domain/sending/destinations.ts'
import { enqueueMessages } from '../../domain/webhooks/webhook-messages.ts'
import { openDispatcher } from '../../net/dispatcher.ts'
import { openBreaker } from '../breaker.ts'
import { type Lane, type Lanes, repeat, startLanes } from '../lanes.ts'
import type { WorkerContext } from '../worker.ts'
import { sendAuditLog } from './audit-streams.ts'
import { sendChatMessage } from './chat.ts'
import { mailLanes } from './mail.ts'
import type { SendingContext, Transport } from './transport.ts'
import { sendWebhooks } from './webhooks.ts'

const TRANSPORTS = {
  webhook: sendWebhooks,
  audit_stream: sendAuditLog,
  ...Object.fromEntries(CHANNEL_KINDS.map((kind) => [kind, sendChatMessage])),
} as Record<destinations.DestinationKind, Transport>

/** After this a lane ends, so that others get a turn. */
const TURN_MS = 10_000

interface Sender extends Lanes {
  /** Silent servers that are not called for now. */
  silentServers(): string[]
}

/** Everything that the service sends by itself: webhooks, chat messages, audit logs and mails; until stopped. */
export function startSender(context: WorkerContext & { slackApi?: string }): Sender {
  const { db, log } = context
  const dispatcher = openDispatcher(context.allowed)
  const breaker = openBreaker()
  const stopped = new AbortController()
  // Not in the loop of the lanes: a long batch of events must not delay queued messages.
  const reading = repeat(
    () => readOutbox(db, context),
    stopped.signal,
    (error) => log.warn({ error: error.message }, 'reading the outbox failed; retrying'),
  )
  const sending = startLanes(context, {
    name: 'destination',
    lease: LEASES.destinations,
    async fill() {
      // Even without readers: events without a position are never purged.
      const unnumbered = await sequence(db)
      return (await enqueueMessages(db)) || unnumbered
    },
    due: (lanes) => destinations.due(db, lanes),
    run: async (lane) =>
      (await destinations.isolated(db, lane.id, () => runLane({ ...context, dispatcher }, lane), lane.signal)) ?? 0,
    close: () => dispatcher.close(),
  })
  const mails = startLanes(context, mailLanes(context, breaker))
  return {
    silentServers: () => breaker.silent(),
    async stop() {
      stopped.abort()
      await Promise.all([sending.stop(), mails.stop(), reading])
    },
  }
}

/** Sends one message after the other, until nothing can be sent now or the turn is over. Returns how many milliseconds others go first. */
export async function runLane(context: SendingContext, lane: Lane): Promise<number> {
  const began = performance.now()
  const elapsed = () => performance.now() - began
  let { db } = context
  while (!lane.stopping() && elapsed() < TURN_MS) {
    const to = await destinations.open(db, context.vault, lane.id)
    if (!to || to.rests > TURN_MS) return 0
    db = ofAccount(context.db, to.account_id)
    await sleep(to.rests, undefined, { signal: lane.signal }).catch(() => {})
    if (lane.stopping()) return 0
    const step = await TRANSPORTS[to.kind]({ ...context, db }, to, lane)
    if (step === 'done') return 0
    if (step === 'slow') return elapsed()
  }
  return 0
}
