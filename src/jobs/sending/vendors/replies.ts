import { retryAfterSeconds } from '../../../contract/back-off.ts'
import { exceeds } from '../../../net/json-complexity.ts'
import { REPLY } from '../../../net/reply-json.ts'
import type { Outcome, VendorReply } from '../vendor.ts'

/** The JSON of a reply; undefined if it is something else. */
export function jsonOf({ body }: VendorReply): Record<string, unknown> | undefined {
  if (exceeds(Buffer.from(body), REPLY)) return
  try {
    const value: unknown = JSON.parse(body)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined
  } catch {
    return
  }
}

/** A waiting time of more than a day is a mistake. */
const LONGEST_S = 86_400

export const waitOf = (seconds: unknown): number => {
  const wait = Math.ceil(Number(seconds))
  return wait > 0 ? Math.min(wait, LONGEST_S) : 0
}

/** How long a vendor asks to wait, by its header: seconds or a date. */
export function retryAfter({ headers }: VendorReply): number {
  return waitOf(retryAfterSeconds([headers['retry-after']].flat()[0]))
}

/**
 * The meaning of a status, undefined for 2xx. Bodies are never passed on: some servers repeat the URL in them, which is the secret of a
 * webhook.
 */
export function failureOf(reply: VendorReply, advice: string): Outcome | undefined {
  const { status } = reply
  const why = `The chat service answered HTTP ${status}.`
  if (status >= 200 && status < 300) return
  // A gateway timeout leaves the result unknown.
  if (status === 504) return { kind: 'unknown', why }
  if (status === 408 || status === 429 || status >= 500) return { kind: 'later', seconds: retryAfter(reply), why }
  if (status < 400 || [401, 403, 404, 405, 410].includes(status)) return { kind: 'gone', of: 'secret', why: `${why} ${advice}` }
  return { kind: 'refused', why }
}
