import { lastOwner } from '../../contract/errors.ts'
import { type Database, join, type Pool, raw, type Sql, sql } from '../../db/database.ts'
import { enqueue, forgetMentioning } from '../../db/queue.ts'
import { recall } from '../objects/recall.ts'
import * as exports from './exports.ts'
import { forgetReasons } from './forget-reasons.ts'
import { REFERENCES, TABLE_OWNERSHIP } from './table-ownership.ts'
import { someOf } from './table-placement.ts'

/** Replaces a name in history. */
export const FORMER = 'Former member'

const BATCH = 1_000

const formerAddress = (userId: number) => `former-member-${userId}@deleted.invalid`

interface Person {
  id: number
  name: string
  email: string
}

interface Forgotten {
  /** Rows that contained their name. */
  changed: number
  /** Accounts that they belong to or have left. */
  accounts: number
}

/** Signs the user out at once and revokes all sessions, tokens and logins; a job deletes their data. */
export async function requestUser(db: Database, userId: number) {
  await closeUser(db, userId)
  await enqueue(db, 'delete_user', { user_id: userId }, { owner: `user:${userId}`, name: `delete_user:${userId}` })
}

/**
 * Deletes a user: the login and everything related at once, then every mention of the address, and of a name of several words, in the data
 * of accounts that they belong to or had left. The row stays without either, so that history still shows that one person did these things.
 * Can be restarted.
 */
export async function deleteUser(db: Pool, userId: number, onProgress?: () => void): Promise<Forgotten> {
  await closeUser(db, userId)
  return forgetPerson(db, userId, undefined, onProgress)
}

const WAYS_IN = ['sessions', 'two_factors', 'recovery_codes', 'passkeys', 'scim_users', 'logins', 'oauth_codes', 'api_tokens']

const closeUser = (db: Database, userId: number) =>
  db.transaction(async (db) => {
    // Serializes two owners who delete themselves at the same moment.
    await db.rows(sql`
      select from accounts where id in (select account_id from account_members where user_id = ${userId} and role = 'owner')
      order by id for no key update`)
    const alone = await db.rows<{ name: string }>(sql`
      select a.name from account_members m join accounts a on a.id = m.account_id where m.user_id = ${userId} and m.role = 'owner'
        and not exists (
          select from account_members o where o.account_id = m.account_id and o.role = 'owner' and o.user_id <> m.user_id)`)
    if (alone.length > 0) throw lastOwner(alone.map(({ name }) => name))
    // The accounts whose audit log records it.
    await db.execute(sql`
      update users set default_account_id = coalesce(default_account_id, (select min(account_id) from account_members where user_id = id))
      where id = ${userId}`)
    await rememberFormerMember(db, sql`user_id = ${userId}`)
    for (const table of [...WAYS_IN, 'project_members', 'account_members'])
      await db.execute(sql`delete from ${raw(table)} where user_id = ${userId}`)
  })

/** Before memberships are deleted: texts of the accounts may still contain the person. */
export const rememberFormerMember = (db: Database, which: Sql) =>
  db.execute(sql`
    insert into former_members (account_id, user_id) select account_id, user_id from account_members where ${which} on conflict do nothing`)

/** After accounts were loaded: their records may refer to people who had left before, which no membership tells. */
export async function rememberNamed(db: Database, accountIds: readonly number[]) {
  if (accountIds.length === 0) return
  const columns = await db.rows<{ table: string; column: string }>(sql`
    select c.table_name::text as table, c.column_name::text as column from information_schema.columns c
    join information_schema.columns a on a.table_schema = 'public' and a.table_name = c.table_name and a.column_name = 'account_id'
    where c.table_schema = 'public' and c.column_name = any (${Object.keys(REFERENCES).filter((name) => REFERENCES[name] === 'users')}::text[])`)
  const named = columns
    .filter(({ table }) => TABLE_OWNERSHIP[table] && TABLE_OWNERSHIP[table].level !== 'person' && table !== 'former_members')
    .map(
      ({ table, column }) => sql`
        select t.account_id, t.${raw(column)} as user_id from ${raw(table)} t
        where t.account_id = any (${accountIds}::integer[]) and t.${raw(column)} is not null`,
    )
  await db.execute(sql`
    insert into former_members (account_id, user_id)
    select n.account_id, n.user_id from (${join(named, ' union ')}) n
    where not exists (select from account_members m where m.account_id = n.account_id and m.user_id = n.user_id)
    on conflict do nothing`)
}

/** Accounts whose texts may contain somebody: their own and those they left. Nobody else's records are read. */
const accountsOf = async (db: Database, userId: number): Promise<number[]> =>
  (
    await db.rows<{ account_id: number }>(sql`
      select account_id from account_members where user_id = ${userId}
      union select account_id from former_members where user_id = ${userId} order by 1`)
  ).map(({ account_id }) => account_id)

/** Mentions are removed first, since name and address are known only as long as the row has them. */
export async function forgetPerson(
  db: Pool,
  userId: number,
  /** An account that is being deleted itself. */
  without?: number,
  onProgress: () => void = () => {},
): Promise<Forgotten> {
  const person = await db.one<Person>(sql`select id, name, email from users where id = ${userId}`)
  // Restarted after it finished: the placeholder name is shared by all former members.
  if (!person || person.email === formerAddress(userId)) return { changed: 0, accounts: 0 }
  const accountIds = (await accountsOf(db, userId)).filter((id) => id !== without)
  // Delete rows that belong to them first, then edit texts that only mention them: otherwise an invitation to nobody would be left.
  await forgetPost(db, person)
  let changed = 0
  for (const account_id of accountIds) {
    await exports.removeOf(db, account_id)
    const mention = new RegExp(patternOf(person, 'text'), 'i')
    await recall(db, account_id, (text) => mention.test(text) || mention.test(unescaped(text)), onProgress)
    changed += await forgetMentions(db, person, account_id, onProgress)
    changed += await forgetReasons(db, account_id, person.name, FORMER, onProgress)
  }
  await db.transaction(async (db) => {
    const { email } = person
    await forgetPost(db, person)
    await db.execute(sql`
      delete from verifications where value = ${String(userId)} or position(lower(${email}) in lower(value || identifier)) > 0`)
    await forgetMentioning(db, email)
    for (const table of [
      ...WAYS_IN,
      'connected_accounts',
      'notifications',
      'notification_preferences',
      'channel_people',
      'project_members',
      'account_members',
      'former_members',
    ])
      await db.execute(sql`delete from ${raw(table)} where user_id = ${userId}`)
    await db.execute(sql`
      update users set name = ${FORMER}, email = ${formerAddress(userId)}, email_verified = false, image = null,
        default_account_id = null, operator = false, daily_digest = false, updated_at = now()
      where id = ${userId}`)
  })
  return { changed, accounts: accountIds.length }
}

async function forgetPost(db: Database, { id, email }: Person) {
  await db.execute(sql`delete from invitations where lower(email) = lower(${email})`)
  await db.execute(sql`delete from mails where to_user_id = ${id} or lower(to_address) = lower(${email})`)
}

/** Every text, list of texts and JSON of an account, in batches. */
async function forgetMentions(db: Pool, person: Person, account_id: number, onProgress: () => void): Promise<number> {
  const columns = await db.rows<{ table: string; column: string; type: string }>(sql`
    select table_name::text as table, column_name::text as column, udt_name::text as type from information_schema.columns
    where table_schema = 'public' and is_generated = 'NEVER' and (udt_name in ('text', '_text', 'json', 'jsonb') or column_name = 'body')`)
  let changed = 0
  for (const [table, { of, appendOnly }] of Object.entries(TABLE_OWNERSHIP)) {
    const own = columns.filter((column) => column.table === table)
    if (own.length === 0 || appendOnly || table === 'users') continue
    const mentions = join(
      own.map(({ column, type }) => mentionIn(column, type, patternOf(person, type))),
      ' or ',
    )
    const forgotten = join(own.map(({ column, type }) => sql`${raw(column)} = ${without(column, type, patternOf(person, type))}`))
    for (let count = BATCH; count === BATCH; changed += count) {
      onProgress()
      count = await db.transaction(async (db) => {
        // Emits no events: to readers nothing about the task or build has changed.
        await db.execute(sql`set local goldmaster.quiet = 'on'`)
        const found = await someOf(db, table, account_id, sql`${of({ account_id })} and (${mentions})`, BATCH)
        // Metadata from somebody's editor is keyed by their name; two former members must not become one.
        if (table === 'ugs_user_metadata') return db.execute(sql`delete from ${raw(table)} t where ${found}`)
        return db.execute(sql`update ${raw(table)} t set ${forgotten} where ${found}`)
      })
    }
  }
  return changed
}

/**
 * The address anywhere; a name only if it has several words, since a single one may be any word. Escaped as in the column: a quotation mark
 * in a name is escaped in JSON, and the one that ends a text must stay.
 */
function patternOf({ name, email }: Person, type: string): string {
  const written = (text: string) => (type === 'bytea' ? inBody(text) : quoted(type.startsWith('json') ? inJson(text) : text))
  const words = name.trim().split(/\s+/)
  // The placeholder itself would be found again and again.
  const isNamed = words.length > 1 && words.join(' ').toLowerCase() !== FORMER.toLowerCase()
  return [written(email), ...(isNamed ? [`(?<!\\w)${words.map(written).join('\\s+')}(?!\\w)`] : [])].join('|')
}

const quoted = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
const inJson = (text: string) => JSON.stringify(text).slice(1, -1)

/** Non-ASCII characters are stored in a body as bytes, shown as octal numbers when cast to text, or as JSON escapes: `\u00fc`. */
const inBody = (text: string): string =>
  [...text]
    .map((character) => {
      if (character < '\x80') return quoted(character)
      const cases = [...new Set([character.toLowerCase(), character.toUpperCase()])]
      return `(?:${cases.flatMap((one) => [octal(one), unicode(one)]).join('|')})`
    })
    .join('')
const unescaped = (text: string) =>
  text.replace(/\\u([0-9a-f]{4})/gi, (_, unit) => String.fromCharCode(Number.parseInt(unit, 16)))
const octal = (text: string) => [...Buffer.from(text)].map((byte) => `\\\\${byte.toString(8)}`).join('')
const unicode = (text: string) =>
  text
    .split('')
    .map((unit) => `\\\\\\\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('')

/** Matches exactly what `without` removes, or it would be found forever: a name does not continue from one text of a list to the next. */
const mentionIn = (column: string, type: string, pattern: string): Sql =>
  type === 'bytea'
    ? sql`encode(t.${raw(column)}, 'escape') ~* ${pattern}`
    : type === '_text'
      ? sql`exists (select from unnest(t.${raw(column)}) item where item ~* ${pattern})`
      : sql`t.${raw(column)}::text ~* ${pattern}`

/** A body is removed whole: an edited one would no longer be what the tool sent. */
function without(column: string, type: string, pattern: string): Sql {
  const value = raw(`t.${column}`)
  const replaced = (text: Sql) => sql`regexp_replace(${text}, ${pattern}, ${FORMER}, 'gi')`
  if (type === 'bytea') return sql`case when encode(${value}, 'escape') ~* ${pattern} then null else ${value} end`
  if (type === '_text')
    return sql`case when ${value} is null then null else array(select ${replaced(sql`item`)} from unnest(${value}) item) end`
  return type === 'text' ? replaced(sql`${value}`) : sql`${replaced(sql`${value}::text`)}::${raw(type)}`
}
