import { notFound, rateLimited, signInRefused } from '../../contract/errors.ts'
import type { AccountRole } from '../../contract/sets.ts'
import { type Database, sql } from '../../db/database.ts'
import { requireVerified } from '../accounts/users.ts'
import * as mailTemplates from '../mail/mail-templates.ts'
import { isFlooded, writeToAddress } from '../mail/mails.ts'
import { hashOf, newScannableToken } from '../privacy/secrets.ts'
import { endOtherSessions } from './required.ts'

interface Invitation {
  id: number
  email: string
  role: AccountRole
  /** The projects of a guest. */
  project_ids: number[]
  expires_at: string
  created_at: string
}

const DAYS = 7
const HOUR = 3_600

/** Whether the invitation `i` is valid: it is not if its sender was removed or lost the right to grant the role. */
const WAITS = sql`(i.accepted_at is null and i.expires_at > now() and exists (
  select from account_members m where m.account_id = i.account_id and m.user_id = i.invited_by
    and (m.role = 'owner' or m.role = 'admin' and i.role <> 'owner')))`

export const list = (db: Database, accountId: number): Promise<Invitation[]> =>
  db.rows(sql`
    select i.id, i.email, i.role, i.project_ids, i.expires_at, i.created_at from invitations i
    where i.account_id = ${accountId} and ${WAITS} order by i.created_at desc, i.id desc`)

interface NewInvitation {
  account_id: number
  email: string
  role: AccountRole
  project_ids?: number[]
  invited_by: number
}

/**
 * Inviting an address again sends a new link and revokes the old one. The returned link differs from the one in the mail, because joining
 * with it does not verify the address.
 */
export function create(
  db: Database,
  { account_id, invited_by, role, project_ids = [], ...input }: NewInvitation,
  site: string,
): Promise<Invitation & { url: string }> {
  const [token, mailed] = [newLink(), newLink()]
  const email = input.email.trim().toLowerCase()
  return db.transaction(async (db) => {
    if (await isFlooded(db, email)) throw rateLimited(HOUR)
    const row = (await db.one<Invitation>(sql`
      insert into invitations (account_id, email, role, project_ids, token_hash, mailed_hash, invited_by, expires_at)
      values (${account_id}, ${email}, ${role}, ${await ownProjects(db, account_id, project_ids)}, ${hashOf(token)}, ${hashOf(mailed)}, ${invited_by}, now() + make_interval(days => ${DAYS}))
      on conflict (account_id, lower(email)) where accepted_at is null do update set role = excluded.role, project_ids = excluded.project_ids,
        token_hash = excluded.token_hash, mailed_hash = excluded.mailed_hash, invited_by = excluded.invited_by, expires_at = excluded.expires_at, created_at = now()
      returning id, email, role, project_ids, expires_at, created_at`))!
    const { account, inviter } = (await db.one<{ account: string; inviter: string }>(sql`
      select (select name from accounts where id = ${account_id}) as account, (select name from users where id = ${invited_by}) as inviter`))!
    await writeToAddress(db, email, mailTemplates.invitation(linkTo(site, mailed), account, inviter), account_id)
    return { ...row, url: linkTo(site, token) }
  })
}

const newLink = () => newScannableToken('invite')
const linkTo = (site: string, token: string) => `${site}/invitations/${token}`

/** A project of another account cannot be shared. */
async function ownProjects(db: Database, accountId: number, ids: readonly number[]): Promise<number[]> {
  const { count } = (await db.one<{ count: number }>(
    sql`select count(*) from projects where account_id = ${accountId} and id = any (${ids}::integer[])`,
  ))!
  if (count !== new Set(ids).size) throw notFound('Project')
  return [...new Set(ids)]
}

interface Found {
  id: number
  account_id: number
  account_name: string
  email: string
  role: AccountRole
  project_ids: number[]
  has_user: boolean
  /** Found by the mailed link. */
  mailed: boolean
}

/** `lock`: nobody else accepts it until the caller's transaction ends. */
export async function find(db: Database, token: string, lock = false): Promise<Found> {
  const found = await db.one<Found>(sql`
    select i.id, i.account_id, a.name as account_name, i.email, i.role, i.project_ids,
      exists (select from users u where lower(u.email) = lower(i.email)) as has_user,
      i.mailed_hash is not distinct from ${hashOf(token)} as mailed
    from invitations i join accounts a on a.id = i.account_id
    where ${hashOf(token)} in (i.token_hash, i.mailed_hash) and ${WAITS}
    ${lock ? sql`for update of i` : sql``}`)
  if (!found) throw notFound('Invitation')
  return found
}

/** The person with the link joins, once, whatever their address is. The mailed link verifies the address it was sent to. */
export function accept(db: Database, token: string, userId: number): Promise<{ account_id: number }> {
  return db.transaction(async (db) => {
    const { id, account_id, role, project_ids, email, mailed } = await find(db, token, true)
    await db.execute(sql`
      update users set email_verified = true, address_unproven = address_unproven and not ${mailed}
      where id = ${userId} and lower(email) = lower(${email})`)
    await requireVerified(db, userId)
    // With a link that was sent to another address; the provider's deactivation has priority.
    if (await db.one(sql`select from scim_users where account_id = ${account_id} and user_id = ${userId} and not active`))
      throw signInRefused('sso_inactive')
    await db.execute(sql`update invitations set accepted_at = now() where account_id = ${account_id} and id = ${id}`)
    await db.execute(sql`
      insert into account_members (account_id, user_id, role) values (${account_id}, ${userId}, ${role})
      on conflict (account_id, user_id) do nothing`)
    await db.execute(sql`
      insert into project_members (account_id, project_id, user_id, project_role)
      select p.account_id, p.id, ${userId}, 'contributor' from projects p where p.account_id = ${account_id} and p.id = any (${project_ids}::integer[])
      on conflict (account_id, project_id, user_id) do nothing`)
    await db.execute(sql`update users set default_account_id = ${account_id}, updated_at = now() where id = ${userId}`)
    await endOtherSessions(db, account_id, userId)
    return { account_id }
  })
}

export async function withdraw(db: Database, accountId: number, id: number) {
  const gone = await db.execute(
    sql`delete from invitations where id = ${id} and account_id = ${accountId} and accepted_at is null`,
  )
  if (gone === 0) throw notFound('Invitation')
}
