import { hostname } from 'node:os'
import { VERSION } from '../../contract/version.ts'
import { LEASES } from '../../db/queue.ts'
import * as streams from '../../domain/audit/streams.ts'
import { signatureOf } from '../../domain/notifications/webhook-signature.ts'
import { type Dispatcher, openDispatcher } from '../../net/dispatcher.ts'
import { type Lane, type Lanes, startLanes } from '../lanes.ts'
import { delayAfter } from '../outgoing/webhook-worker.ts'
import type { WorkerContext } from '../worker.ts'
import { sendSyslog } from './syslog.ts'

const BATCH = 100
const PATIENCE_MS = 15_000
/** After this a lane ends, so that somebody else may have it. */
const TURN_MS = 10_000

/** Sends the audit logs of accounts that want it elsewhere, until stopped. Each account has a lane of its own, and one node works on it. */
export function startAuditStreams(context: WorkerContext): Lanes {
  const dispatcher = openDispatcher(context.allowed)
  return startLanes(context, {
    name: 'audit stream',
    lease: LEASES.auditStreams,
    fill: async () => false,
    due: (lanes) => streams.due(context.db, lanes),
    run: (lane) => runStream(context, lane, dispatcher),
    close: () => dispatcher.close(),
  })
}

async function runStream({ db, vault, allowed, site }: WorkerContext, lane: Lane, dispatcher: Dispatcher): Promise<number> {
  const { id: accountId, signal } = lane
  const host = URL.canParse(site) ? new URL(site).hostname : hostname()
  for (const began = performance.now(); !lane.stopping() && performance.now() - began < TURN_MS; ) {
    const batch = await streams.next(db, vault, accountId, BATCH)
    if (!batch) return 0
    const { url, entries, tries } = batch
    try {
      if (url.protocol.startsWith('syslog')) await sendSyslog(url, entries, { allowed, host, signal })
      else await post(dispatcher, accountId, batch, signal)
    } catch (error) {
      if (signal.aborted) return 0
      const wait = error instanceof Refused ? error.retryAfter : 0
      await streams.recordFailed(db, accountId, url, (error as Error).message, Math.max(delayAfter(tries), wait))
      return 0
    }
    await streams.recordSent(db, accountId, url, entries.at(-1)!.position)
  }
  return 0
}

class Refused extends Error {
  readonly retryAfter: number

  constructor(message: string, retryAfter: number) {
    super(message)
    this.retryAfter = retryAfter
  }
}

/** A line of JSON for each entry, and the same id for the same entries. */
async function post(dispatcher: Dispatcher, accountId: number, batch: streams.Batch, signal: AbortSignal) {
  const { url, bearer, signing, entries } = batch
  const body = entries.map((entry) => `${JSON.stringify(entry)}\n`).join('')
  const id = `audit_${accountId}_${entries[0]!.position}_${entries.at(-1)!.position}`
  const timestamp = Math.floor(Date.now() / 1000)
  const headers = {
    'content-type': 'application/x-ndjson',
    'user-agent': `goldmaster/${VERSION}`,
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    ...(bearer !== undefined && { authorization: `Bearer ${bearer}` }),
    ...(signing !== undefined && { 'webhook-signature': signatureOf([signing], id, timestamp, body) }),
  }
  const { status, error, retryAfter } = await dispatcher.post({ url: url.href, headers, body, timeout: PATIENCE_MS, signal })
  if (status === null) throw new Error(error)
  if (status < 200 || status >= 300) throw new Refused(`answered ${status}`, retryAfter)
}
