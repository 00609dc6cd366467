import { notFound, uidTaken } from '../../contract/errors.ts'
import { type Database, type Sql, sql } from '../../db/database.ts'

/**
 * Whether `a` of `connected_accounts` counts in the account of the member `m`. Anybody could claim any name and would be credited or blamed
 * for the work of others: an owner's claim counts, a member's only after an owner has confirmed it.
 */
export const COUNTS: Sql = sql`(a.proven or m.role = 'owner' or exists (
  select from connected_account_confirmations k where k.account_id = m.account_id and k.connected_account_id = a.id))`

interface ConnectedAccount {
  id: number
  provider: string
  uid: string
  /** Names of the accounts in which it does not count yet. */
  unconfirmed_in: string[]
  created_at: string
}

const select = (where: Sql) => sql`
  select a.id, a.provider, a.uid, a.created_at, array(
    select n.name from account_members m join accounts n on n.id = m.account_id
    where m.user_id = a.user_id and not ${COUNTS} order by n.name, n.id) as unconfirmed_in
  from connected_accounts a where ${where} order by a.provider, a.id`

export const list = (db: Database, userId: number): Promise<ConnectedAccount[]> => db.rows(select(sql`a.user_id = ${userId}`))

/** Claiming the same name twice has no further effect. */
export function claim(db: Database, userId: number, provider: string, uid: string): Promise<ConnectedAccount> {
  return db.transaction(async (db) => {
    const row = await db.one<{ id: number }>(sql`
      insert into connected_accounts (user_id, provider, uid, proven) values (${userId}, ${provider}, ${uid.trim()}, false)
      on conflict (user_id, provider, uid) do update set uid = excluded.uid returning id`)
    return (await db.one<ConnectedAccount>(select(sql`a.id = ${row!.id}`)))!
  })
}

export async function remove(db: Database, userId: number, id: number) {
  if ((await db.execute(sql`delete from connected_accounts where id = ${id} and user_id = ${userId}`)) === 0)
    throw notFound('Connected account')
}

/** External names claimed by members of an account and not confirmed by an owner yet; oldest first. */
export const unconfirmed = (
  db: Database,
  accountId: number,
): Promise<{ id: number; user_id: number; name: string; provider: string; uid: string; created_at: string }[]> =>
  db.rows(sql`
    select a.id, a.user_id, u.name, a.provider, a.uid, a.created_at
    from account_members m join connected_accounts a on a.user_id = m.user_id join users u on u.id = m.user_id
    where m.account_id = ${accountId} and not ${COUNTS} order by a.created_at, a.id`)

/** By an owner of the account. One external name belongs to one person. */
export function confirm(db: Database, accountId: number, id: number, confirmedBy: number): Promise<void> {
  return db.transaction(async (db) => {
    // Serializes two owners who confirm the same name for two members.
    await db.one(sql`select from accounts where id = ${accountId} for update`)
    const claimed = await db.one<{ taken_by: string | null }>(sql`
      select (
        select u.name from connected_accounts a
        join account_members m on m.user_id = a.user_id and m.account_id = ${accountId} join users u on u.id = a.user_id
        where a.provider = c.provider and lower(a.uid) = lower(c.uid) and a.user_id <> c.user_id and ${COUNTS} limit 1) as taken_by
      from connected_accounts c join account_members cm on cm.user_id = c.user_id and cm.account_id = ${accountId}
      where c.id = ${id}`)
    if (!claimed) throw notFound('Connected account')
    if (claimed.taken_by !== null) throw uidTaken(claimed.taken_by)
    await db.execute(sql`
      insert into connected_account_confirmations (account_id, connected_account_id, confirmed_by)
      values (${accountId}, ${id}, ${confirmedBy}) on conflict do nothing`)
  })
}
