import { hashOf, type Vault } from '../../domain/privacy/secrets.ts'

/** Carried by the page from the password step to the code step: the user, the password's fingerprint, and the expiry. */
interface Challenge {
  user_id: number
  password: string
  until: number
}

const PLACE = 'two-factor challenge'
const MINUTES = 10

/** A changed password invalidates it. */
export const fingerprintOf = (kept: string) => hashOf(kept).toString('base64url')

export const sealChallenge = (vault: Vault, user_id: number, kept: string): string => {
  const challenge: Challenge = {
    user_id,
    password: fingerprintOf(kept),
    until: Date.now() + MINUTES * 60_000,
  }
  return vault.seal(JSON.stringify(challenge), PLACE)
}

export function openChallenge(vault: Vault, sealed: string): Challenge | undefined {
  try {
    const challenge = JSON.parse(vault.open(sealed, PLACE)) as Challenge
    return challenge.until > Date.now() ? challenge : undefined
  } catch {
    return undefined
  }
}
