import { randomBytes } from 'node:crypto'
import { notFound } from '../../contract/errors.ts'
import type { Role } from '../../contract/sets.ts'
import { type Database, sql } from '../../db/database.ts'
import { requireVerified } from '../accounts/users.ts'
import * as mailTemplates from '../notifications/mail-templates.ts'
import { writeToAddress } from '../notifications/mails.ts'
import { hashOf } from './secrets.ts'

interface Invitation {
  id: number
  email: string
  role: Role
  expires_at: string
  created_at: string
}

const DAYS = 7

export const list = (db: Database, accountId: number): Promise<Invitation[]> =>
  db.rows(sql`
    select id, email, role, expires_at, created_at from invitations
    where account_id = ${accountId} and accepted_at is null and expires_at > now() order by created_at desc, id desc`)

/** Inviting an address again sends a new link and ends the old one. */
export function create(
  db: Database,
  { account_id, invited_by, role, ...input }: { account_id: number; email: string; role: Role; invited_by: number },
  site: string,
): Promise<Invitation & { url: string }> {
  const token = randomBytes(24).toString('base64url')
  const email = input.email.trim().toLowerCase()
  const url = `${site}/invitations/${token}`
  return db.transaction(async (db) => {
    const row = (await db.one<Invitation>(sql`
      insert into invitations (account_id, email, role, token_hash, invited_by, expires_at)
      values (${account_id}, ${email}, ${role}, ${hashOf(token)}, ${invited_by}, now() + make_interval(days => ${DAYS}))
      on conflict (account_id, lower(email)) where accepted_at is null do update set role = excluded.role,
        token_hash = excluded.token_hash, invited_by = excluded.invited_by, expires_at = excluded.expires_at, created_at = now()
      returning id, email, role, expires_at, created_at`))!
    const { account, inviter } = (await db.one<{ account: string; inviter: string }>(sql`
      select (select name from accounts where id = ${account_id}) as account, (select name from users where id = ${invited_by}) as inviter`))!
    await writeToAddress(db, email, mailTemplates.invitation(url, account, inviter))
    return { ...row, url }
  })
}

interface Found {
  id: number
  account_id: number
  account_name: string
  email: string
  role: Role
  has_user: boolean
}

/** `lock`: nobody else accepts it until the caller's transaction ends. */
export async function find(db: Database, token: string, lock = false): Promise<Found> {
  const found = await db.one<Found>(sql`
    select i.id, i.account_id, a.name as account_name, i.email, i.role,
      exists (select from users u where lower(u.email) = lower(i.email)) as has_user
    from invitations i join accounts a on a.id = i.account_id
    where i.token_hash = ${hashOf(token)} and i.accepted_at is null and i.expires_at > now()
    ${lock ? sql`for update of i` : sql``}`)
  if (!found) throw notFound('Invitation')
  return found
}

/** Whoever holds the link joins, once, under whatever address they have proven. The link proves the one it was made for. */
export function accept(db: Database, token: string, userId: number): Promise<{ account_id: number }> {
  return db.transaction(async (db) => {
    const { id, account_id, role, email } = await find(db, token, true)
    await db.execute(sql`
      update users set email_verified = true where id = ${userId} and lower(email) = lower(${email}) and not email_verified`)
    await requireVerified(db, userId)
    await db.execute(sql`update invitations set accepted_at = now() where id = ${id}`)
    await db.execute(sql`
      insert into account_members (account_id, user_id, role) values (${account_id}, ${userId}, ${role})
      on conflict (user_id, account_id) do nothing`)
    await db.execute(sql`update users set default_account_id = ${account_id}, updated_at = now() where id = ${userId}`)
    return { account_id }
  })
}

export async function withdraw(db: Database, accountId: number, id: number) {
  const gone = await db.execute(
    sql`delete from invitations where id = ${id} and account_id = ${accountId} and accepted_at is null`,
  )
  if (gone === 0) throw notFound('Invitation')
}
