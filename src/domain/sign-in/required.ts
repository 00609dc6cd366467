import { signInRefused } from '../../contract/errors.ts'
import type { BlockedReason } from '../../contract/sets.ts'
import { type Database, sql } from '../../db/database.ts'
import { blockedEverywhere } from '../access/blocked.ts'

/**
 * Whether somebody's studio wants them to come through its provider: a member with an address that the provider speaks for. Others keep
 * their passwords, for they could not come through it; neither could whoever an operator gave a password, perhaps because it is away.
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

/** Whether somebody asks from an address that none of their accounts allows. */
export const isElsewhere = async (db: Database, userId: number, address: string | null): Promise<boolean> =>
  (await db.one<{ blocked: BlockedReason | null }>(sql`
    select ${blockedEverywhere('t')} as blocked
    from (select ${userId}::integer as user_id, null::integer as only_account_id, ${address}::inet as address) t`))!.blocked !==
  null

export async function refuseElsewhere(db: Database, userId: number, address: string | null): Promise<void> {
  if (await isElsewhere(db, userId, address)) throw signInRefused('address_not_allowed')
}

/** Once the provider is required, whoever came another way comes through it; of one who has just become a member, theirs alone. */
export const endOtherSessions = (db: Database, accountId: number, userId: number | null = null) =>
  db.execute(sql`
    delete from sessions s using account_members m, users u, sso_domains d, sso_connections c
    where m.account_id = ${accountId} and (${userId}::integer is null or m.user_id = ${userId}::integer)
      and s.user_id = m.user_id and u.id = m.user_id and c.account_id = m.account_id and c.required
      and d.account_id = m.account_id and d.domain = split_part(lower(u.email), '@', 2)
      and not exists (select from sso_sessions o where o.session_id = s.id and o.account_id = m.account_id)`)
