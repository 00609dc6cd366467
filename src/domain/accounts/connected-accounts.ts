import { notFound, uidTaken } from '../../contract/errors.ts'
import { ALL_NAMES_MAX } from '../../contract/limits.ts'
import { CHANGE_SOURCES, type NameSource, type NameState, type ProviderName } from '../../contract/sets.ts'
import { type Database, type Sql, sql } from '../../db/database.ts'
import { enqueue } from '../../db/queue.ts'

/** The decision about `a` of `connected_accounts` in the account of the member `m`: null if there is none. */
const DECISION: Sql = sql`(
  select k.confirmed from connected_account_confirmations k where k.account_id = m.account_id and k.connected_account_id = a.id)`

/**
 * Whether `a` of `connected_accounts` counts in the account of the member `m`. Anybody could claim any name and would be credited or blamed
 * for the work of others: an owner's claim counts, a member's only after an owner has confirmed it.
 */
export const COUNTS: Sql = sql`coalesce(${DECISION}, a.found_in is null and (a.proven or m.role = 'owner'))`

/** Whether the account of the member `m` may know `a` at all. */
export const KNOWN_THERE: Sql = sql`(a.found_in is null or a.found_in = m.account_id)`

interface ConnectedAccount {
  id: number
  provider: string
  uid: string
  found_by: NameSource
  /** Names of the accounts in which it does not count yet. */
  unconfirmed_in: string[]
  created_at: string
}

const select = (where: Sql) => sql`
  select a.id, a.provider, a.uid, a.found_by, a.created_at, array(
    select n.name from account_members m join accounts n on n.id = m.account_id
    where m.user_id = a.user_id and ${KNOWN_THERE} and not ${COUNTS} order by n.name, n.id) as unconfirmed_in
  from connected_accounts a where ${where} order by a.provider, a.id`

export const list = (db: Database, userId: number): Promise<ConnectedAccount[]> => db.rows(select(sql`a.user_id = ${userId}`))

/** Claiming the same name twice has no further effect. */
export function claim(db: Database, userId: number, provider: string, uid: string): Promise<ConnectedAccount> {
  return db.transaction(async (db) => {
    const row = await db.one<{ id: number }>(sql`
      insert into connected_accounts (user_id, provider, uid, proven) values (${userId}, ${provider}, ${uid.trim()}, false)
      on conflict (user_id, provider, uid) where found_in is null do update set uid = excluded.uid returning id`)
    return (await db.one<ConnectedAccount>(select(sql`a.id = ${row!.id}`)))!
  })
}

/** A name that a tool listed is kept as rejected, so that the next list does not bring it back. */
export async function remove(db: Database, userId: number, id: number) {
  await db.transaction(async (db) => {
    const row = await db.one<Pick<Named, 'provider' | 'uid'> & { found_in: number | null }>(
      sql`select found_in, provider, uid from connected_accounts where id = ${id} and user_id = ${userId}`,
    )
    if (!row) throw notFound('Connected account')
    if (row.found_in !== null) return reject(db, row.found_in, [id], userId)
    const counted = await db.rows<{ account_id: number }>(sql`
      select m.account_id from connected_accounts a join account_members m on m.user_id = a.user_id where a.id = ${id} and ${COUNTS}`)
    await db.execute(sql`delete from connected_accounts where id = ${id}`)
    for (const { account_id } of counted) await takeBack(db, account_id, { ...row, user_id: userId })
  })
}

interface MemberName {
  id: number
  user_id: number
  provider: string
  uid: string
  found_by: NameSource
  state: NameState
  decided_by_user_id: number | null
  created_at: string
}

/** The names of an account's members in other tools, undecided ones first. */
export const ofMembers = (db: Database, accountId: number): Promise<MemberName[]> =>
  db.rows(sql`
    select a.id, a.user_id, a.provider, a.uid, a.found_by, a.created_at,
      case when ${COUNTS} then 'confirmed' when ${DECISION} is null then 'waiting' else 'rejected' end as state,
      k.confirmed_by as decided_by_user_id
    from account_members m join connected_accounts a on a.user_id = m.user_id and ${KNOWN_THERE} join users u on u.id = m.user_id
    left join connected_account_confirmations k on k.account_id = m.account_id and k.connected_account_id = a.id
    where m.account_id = ${accountId}
    order by ${COUNTS} or ${DECISION} is not null, u.name, a.provider, a.id limit ${ALL_NAMES_MAX}`)

const NAMES_LOCK = 0x6e616d65

/** Serializes two owners who decide about the same name. Not by the row of the account: matching thousands of people takes a while. */
export async function lockNames(db: Database, accountId: number) {
  await db.execute(sql`select pg_advisory_xact_lock(${NAMES_LOCK}, ${accountId})`)
  if (!(await db.one(sql`select from accounts where id = ${accountId}`))) throw notFound('Account')
}

/** By an owner of the account, or an operator. One external name belongs to one person: nothing is confirmed if one of the names is taken. */
export function confirm(db: Database, accountId: number, ids: readonly number[], confirmedBy: number | null): Promise<void> {
  return db.transaction(async (db) => {
    await lockNames(db, accountId)
    for (const id of ids) {
      const claimed = await db.one<{ user_id: number; uid: string; taken_by: string | null }>(sql`
        select c.user_id, c.uid, (
          select u.name from connected_accounts a
          join account_members m on m.user_id = a.user_id and m.account_id = ${accountId} join users u on u.id = a.user_id
          where a.provider = c.provider and lower(a.uid) = lower(c.uid) and a.user_id <> c.user_id and ${COUNTS} limit 1) as taken_by
        from connected_accounts c join account_members cm on cm.user_id = c.user_id and cm.account_id = ${accountId}
        where c.id = ${id} and (c.found_in is null or c.found_in = ${accountId})`)
      if (!claimed) throw notFound('Connected account')
      if (claimed.taken_by !== null) throw uidTaken(claimed.uid, claimed.taken_by)
      await decide(db, accountId, id, true, confirmedBy)
      await scheduleAuthors(db, accountId, claimed.user_id)
    }
  })
}

/** The names are not these members': they stop to count in the account, also for changes that were attributed to them. */
export function reject(db: Database, accountId: number, ids: readonly number[], rejectedBy: number | null): Promise<void> {
  return db.transaction(async (db) => {
    await lockNames(db, accountId)
    for (const id of ids) {
      const named = await db.one<Named & { counts: boolean }>(sql`
        select a.user_id, a.provider, a.uid, ${COUNTS} as counts
        from connected_accounts a join account_members m on m.user_id = a.user_id and m.account_id = ${accountId}
        where a.id = ${id} and ${KNOWN_THERE}`)
      if (!named) throw notFound('Connected account')
      await decide(db, accountId, id, false, rejectedBy)
      if (named.counts) await takeBack(db, accountId, named)
    }
  })
}

interface Named {
  user_id: number
  provider: string
  uid: string
}

/**
 * The attribution was stored when a change arrived; without it the author is looked up again when it is shown. A git commit shows another
 * name than the one it was recognized by: if the person has no other name in the tool, all of its changes go.
 */
async function takeBack(db: Database, accountId: number, { user_id, provider, uid }: Named) {
  await db.execute(sql`
    update changes set author_user_id = null
    where account_id = ${accountId} and author_user_id = ${user_id} and (lower(author) = lower(${uid})
      or source_type = ${CHANGE_SOURCES[provider as ProviderName] ?? null} and not exists (
        select from connected_accounts a join account_members m on m.user_id = a.user_id and m.account_id = ${accountId}
        where a.user_id = ${user_id} and a.provider = ${provider} and ${KNOWN_THERE} and ${COUNTS}))`)
  await scheduleAuthors(db, accountId, user_id)
}

/** What was said about this member's changes, or about changes that turn out to be theirs, is corrected. */
export const scheduleAuthors = (db: Database, account_id: number, user_id: number) =>
  enqueue(db, 'correct_authors', { account_id, user_id }, { account_id, name: `correct authors of ${user_id}` })

const decide = (db: Database, accountId: number, id: number, confirmed: boolean, by: number | null) =>
  db.execute(sql`
    insert into connected_account_confirmations (account_id, connected_account_id, confirmed, confirmed_by)
    values (${accountId}, ${id}, ${confirmed}, ${by})
    on conflict (account_id, connected_account_id) do update set confirmed = excluded.confirmed, confirmed_by = excluded.confirmed_by`)
