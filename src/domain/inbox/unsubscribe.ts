import type { Vault } from '../access/secrets.ts'

/** Opens nothing but this: whoever has the link may stop one kind of mails to one person. */
export const unsubscribeUrl = (vault: Vault, site: string, userId: number, kind: string) =>
  `${site}/unsubscribe?token=${encodeURIComponent(vault.seal(`unsubscribe ${userId} ${kind}`))}`

/** Undefined for a link that is not ours. */
export function readUnsubscribe(vault: Vault, token: string): { user_id: number; kind: string } | undefined {
  try {
    const [purpose, user, kind] = vault.open(token).split(' ')
    return purpose === 'unsubscribe' && kind !== undefined ? { user_id: Number(user), kind } : undefined
  } catch {
    return undefined
  }
}
