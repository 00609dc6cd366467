import { VERSION } from '../../contract/version.ts'
import * as outgoing from '../../domain/notifications/outgoing.ts'
import { signatureOf } from '../../domain/notifications/webhook-signature.ts'
import type { Answer, Dispatcher } from '../../net/dispatcher.ts'
import type { Lane } from '../lanes.ts'
import type { WorkerContext } from '../worker.ts'

const BATCH = 100
/** What was delivered is written down this often: no more than that is sent again by whoever takes over. */
const RECORD_EVERY_MS = 200

/** A receiver is given less time for an answer while nothing gets through to it. */
const TIMEOUT_MS = 15_000
const FAILING_TIMEOUT_MS = 5_000

/** After this a lane ends, so that somebody else may have it; whose queue is not empty gets another. */
const TURN_MS = 10_000
/** Who takes this long for an answer is slow, and gets a lane for one batch at a time. */
const SLOW_MS = 1_000

/** Seconds between attempts; the last one repeats. Short at first, since everything behind the message waits with it. */
const DELAYS = [1, 5, 15, 30, 60, 120, 300, 600, 1_200, 1_800]

/** A tenth more or less, so that receivers who fail together are not asked together. */
export const delayAfter = (tries: number, random = Math.random()) =>
  DELAYS[Math.min(tries, DELAYS.length - 1)]! * (0.9 + random * 0.2)

/**
 * Works off one webhook's queue, one message after the other, until it is empty, one fails or the lane's time is up. Returns for how
 * many milliseconds the webhook should get no other lane.
 */
export async function runWebhookWorker({ db, vault }: WorkerContext, lane: Lane, dispatcher: Dispatcher): Promise<number> {
  const { id: subscriptionId, signal } = lane
  const began = performance.now()
  while (!lane.stopping()) {
    const head = await outgoing.head(db, vault, subscriptionId, BATCH)
    if (!head) return 0
    const delivered: outgoing.Attempt[] = []
    const until = performance.now() + RECORD_EVERY_MS
    let failed: (outgoing.Attempt & { delay: number }) | undefined
    for (const message of head.messages) {
      if (!message.due) break
      const attempt = await send(head, message, dispatcher, signal)
      if (signal.aborted) break
      if (isDelivered(attempt.status)) delivered.push(attempt)
      else failed = { ...attempt, delay: Math.max(delayAfter(message.tries), attempt.retryAfter) }
      if (failed || lane.stopping() || performance.now() > until) break
    }
    if (delivered.length > 0) await outgoing.recordDelivered(db, subscriptionId, delivered)
    if (failed) await outgoing.recordFailed(db, subscriptionId, failed, failed.delay)
    const all = delivered.length === head.messages.length && delivered.length < BATCH
    if (failed || all || delivered.length === 0 || signal.aborted) return 0
    const took = performance.now() - began
    if (delivered.some(({ milliseconds }) => milliseconds >= SLOW_MS)) return took
    if (took > TURN_MS) return 0
  }
  return 0
}

const isDelivered = (status: number | null) => status !== null && status >= 200 && status < 300

async function send(
  { url, secrets, failing }: outgoing.Head,
  { id, payload: body, tries }: outgoing.Message,
  dispatcher: Dispatcher,
  signal: AbortSignal,
): Promise<outgoing.Attempt & Answer> {
  const at = new Date()
  const began = performance.now()
  const timestamp = Math.floor(at.getTime() / 1000)
  const headers = {
    'content-type': 'application/json',
    'user-agent': `goldmaster/${VERSION}`,
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signatureOf(secrets, id, timestamp, body),
  }
  const answer = await dispatcher.post({
    url,
    headers,
    body,
    timeout: failing || tries > 0 ? FAILING_TIMEOUT_MS : TIMEOUT_MS,
    signal,
  })
  return { id, at: at.toISOString(), milliseconds: Math.round(performance.now() - began), ...answer }
}
