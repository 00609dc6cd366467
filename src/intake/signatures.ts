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

/** Whether `given` is the signature of the parts under one of the secrets; every secret is tried, so that timing reveals nothing. */
export const signedBy = (secrets: readonly string[], given: string | undefined, sign: (secret: string) => string): boolean =>
  given !== undefined && secrets.reduce((found, secret) => same(given, sign(secret)) || found, false)

/** Whether the signature in a header is valid; undefined if there is none. */
export type Checked = boolean | undefined

/**
 * The signature of scripts, relays and our own commands: `sha256=` and the hexadecimal HMAC-SHA256 of the raw body, as in Jenkins callbacks.
 * `before` is signed too, in front of the body.
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

/** Whether a delivery is accepted. A missing signature is fine if none is required; a wrong one never is. */
export const isAuthentic = (secrets: readonly string[], required: boolean | undefined, ...checked: Checked[]): boolean =>
  secrets.length === 0 ? !required : !checked.includes(false) && (!required || checked.includes(true))
