import { signInRefused } from '../../contract/errors.ts'
import type { BlockedReason } from '../../contract/sets.ts'
import { type Database, sql } from '../../db/database.ts'
import { blockedEverywhere } from '../access/blocked.ts'

/**
 * Whether somebody must sign in through their account's provider: members with an address in the provider's domains. Others keep their
 * passwords, because they could not use the provider; so do people whose password was set by an operator, perhaps because the provider is
 * down.
 */
export const isRequired = async (db: Database, userId: number): Promise<boolean> =>
  (await db.one(sql`
    select from users u
    join account_members m on m.user_id = u.id
    join sso_connections c on c.account_id = m.account_id and c.required
    join sso_domains d on d.account_id = c.account_id and d.domain = split_part(lower(u.email), '@', 2)
    where u.id = ${userId}
      and not exists (select from logins l where l.user_id = u.id and l.provider_id = 'credential' and l.set_by_operator)
    limit 1`)) !== undefined

export async function refuseIfRequired(db: Database, userId: number): Promise<void> {
  if (await isRequired(db, userId)) throw signInRefused('sso_required')
}

/** Whether somebody connects from an address that none of their accounts allows. */
export const isElsewhere = async (db: Database, userId: number, address: string | null): Promise<boolean> =>
  (await db.one<{ blocked: BlockedReason | null }>(sql`
    select ${blockedEverywhere('t')} as blocked
    from (select ${userId}::integer as user_id, null::integer as only_account_id, ${address}::inet as address) t`))!.blocked !==
  null

export async function refuseElsewhere(db: Database, userId: number, address: string | null): Promise<void> {
  if (await isElsewhere(db, userId, address)) throw signInRefused('address_not_allowed')
}

/** When the provider becomes required, sessions from other sign-in methods end; for a new member, only theirs. */
export const endOtherSessions = (db: Database, accountId: number, userId: number | null = null) =>
  db.execute(sql`
    delete from sessions s using account_members m, users u, sso_domains d, sso_connections c
    where m.account_id = ${accountId} and (${userId}::integer is null or m.user_id = ${userId}::integer)
      and s.user_id = m.user_id and u.id = m.user_id and c.account_id = m.account_id and c.required
      and d.account_id = m.account_id and d.domain = split_part(lower(u.email), '@', 2)
      and not exists (select from sso_sessions o where o.session_id = s.id and o.account_id = m.account_id)`)
