import { hostname } from 'node:os'
import { VERSION } from '../../contract/version.ts'
import * as streams from '../../domain/sending/audit-streams.ts'
import type { Destination } from '../../domain/sending/destinations.ts'
import { signatureOf } from '../../domain/webhooks/webhook-signature.ts'
import type { Dispatcher } from '../../net/dispatcher.ts'
import { sendSyslog } from './syslog.ts'
import { delayAfter, type Transport } from './transport.ts'

const BATCH = 100
const TIMEOUT_MS = 15_000

/** At least once and in order, as long as the stream exists. Its queue is the audit log itself. */
export const sendAuditLog: Transport = async ({ db, vault, allowed, site, dispatcher }, to, { signal }) => {
  const entries = await streams.next(db, vault, to, BATCH)
  if (entries.length === 0) return 'done'
  const host = URL.canParse(site) ? new URL(site).hostname : hostname()
  const url = new URL(to.url)
  try {
    if (url.protocol.startsWith('syslog')) await sendSyslog(url, entries, { allowed, host, signal })
    else await post(dispatcher, to, entries, signal)
  } catch (error) {
    if (signal.aborted) return 'done'
    const wait = error instanceof Refused ? error.retryAfter : 0
    await streams.recordFailed(db, to, (error as Error).message, Math.max(delayAfter(to.tries), wait))
    return 'done'
  }
  await streams.recordSent(db, to, entries.at(-1)!.position)
  return 'more'
}

class Refused extends Error {
  readonly retryAfter: number

  constructor(message: string, retryAfter: number) {
    super(message)
    this.retryAfter = retryAfter
  }
}

/** A line of JSON per entry, and the same id for the same entries. */
async function post(
  dispatcher: Dispatcher,
  { account_id, url, secrets: [secret] }: Destination,
  entries: streams.StreamEntry[],
  signal: AbortSignal,
) {
  const body = entries.map((entry) => `${JSON.stringify(entry)}\n`).join('')
  const id = `audit_${account_id}_${entries[0]!.position}_${entries.at(-1)!.position}`
  const timestamp = Math.floor(Date.now() / 1000)
  const authentication = (): Record<string, string> => {
    if (secret === undefined) return {}
    return streams.signs(secret)
      ? { 'webhook-signature': signatureOf([secret], id, timestamp, body) }
      : { authorization: `Bearer ${secret}` }
  }
  const headers = {
    'content-type': 'application/x-ndjson',
    'user-agent': `goldmaster/${VERSION}`,
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    ...authentication(),
  }
  const { status, error, retryAfter } = await dispatcher.post({ url, headers, body, timeout: TIMEOUT_MS, signal })
  if (status === null) throw new Error(error)
  if (status < 200 || status >= 300) throw new Refused(`answered ${status}`, retryAfter)
}
