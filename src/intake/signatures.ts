import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Unparsed } from './provider.ts'

/** Compared in constant time, whatever the lengths. */
function same(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)]
  return a.length === b.length && timingSafeEqual(a, b)
}

export const hmac = (algorithm: 'sha256' | 'sha1', key: string | Buffer, ...parts: (string | Buffer)[]) => {
  const mac = createHmac(algorithm, key)
  for (const part of parts) mac.update(part)
  return mac.digest()
}

/** Whether `given` is the signature of the parts under one of the secrets; every secret is tried, so that timing tells nothing. */
export const signedBy = (secrets: readonly string[], given: string | undefined, sign: (secret: string) => string): boolean =>
  given !== undefined && secrets.reduce((found, secret) => same(given, sign(secret)) || found, false)

/** What a signature header says: right, wrong, or undefined where the sender gave none. */
export type Checked = boolean | undefined

/**
 * The signature of scripts, relays and our own senders: `sha256=` and the hexadecimal HMAC-SHA256 of the raw body, as Jenkins callbacks
 * have it. `before` is what else was signed, in front of the body.
 */
export function senderSignature(
  { headers, raw }: Pick<Unparsed, 'headers' | 'raw'>,
  secrets: readonly string[],
  before = '',
): Checked {
  const given = headers['x-webhook-signature'] ?? headers['x-jenkins-signature']
  if (given === undefined) return undefined
  return signedBy(secrets, given, (secret) => `sha256=${hmac('sha256', secret, before, raw).toString('hex')}`)
}

/** Whether a delivery is let in. Where no signature is required an absent one is no offence; a wrong one always is. */
export const isAuthentic = (secrets: readonly string[], required: boolean | undefined, ...checked: Checked[]): boolean =>
  secrets.length === 0 ? !required : !checked.includes(false) && (!required || checked.includes(true))
