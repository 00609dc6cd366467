import type { Delivery, Unparsed } from '../provider.ts'
import { at, text, word } from '../reading.ts'
import { type Checked, hmac, signedBy } from '../signatures.ts'

/** Unity Build Automation has no webhook path: it calls the CI intake or the deployment intake. */
export const isUnity = ({ headers, body }: Delivery): boolean =>
  headers['x-unitycloudbuild-event'] !== undefined ||
  (word(at(body, 'buildNumber')) !== undefined && text(at(body, 'buildTargetName')) !== undefined) ||
  isUnityPing(body)

export const isUnityPing = (body: unknown): boolean =>
  word(at(body, 'hookId')) !== undefined && at(body, 'buildNumber') === undefined

export const unityEvent = ({ headers, body }: Delivery): string =>
  headers['x-unitycloudbuild-event'] ?? (isUnityPing(body) ? 'ping' : (text(at(body, 'buildStatus')) ?? 'build'))

export const unityDelivery = ({ headers }: Delivery): string | undefined => headers['x-unitycloudbuild-deliveryid']

/** Unity signs only if a secret is set in Unity. */
export function unitySignature({ headers, raw }: Unparsed, secrets: readonly string[]): Checked {
  const given = headers['x-unitycloudbuild-signature']
  if (given === undefined) return undefined
  return signedBy(secrets, given, (secret) => hmac('sha256', secret, raw).toString('hex'))
}
