import { emailUnverified, invalidEmail, notFound } from '../../contract/errors.ts'
import { readShortId } from '../../contract/params.ts'
import type { AccountRole } from '../../contract/sets.ts'
import { type Database, isUniqueViolation, type Sql, sql } from '../../db/database.ts'
import { hashPassword } from './passwords.ts'

/** The `provider_id` of logins through the single sign-on of an account. */
export const ssoProviderId = (accountId: number) => `sso:${accountId}`

export interface User {
  id: number
  email: string
  email_verified: boolean
  name: string
  default_account_id: number | null
  account_ids: number[]
  can_sign_in: boolean
  operator: boolean
  created_at: string
}

const select = (where: Sql) => sql`
  select u.id, u.email, u.email_verified, u.name, u.default_account_id, u.operator, u.created_at,
    array(select account_id from account_members m where m.user_id = u.id order by account_id) as account_ids,
    exists (select from logins l where l.user_id = u.id) as can_sign_in
  from users u ${where} order by u.id`

export const list = (db: Database, accountId?: number): Promise<User[]> =>
  db.rows(
    select(
      accountId === undefined
        ? sql``
        : sql`where exists (select from account_members m where m.user_id = u.id and m.account_id = ${accountId})`,
    ),
  )

/** By id or email address. */
export async function find(db: Database, who: string | number): Promise<User> {
  const id = readShortId(String(who))
  const user = await db.one<User>(
    select(id === undefined ? sql`where lower(u.email) = ${String(who).trim().toLowerCase()}` : sql`where u.id = ${id}`),
  )
  if (!user) throw notFound('User')
  return user
}

interface NewUser {
  email: string
  name: string
  password?: string
  account_id?: number
  role?: AccountRole
}

/** Without a password the user cannot sign in until one is set. */
export async function create(db: Database, { email, name, password, account_id, role = 'member' }: NewUser): Promise<User> {
  const address = email.trim().toLowerCase()
  try {
    return await db.transaction(async (db) => {
      const row = await db.one<{ id: number }>(sql`
        insert into users (email, name, default_account_id) values (${address}, ${name}, ${account_id ?? null}::integer) returning id`)
      const { id } = row!
      if (account_id !== undefined)
        await db.execute(sql`insert into account_members (account_id, user_id, role) values (${account_id}, ${id}, ${role})`)
      if (password !== undefined) await setPassword(db, id, password)
      return find(db, id)
    })
  } catch (error) {
    if (isUniqueViolation(error, 'users_email')) throw invalidEmail(`${address} has a user already.`)
    throw error
  }
}

/** Taken by everything that changes a user's rights, so that nothing is granted meanwhile by a right that is about to end. */
export const lock = (db: Database, id: number) => db.one(sql`select from users where id = ${id} for update`)

/** Nothing permanent is granted to an unverified address. Runs in the transaction that grants it. */
export async function requireVerified(db: Database, id: number) {
  const user = await db.one<{ email_verified: boolean }>(sql`select email_verified from users where id = ${id} for share`)
  if (!user?.email_verified) throw emailUnverified()
}

export async function setPassword(db: Database, userId: number, password: string) {
  const kept = await hashPassword(password)
  await db.execute(sql`
    insert into logins (user_id, provider_id, provider_account_id, password) values (${userId}, 'credential', ${String(userId)}, ${kept})
    on conflict (provider_id, provider_account_id) do update set password = excluded.password, updated_at = now()`)
}

/** Called by an operator, who vouches for the address and can let somebody in while their studio's identity provider is down. */
export function replacePassword(db: Database, id: number, password: string) {
  return db.transaction(async (db) => {
    await lock(db, id)
    await setPassword(db, id, password)
    await db.execute(sql`update logins set set_by_operator = true where user_id = ${id} and provider_id = 'credential'`)
    await db.execute(sql`update users set email_verified = true, updated_at = now() where id = ${id}`)
    await db.execute(sql`delete from sessions where user_id = ${id}`)
  })
}

/** Operators see data of the service itself, such as every email it sent. */
export const setOperator = (db: Database, id: number, operator: boolean) =>
  db.execute(sql`update users set operator = ${operator}, updated_at = now() where id = ${id} and operator <> ${operator}`)
