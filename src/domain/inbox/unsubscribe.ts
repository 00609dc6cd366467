import { invalidParameter } from '../../contract/errors.ts'
import type { Vault } from '../privacy/secrets.ts'

const PLACE = 'unsubscribe'

/** The link allows only this: unsubscribing one person from one kind of email. */
export const unsubscribeUrl = (vault: Vault, site: string, userId: number, kind: string) =>
  `${site}/unsubscribe?token=${encodeURIComponent(vault.seal(`unsubscribe ${userId} ${kind}`, PLACE))}`

export function readUnsubscribe(vault: Vault, token: string): { user_id: number; kind: string } {
  const [purpose, user, kind] = openedOrNothing(vault, token).split(' ')
  if (purpose !== 'unsubscribe' || kind === undefined) throw invalidParameter('token', 'is not from an email of this service')
  return { user_id: Number(user), kind }
}

function openedOrNothing(vault: Vault, token: string): string {
  try {
    return vault.open(token, PLACE)
  } catch {
    return ''
  }
}
