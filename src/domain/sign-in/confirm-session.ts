import { freshSignInRequired, invalidParameter, invalidPasskey, wrongPassword } from '../../contract/errors.ts'
import type { ConfirmMethod } from '../../contract/sets.ts'
import { type Database, sql } from '../../db/database.ts'
import { verifyPassword } from '../accounts/passwords.ts'
import type { SignInMethod } from '../audit/sign-ins.ts'
import type { Vault } from '../privacy/secrets.ts'
import { confirmMethods, FRESH_MINUTES } from './fresh-sign-in.ts'
import * as passkeys from './passkeys.ts'
import * as twoFactor from './two-factor.ts'

interface Shown {
  password?: string
  code?: string
  passkey?: passkeys.Answer
}

/**
 * A signed-in person confirms their session, which is then fresh for some minutes. With a code or a passkey it has also shown a second factor.
 * Not in a transaction, because wrong codes must be counted.
 */
export async function confirmSession(
  db: Database,
  means: { vault: Vault; site: string },
  by: { user_id: number; session_id: number | null },
  shown: Shown,
): Promise<void> {
  const [method] = Object.keys(shown) as Exclude<ConfirmMethod, 'sso'>[]
  if (method === undefined || Object.keys(shown).length > 1)
    throw invalidParameter('body', 'must hold a password, a code or a passkey')
  const methods = await confirmMethods(db, by)
  if (!methods.includes(method)) throw freshSignInRequired(FRESH_MINUTES, methods)
  const factor = await verify(db, means, by.user_id, shown)
  await db.execute(sql`
    update sessions set confirmed_at = now(), method = coalesce(${factor}, method) where id = ${by.session_id} and user_id = ${by.user_id}`)
}

/** The second factor that was used, if any. */
async function verify(
  db: Database,
  means: { vault: Vault; site: string },
  userId: number,
  { password, code, passkey }: Shown,
): Promise<SignInMethod | null> {
  if (code !== undefined) {
    await twoFactor.verify(db, means, userId, code)
    return 'second_factor'
  }
  if (passkey !== undefined) {
    if ((await passkeys.verify(db, passkey, means.site)) !== userId) throw invalidPasskey()
    return 'passkey'
  }
  const held = await db.one<{ password: string }>(sql`
    select password from logins where user_id = ${userId} and provider_id = 'credential' and password is not null`)
  if (!held || !(await verifyPassword(password!, held.password))) throw wrongPassword()
  return null
}
