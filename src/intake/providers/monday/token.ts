import { at, number } from '../../reading.ts'
import { hmac, signedBy } from '../../signatures.ts'

const CLOCK_DIFFERENCE_S = 60

/** Whether an `Authorization` value is a JSON Web Token (HS256) under one of the secrets and not expired. It does not cover the body. */
export function isSignedToken(authorization: string | undefined, secrets: readonly string[], now: Date): boolean {
  const [header, claims, signature, ...more] = (authorization ?? '').replace(/^Bearer /i, '').split('.')
  if (header === undefined || claims === undefined || signature === undefined || more.length > 0) return false
  if (at(decoded(header), 'alg') !== 'HS256') return false
  if (!signedBy(secrets, signature, (secret) => hmac('sha256', secret, `${header}.${claims}`).toString('base64url'))) return false
  const seconds = now.getTime() / 1000
  const [from, until] = [number(at(decoded(claims), 'nbf')), number(at(decoded(claims), 'exp'))]
  return (from ?? 0) - CLOCK_DIFFERENCE_S <= seconds && seconds <= (until ?? Number.POSITIVE_INFINITY) + CLOCK_DIFFERENCE_S
}

function decoded(part: string): unknown {
  try {
    return JSON.parse(Buffer.from(part, 'base64url').toString())
  } catch {
    return undefined
  }
}
