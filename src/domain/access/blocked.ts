import { accessBlocked, factorNotShown } from '../../contract/errors.ts'
import { type Database, raw, type Sql, sql } from '../../db/database.ts'

/** Why an account is blocked for one of its members: their address is not allowed, or they have no second factor. */

const fromElsewhere = (asker: string, account: string): Sql => {
  const [t, a] = [raw(asker), raw(account)]
  return sql`(${a}.allowed_addresses is not null and not coalesce(${t}.address <<= any (${a}.allowed_addresses), false))`
}

/** Whether a session or token of the caller has a second factor for an account; see the function for what counts as one. */
export const hasSecondFactor = (asker: string, account: Sql): Sql => {
  const t = raw(asker)
  return sql`has_second_factor(${t}.user_id, ${t}.session_id, ${t}.token_id, ${account})`
}

/**
 * A part of the statement that looks up the caller. `asker` has the columns of an identity, `account` those of the table or of a project's
 * access.
 */
export const blockedBy = (asker: string, account: string, id = `${account}.id`): Sql => sql`
  case when ${fromElsewhere(asker, account)} then 'address'
    when ${raw(account)}.requires_second_factor and not ${hasSecondFactor(asker, raw(id))} then 'second_factor' end`

/** The authenticated caller, by one of the two. */
interface Asker {
  user_id: number
  session_id: number | null
  token_id: number | null
}

const withoutFactor = ({ user_id, session_id, token_id }: Asker, more: Sql): Sql => sql`
  select from (select ${user_id}::integer as user_id, ${session_id}::integer as session_id, ${token_id}::integer as token_id) t
  join account_members m on m.user_id = t.user_id join accounts a on a.id = m.account_id
  where a.requires_second_factor and not ${hasSecondFactor('t', sql`a.id`)} and ${more} limit 1`

/**
 * A token made with a session must not reach an account that blocks the session: otherwise a password alone would be enough to get one that
 * does.
 */
export async function refuseWithoutFactor(db: Database, by: Asker, accountId: number | null): Promise<void> {
  const reached = sql`a.id = coalesce(${accountId}::integer, a.id)`
  if (await db.one(withoutFactor(by, reached))) throw accessBlocked('second_factor')
}

/**
 * A session that has not shown the existing factors cannot add or remove any: one opened with a password while an account requires a second
 * factor, or through another account's provider, which does not ask for a code.
 */
export async function refuseUnlessShown(db: Database, by: Asker): Promise<void> {
  const withoutApp = sql`
    select from two_factors f join sessions v on v.id = ${by.session_id} and v.user_id = f.user_id
    where f.user_id = ${by.user_id} and f.confirmed_at is not null and coalesce(v.method, '') not in ('second_factor', 'passkey')`
  if ((await db.one(withoutFactor(by, sql`could_show_second_factor(t.user_id, a.id)`))) ?? (await db.one(withoutApp)))
    throw factorNotShown()
}

/** The same without an account in the request: blocked if all accounts that they could access are blocked because of their address. */
export const blockedEverywhere = (asker: string): Sql => sql`(
  select 'address' from account_members sm join accounts sa on sa.id = sm.account_id
  where sm.user_id = ${raw(asker)}.user_id and sm.account_id = coalesce(${raw(asker)}.only_account_id, sm.account_id)
  having bool_and(${fromElsewhere(asker, 'sa')}))`
