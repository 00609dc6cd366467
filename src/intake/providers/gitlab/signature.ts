import type { Unparsed } from '../../provider.ts'
import { hmac, signedBy } from '../../signatures.ts'

const TOLERANCE_MS = 5 * 60 * 1000
const PREFIX = 'whsec_'

/** A signature must be valid if there is one; without it, the secret token must match. */
export function isFromHook({ headers, raw, received }: Unparsed, secrets: readonly string[]): boolean {
  if (secrets.length === 0) return true
  const signatures = headers['webhook-signature']
  if (signatures === undefined) return signedBy(secrets, headers['x-gitlab-token'], (secret) => secret)
  const [id, timestamp] = [headers['webhook-id'] ?? '', headers['webhook-timestamp'] ?? '']
  const fresh = /^\d{1,12}$/.test(timestamp) && Math.abs(received.getTime() - Number(timestamp) * 1000) <= TOLERANCE_MS
  const sign = (secret: string) => `v1,${hmac('sha256', keyOf(secret), `${id}.${timestamp}.`, raw).toString('base64')}`
  return signatures.split(' ').reduce((found, given) => signedBy(secrets, given, sign) || found, false) && fresh
}

const keyOf = (secret: string) =>
  secret.startsWith(PREFIX) ? Buffer.from(secret.slice(PREFIX.length), 'base64') : Buffer.from(secret)
