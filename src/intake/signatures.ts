import { createHmac, timingSafeEqual } from 'node:crypto'

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
