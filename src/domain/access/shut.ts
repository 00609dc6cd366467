import { factorNotShown, shutOut } from '../../contract/errors.ts'
import { type Database, raw, type Sql, sql } from '../../db/database.ts'
import { PROVIDER_PREFIX } from '../sign-in/connections.ts'

/** Why somebody who belongs to an account is kept out of it for now: they come from elsewhere, or without a second factor. */

const fromElsewhere = (asker: string, account: string): Sql => {
  const [t, a] = [raw(asker), raw(account)]
  return sql`(${a}.allowed_addresses is not null and not coalesce(${t}.address <<= any (${a}.allowed_addresses), false))`
}

/** Ways to show a second factor that a session does not have by itself: it has to be opened by them. */
const couldShow = (asker: string, account: string): Sql => {
  const [t, a] = [raw(asker), raw(account)]
  return sql`(exists (select from passkeys k where k.user_id = ${t}.user_id)
    or exists (select from logins l where l.user_id = ${t}.user_id and l.provider_id = ${PROVIDER_PREFIX}::text || ${a}.id))`
}

/**
 * With a session: an authenticator app, which the password is then never enough without; a passkey by which it was opened; the account's own
 * provider, whose business it is how people show who they are. A token was made by a session that was not kept out, of somebody who has one
 * of them still.
 */
export const hasSecondFactor = (asker: string, account: string): Sql => {
  const [t, a] = [raw(asker), raw(account)]
  return sql`(
    exists (select from two_factors f where f.user_id = ${t}.user_id and f.confirmed_at is not null)
    or exists (select from sessions v where v.id = ${t}.session_id and v.method = 'passkey')
    or exists (select from sso_sessions o where o.session_id = ${t}.session_id and o.account_id = ${a}.id)
    or (${t}.token_id is not null and ${couldShow(asker, account)}))`
}

/** A part of the statement that looks up who asks. `asker` has the columns of an identity, `account` those of the table. */
export const shutBy = (asker: string, account: string): Sql => sql`
  case when ${fromElsewhere(asker, account)} then 'address'
    when ${raw(account)}.requires_second_factor and not ${hasSecondFactor(asker, account)} then 'second_factor' end`

/** Who was let in, by one of the two. */
interface Asker {
  user_id: number
  session_id: number | null
  token_id: number | null
}

const withoutFactor = ({ user_id, session_id, token_id }: Asker, more: Sql): Sql => sql`
  select from (select ${user_id}::integer as user_id, ${session_id}::integer as session_id, ${token_id}::integer as token_id) t
  join account_members m on m.user_id = t.user_id join accounts a on a.id = m.account_id
  where a.requires_second_factor and not ${hasSecondFactor('t', 'a')} and ${more} limit 1`

/** What somebody makes with a session reaches no account that keeps the session out: a password alone would become a token that does. */
export async function refuseWithoutFactor(db: Database, by: Asker, accountId: number | null): Promise<void> {
  const reached = sql`a.id = coalesce(${accountId}::integer, a.id)`
  if (await db.one(withoutFactor(by, reached))) throw shutOut('second_factor')
}

/** Nor does whoever has the password alone add a second factor of their own to those that somebody has, or take one away. */
export async function refuseUnlessShown(db: Database, by: Asker): Promise<void> {
  if (await db.one(withoutFactor(by, couldShow('t', 'a')))) throw factorNotShown()
}

/** The same of somebody who names no account: shut where all that they could reach are, by their address. */
export const shutEverywhere = (asker: string): Sql => sql`(
  select 'address' from account_members sm join accounts sa on sa.id = sm.account_id
  where sm.user_id = ${raw(asker)}.user_id and sm.account_id = coalesce(${raw(asker)}.only_account_id, sm.account_id)
  having bool_and(${fromElsewhere(asker, 'sa')}))`
