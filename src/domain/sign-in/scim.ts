import { invalidEmail, notFound } from '../../contract/errors.ts'
import { NAME_MAX } from '../../contract/limits.ts'
import { type Database, type Sql, sql } from '../../db/database.ts'
import * as tokens from '../access/tokens.ts'
import * as members from '../accounts/account-settings.ts'
import * as users from '../accounts/users.ts'
import { record } from '../audit/audit-log.ts'
import { difference } from '../audit/subjects.ts'
import { hashOf, newScannableToken } from '../privacy/secrets.ts'
import { proveAddress } from './address-proof.ts'
import { endSessions } from './admit.ts'
import { domainOf, find as findConnection } from './connections.ts'
import { endOtherSessions } from './required.ts'
import * as sessions from './sessions.ts'

/** The people that a provider manages: members with an address in its domains, and people it created. Only members have names. */
export interface Managed {
  user_id: number
  email: string
  name: string
  external_id: string | null
  active: boolean
  total: number
}

/** A new token replaces the previous one. */
export async function makeToken(db: Database, accountId: number): Promise<string> {
  if (!(await findConnection(db, accountId))) throw notFound('Single sign-on')
  const token = newScannableToken('scim')
  await db.execute(sql`
    insert into scim_tokens (account_id, hash) values (${accountId}, ${hashOf(token)})
    on conflict (account_id) do update set hash = excluded.hash, created_at = now()`)
  return token
}

export const accountOf = async (db: Database, token: string): Promise<number | undefined> =>
  (await db.one<{ account_id: number }>(sql`select account_id from scim_tokens where hash = ${hashOf(token)}`))?.account_id

const select = (accountId: number, where: Sql) => sql`
  select u.id as user_id, u.email, case when m.user_id is null then u.email else u.name end as name, s.external_id, coalesce(s.active, true) as active, count(*) over () as total
  from users u
  left join account_members m on m.user_id = u.id and m.account_id = ${accountId}
  left join scim_users s on s.user_id = u.id and s.account_id = ${accountId}
  where (m.user_id is not null or s.user_id is not null)
    and split_part(lower(u.email), '@', 2) in (select domain from sso_domains where account_id = ${accountId}) ${where}`

interface ListOptions {
  email: string | undefined
  /** How many to skip. */
  skip: number
  count: number
}

export const list = (db: Database, accountId: number, { email, skip, count }: ListOptions): Promise<Managed[]> =>
  db.rows(sql`
    ${select(accountId, email === undefined ? sql`` : sql`and lower(u.email) = ${email.toLowerCase()}`)}
    order by u.id offset ${skip} limit ${count}`)

export async function find(db: Database, accountId: number, userId: number | undefined): Promise<Managed> {
  const found = userId && (await db.one<Managed>(select(accountId, sql`and u.id = ${userId}`)))
  if (!found) throw notFound('User')
  return found
}

interface New {
  email: string
  name: string
  external_id: string | null
  active: boolean
}

/** Undefined if the account has them already. */
export function create(
  db: Database,
  accountId: number,
  { email, name, external_id, active }: New,
  ip: string,
): Promise<Managed | undefined> {
  return db.transaction(async (db) => {
    await members.lock(db, accountId)
    const connection = await findConnection(db, accountId)
    if (!connection?.domains.includes(domainOf(email))) throw invalidEmail('The address is of none of the domains.')
    const [held] = await list(db, accountId, { email, skip: 0, count: 1 })
    if (held) return undefined
    const known = await db.one<{ id: number }>(sql`select id from users where lower(email) = ${email}`)
    const { id } = known ?? (await users.create(db, { email, name: name.slice(0, NAME_MAX).toWellFormed() || email }))
    await db.execute(sql`
      insert into scim_users (account_id, user_id, external_id, active) values (${accountId}, ${id}, ${external_id}, false)`)
    if (active) await setActive(db, accountId, id, true, ip)
    return find(db, accountId, id)
  })
}

/**
 * Deactivating a person ends their membership, sessions and tokens at once. Throws if they are the last owner. For people who also belong to
 * other accounts, a provider ends only the membership in its own account and the sessions that it opened; they become members only when they
 * sign in through it.
 */
export function setActive(db: Database, accountId: number, userId: number, active: boolean, ip: string): Promise<void> {
  return db.transaction(async (db) => {
    await members.lock(db, accountId)
    const before = await standing(db, accountId, userId)
    await db.execute(sql`
      insert into scim_users (account_id, user_id, active) values (${accountId}, ${userId}, ${active})
      on conflict (account_id, user_id) do update set active = excluded.active`)
    const elsewhere = await db.one(sql`
      select from account_members where user_id = ${userId} and account_id <> ${accountId} limit 1`)
    if (active) {
      if (!elsewhere) await proveAddress(db, userId)
      const role = (await findConnection(db, accountId))?.default_role
      // Without a role for everybody, the groups give one with the first sign-in.
      if (before.role === null && role && !elsewhere) {
        await db.execute(sql`insert into account_members (account_id, user_id, role) values (${accountId}, ${userId}, ${role})`)
        await endOtherSessions(db, accountId, userId)
      }
    } else {
      await users.lock(db, userId)
      if (before.role !== null) await members.remove(db, accountId, userId, 'owner')
      await members.withdrawPost(db, accountId, userId)
      if (elsewhere) await endSessions(db, accountId, userId)
      else {
        await sessions.endAll(db, userId)
        await tokens.revokeAll(db, userId)
      }
    }
    const changed = difference(before, await standing(db, accountId, userId))
    // Providers repeat the same request often.
    if (changed.after === null) return
    const entry = { actor: 'provider', ip_address: ip, action: 'scim', subject: `member/${userId}`, ...changed } as const
    await record(db, sql`select ${accountId}::integer`, entry)
  })
}

/** Throws if the provider does not manage them. */
async function standing(db: Database, accountId: number, userId: number) {
  const { active } = await find(db, accountId, userId)
  const member = await db.one<{ role: string }>(sql`
    select role from account_members where account_id = ${accountId} and user_id = ${userId}`)
  return { active, role: member?.role ?? null }
}
