import { Event } from '../../contract/shapes.ts'
import { VERSION } from '../../contract/version.ts'
import { scrubberOf } from '../../domain/privacy/replies.ts'
import { mayHoldPrivate } from '../../domain/privacy/scrub.ts'
import type { Destination } from '../../domain/sending/destinations.ts'
import * as messages from '../../domain/sending/messages.ts'
import { signatureOf } from '../../domain/webhooks/webhook-signature.ts'
import * as webhooks from '../../domain/webhooks/webhooks.ts'
import type { Answer, Dispatcher } from '../../net/dispatcher.ts'
import { delayAfter, type Transport } from './transport.ts'

const BATCH = 100
/** How often deliveries are recorded: after a crash no more than these are sent again. */
const RECORD_EVERY_MS = 200

/** A failing receiver has less time to respond. */
const TIMEOUT_MS = 15_000
const FAILING_TIMEOUT_MS = 5_000

/** A receiver that takes this long is slow. */
const SLOW_MS = 1_000

/** At least once and in order: a message that fails blocks those behind it. */
export const sendWebhooks: Transport = async ({ db, dispatcher }, to, lane) => {
  const { signal } = lane
  const head = await messages.head(db, to, { limit: BATCH, in_order: true })
  const delivered: messages.Attempt[] = []
  const until = performance.now() + RECORD_EVERY_MS
  let failed: (messages.Attempt & { delay: number }) | undefined
  for (const message of head) {
    if (!message.is_due) break
    const { retryAfter, ...attempt } = await send(to, message, dispatcher, signal)
    if (signal.aborted) break
    if (isDelivered(attempt.status)) delivered.push(attempt)
    else failed = { ...attempt, delay: Math.max(delayAfter(message.tries), retryAfter) }
    if (failed || lane.stopping() || performance.now() > until) break
  }
  if (delivered.length > 0) await messages.recordDelivered(db, to, delivered)
  if (failed) await webhooks.recordFailed(db, to, failed, failed.delay)
  const all = delivered.length === head.length && delivered.length < BATCH
  if (failed || all || delivered.length === 0 || signal.aborted) return 'done'
  return delivered.some(({ milliseconds }) => milliseconds >= SLOW_MS) ? 'slow' : 'more'
}

const isDelivered = (status: number | null) => status !== null && status >= 200 && status < 300

async function send(
  { url, secrets, is_failing }: Destination,
  { id, event_id, payload, tries }: messages.Message,
  dispatcher: Dispatcher,
  signal: AbortSignal,
): Promise<messages.Attempt & Answer> {
  const at = new Date()
  const began = performance.now()
  const timestamp = Math.floor(at.getTime() / 1000)
  const body = scrubbed(payload)
  const headers = {
    'content-type': 'application/json',
    'user-agent': `goldmaster/${VERSION}`,
    'webhook-id': event_id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signatureOf(secrets, event_id, timestamp, body),
  }
  const timeout = is_failing || tries > 0 ? FAILING_TIMEOUT_MS : TIMEOUT_MS
  const answer = await dispatcher.post({ url, headers, body, timeout, signal })
  return { message_id: id, action: 'post', at: at.toISOString(), milliseconds: Math.round(performance.now() - began), ...answer }
}

const scrubEvent = scrubberOf(Event)!

/** A message may have been queued before its texts were scrubbed as they are now. */
function scrubbed(payload: string): string {
  if (!mayHoldPrivate(payload)) return payload
  const { data, ...rest } = JSON.parse(payload)
  return JSON.stringify({ ...rest, data: scrubEvent(data as never) })
}
