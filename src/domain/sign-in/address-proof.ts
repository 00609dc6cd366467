import { type Database, raw, sql } from '../../db/database.ts'
import * as tokens from '../access/tokens.ts'
import * as users from '../accounts/users.ts'
import * as mailedLinks from './mailed-links.ts'
import * as sessions from './sessions.ts'

const SIGNS_IN = ['passkeys', 'recovery_codes', 'two_factors', 'logins']

/**
 * An address was verified: with a mailed link, or through a provider that is allowed for its domain. The first verification removes everything
 * that was set up under the address before: an admin who invites an address sees a link too, and could have joined with it and chosen a
 * password. Sessions, tokens, passwords and factors from after a verification stay.
 */
export async function proveAddress(db: Database, userId: number): Promise<void> {
  await users.lock(db, userId)
  const first = await db.execute(sql`
    update users set address_unproven = false, email_verified = true, updated_at = now() where id = ${userId} and address_unproven`)
  if (first === 0) return
  await sessions.endAll(db, userId)
  await tokens.revokeAll(db, userId)
  await mailedLinks.withdraw(db, 'password-reset', String(userId))
  for (const table of SIGNS_IN) await db.execute(sql`delete from ${raw(table)} where user_id = ${userId}`)
}
