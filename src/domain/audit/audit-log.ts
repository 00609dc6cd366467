import type { AuditActor } from '../../contract/sets.ts'
import { type Database, join, ofAccount, Sql, sql } from '../../db/database.ts'
import { bounded, endOf, inlineInteger, when } from '../../db/page.ts'
import type { Vault } from '../privacy/secrets.ts'
import { seal } from './audit-chain.ts'

/** Something that somebody changed. Ids only: without names and addresses of people nothing has to be deleted from the log with them. */
export interface NewEntry {
  actor: AuditActor
  user_id?: number | null
  token_id?: number | null
  project_id?: number | null
  ip_address?: string | null
  /** The name of the route or command. */
  action: string
  /** Or the SQL expression for it. */
  subject?: string | Sql
  before?: object | null
  /** Or the query that finds it. */
  after?: object | Sql | null
}

interface Requester {
  /** The request's own account; null if it names none. */
  account_id: number | null
  user_id: number
  token_id: number | null
}

/** The account of a request; without one, the account that its token is limited to, or the user's default account. */
export const accountOf = ({ account_id, user_id, token_id }: Requester): Sql => sql`
  select coalesce(${account_id}::integer, (select t.account_id from api_tokens t where t.id = ${token_id}),
    (select u.default_account_id from users u where u.id = ${user_id}), (select min(m.account_id) from account_members m where m.user_id = ${user_id}))`

/** The account that a token is limited to, even if its user has left it; for an unlimited token, every account that it has access to. */
export const accountsOfToken = (tokenId: number): Sql => sql`
  select t.account_id from api_tokens t where t.id = ${tokenId} and t.account_id is not null
  union all select m.account_id from api_tokens t join account_members m on m.user_id = t.user_id
    where t.id = ${tokenId} and t.account_id is null and m.account_id <> all (t.barred_account_ids)`

/** Every account that somebody belongs to. */
export const accountsOf = (userId: number): Sql => sql`select m.account_id from account_members m where m.user_id = ${userId}`

/** Writes an entry in each of the accounts. In the transaction of the change: both happen or neither. */
export async function record(db: Database, accounts: Sql, entry: NewEntry, unless?: (account: Sql) => Sql) {
  if (!(await db.isDistributed())) return void (await db.execute(newEntries(accounts, entry, unless)))
  const found = await db.rows<{ id: number }>(sql`select a.id from accounts a where a.id in (${accounts}) order by a.id`)
  for (const { id } of found) {
    const of = ofAccount(db, id)
    const account = sql`${id}::integer`
    if (unless && (await of.one(sql`select from accounts where id = ${account} and ${unless(account)}`))) continue
    const after = entry.after instanceof Sql ? ((await of.one<{ row: object }>(entry.after))?.row ?? null) : entry.after
    await of.execute(sql`
      insert into audit_log (${ENTERED}) values (${account}, ${join(enteredOf({ ...entry, after: after ?? null }))})`)
  }
}

/** The same as a part of the statement that makes the change. */
export const newEntries = (accounts: Sql, entry: NewEntry, unless?: (account: Sql) => Sql): Sql => sql`
    insert into audit_log (${ENTERED})
    select a.id, ${join(enteredOf(entry))} from accounts a where a.id in (${accounts}) ${when(unless, (skipped) => sql`and not ${skipped(sql`a.id`)}`)} order by a.id`

const ENTERED = sql`account_id, actor, project_id, user_id, token_id, ip_address, action, subject, before, after`
const enteredOf = (entry: NewEntry): Sql[] => [
  sql`${entry.actor}`,
  sql`${entry.project_id ?? null}::integer`,
  sql`${entry.user_id ?? null}::integer`,
  sql`${entry.token_id ?? null}::integer`,
  sql`${entry.ip_address ?? null}`,
  sql`${entry.action}`,
  sql`${entry.subject ?? ''}`,
  jsonOf(entry.before),
  jsonOf(entry.after),
]

const jsonOf = (value: object | Sql | null | undefined) =>
  value instanceof Sql ? sql`(${value})` : sql`${value == null ? null : JSON.stringify(value)}::jsonb`

export interface Entry extends Required<NewEntry> {
  subject: string
  after: object | null
  id: number
  at: string
  account_id: number
  position: number | null
  hash: string | null
}

/** An entry as it is shown. Entries without a stored actor derive it from their ids. */
export const COLUMNS = sql`
  id, account_id, at, coalesce(actor, case when token_id is not null then 'token' when user_id is not null then 'user' else 'operator' end) as actor,
  user_id, token_id, ip_address, action, project_id, subject, before, after, position, encode(hash, 'hex') as hash`

interface EntryFilter {
  action?: string | undefined
  user_id?: number | undefined
  project_id?: number | undefined
  since?: string | undefined
  until?: string | undefined
  /** Older than this entry. */
  before?: number | undefined
  limit: number
}

/**
 * Newest first, with the entries sealed. An action, a person or the time selects the index, and the other filters apply afterwards: a page
 * may end early and returns where to continue.
 */
export async function list(
  db: Database,
  vault: Vault,
  accountId: number,
  { action, user_id, project_id, since, until, before, limit }: EntryFilter,
) {
  await seal(db, vault, accountId)
  const byUser = when(user_id, (id) => sql`and user_id = ${id}`)
  const walk = bounded({
    columns: sql`*`,
    from: sql`audit_log where account_id = ${accountId} ${action === undefined ? byUser : sql`and action = ${action}`}
      ${when(since, (at) => sql`and at >= ${at}::timestamptz`)} ${when(until, (at) => sql`and at < ${at}::timestamptz`)}
      ${when(before, (id) => sql`and (at, id) < ((select at from audit_log where account_id = ${accountId} and id = ${id}), ${id}::bigint)`)}`,
    at: sql`at`,
    id: sql`id`,
  })
  const entries = await db.rows<Entry>(sql`
    select ${COLUMNS} from (${walk.rows}) walked where true ${byUser} ${when(project_id, (id) => sql`and project_id = ${id}`)}
    order by walked.at desc, id desc limit ${inlineInteger(limit + 1)}`)
  const shown = entries.slice(0, limit)
  const next = entries.length > limit ? shown.at(-1)!.id : (await endOf(db, walk.examined))?.id
  return { entries: shown, has_more: next !== undefined, next_before: next === undefined ? null : Number(next) }
}
