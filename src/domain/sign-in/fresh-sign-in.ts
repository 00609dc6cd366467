import { freshSignInRequired } from '../../contract/errors.ts'
import type { ConfirmMethod } from '../../contract/sets.ts'
import { type Database, sql } from '../../db/database.ts'
import type { Identity } from '../access/access.ts'
import { isRequired } from './required.ts'

/** How long a sign-in counts as fresh. */
export const FRESH_MINUTES = 10

type Asker = Pick<Identity, 'user_id' | 'session_id'>

/**
 * Exports, tokens and new factors outlive the session, so they need a recent sign-in: an unattended browser is not enough. Programs with a
 * token have no session and are not asked; the scopes of the token decide.
 */
export async function requireFresh(db: Database, by: Asker): Promise<void> {
  if (by.session_id === null) return
  const fresh = await db.one(sql`
    select from sessions where id = ${by.session_id} and confirmed_at > now() - make_interval(mins => ${FRESH_MINUTES})`)
  if (!fresh) throw freshSignInRequired(FRESH_MINUTES, await confirmMethods(db, by))
}

/** How a person can confirm their session. With an authenticator app the password alone is not enough. */
export async function confirmMethods(db: Database, { user_id, session_id }: Asker): Promise<ConfirmMethod[]> {
  const held = (await db.one<Record<ConfirmMethod, boolean>>(sql`
    select exists (select from logins l where l.user_id = ${user_id} and l.provider_id = 'credential' and l.password is not null) as password,
      exists (select from two_factors f where f.user_id = ${user_id} and f.confirmed_at is not null) as code,
      exists (select from passkeys k where k.user_id = ${user_id}) as passkey,
      exists (select from sso_sessions o where o.session_id = ${session_id}) as sso`))!
  const ssoOnly = await isRequired(db, user_id)
  const methods: [ConfirmMethod, boolean][] = [
    ['code', held.code],
    ['password', held.password && !held.code && !ssoOnly],
    ['passkey', held.passkey && !ssoOnly],
    ['sso', held.sso],
  ]
  return methods.flatMap(([method, offered]) => (offered ? [method] : []))
}
