import type { SignInRefusal } from '../../contract/app/sign-in-refusals.ts'
import { EMAIL, NAME_MAX } from '../../contract/limits.ts'
import { ACCOUNT_ROLES, type AccountRole } from '../../contract/sets.ts'
import { type Database, sql } from '../../db/database.ts'
import * as members from '../accounts/account-settings.ts'
import * as users from '../accounts/users.ts'
import { record } from '../audit/audit-log.ts'
import { proveAddress } from './address-proof.ts'
import { type Connection, domainOf, providerId } from './connections.ts'
import { endOtherSessions } from './required.ts'

/** A provider's claims about an authenticated person. */
export interface Claims {
  sub: string
  email: string | undefined
  email_verified: boolean | undefined
  name: string | undefined
  user_name: string | undefined
  groups: string[]
}

/** Refused, possibly with a known user. */
type Admitted = { user_id: number; refused?: never } | { user_id?: number; refused: SignInRefusal }

/**
 * Makes a person authenticated by the provider a member with the role of their groups. A provider is trusted only for addresses in its
 * domains: whoever runs a domain reads its mail and could reset passwords anyway, so this grants no additional access. From then on people
 * are identified by the provider's subject id, not by an address that may be reassigned. If the address was not verified before, linking
 * removes everything that was set up under it.
 */
export function admit(db: Database, connection: Connection, claims: Claims, ip: string): Promise<Admitted> {
  const { account_id } = connection
  return db.transaction(async (db) => {
    // Serializes two browsers of a new person, and a sign-in with an owner who changes roles.
    await members.lock(db, account_id)
    const found = await userOf(db, connection, claims)
    if (found.refused) return found
    const { user_id } = found
    if (await db.one(sql`select from scim_users where account_id = ${account_id} and user_id = ${user_id} and not active`))
      return { user_id, refused: 'sso_inactive' }
    const before = await db.one<{ role: AccountRole }>(sql`
      select role from account_members where account_id = ${account_id} and user_id = ${user_id}`)
    // Groups never remove the last owner: nobody could administer the account.
    const firm = before?.role === 'owner' && !(await hasOtherOwner(db, account_id, user_id))
    const role = firm ? 'owner' : roleOf(connection, claims.groups)
    const follows = before === undefined || connection.role_groups.length > 0 || role === undefined
    if (follows && role !== before?.role)
      await record(db, sql`select ${account_id}::integer`, {
        actor: 'user',
        user_id,
        ip_address: ip,
        action: 'singleSignOn',
        subject: `member/${user_id}`,
        before: before ?? null,
        after: role === undefined ? null : { role },
      })
    if (role === undefined) {
      if (before) await members.remove(db, account_id, user_id, 'owner')
      await endSessions(db, account_id, user_id)
      return { user_id, refused: 'sso_no_role' }
    }
    if (!before)
      await db.execute(sql`insert into account_members (account_id, user_id, role) values (${account_id}, ${user_id}, ${role})`)
    else if (follows && role !== before.role) await members.setRole(db, account_id, user_id, role, 'owner')
    if (!before) await endOtherSessions(db, account_id, user_id)
    await db.execute(sql`
      update users set default_account_id = ${account_id} where id = ${user_id} and default_account_id is null`)
    await db.execute(sql`
      update logins set user_name = ${claims.user_name?.trim().slice(0, NAME_MAX).toWellFormed() ?? null}
      where user_id = ${user_id} and provider_id = ${providerId(account_id)}`)
    await db.execute(sql`update logins set set_by_operator = false where user_id = ${user_id} and set_by_operator`)
    return found
  })
}

async function userOf(db: Database, connection: Connection, claims: Claims): Promise<Admitted> {
  const { account_id, domains } = connection
  const known = await db.one<{ user_id: number; email: string }>(sql`
    select u.id as user_id, u.email from logins l join users u on u.id = l.user_id
    where l.provider_id = ${providerId(account_id)} and l.provider_account_id = ${claims.sub}`)
  if (known)
    return domains.includes(domainOf(known.email))
      ? { user_id: known.user_id }
      : { user_id: known.user_id, refused: 'sso_foreign_email' }

  const email = claims.email?.trim().toLowerCase()
  if (email === undefined || email.length > EMAIL.maxLength || !EMAIL.pattern.test(email)) return { refused: 'sso_no_email' }
  if (!domains.includes(domainOf(email))) return { refused: 'sso_foreign_email' }
  if (!(claims.email_verified ?? connection.trusts_email)) return { refused: 'sso_unverified_email' }
  const held = await db.one<{ id: number; taken: boolean }>(sql`
    select u.id, exists (
      select from logins l join account_members m on m.user_id = l.user_id and m.account_id = ${account_id}
      where l.user_id = u.id and l.provider_id = ${providerId(account_id)}) as taken
    from users u where lower(u.email) = ${email}`)
  // The address was reassigned from one person to another: the first must be removed before the second can sign in.
  if (held?.taken) return { user_id: held.id, refused: 'sso_email_taken' }
  const name = claims.name?.trim().slice(0, NAME_MAX).toWellFormed() || email.split('@')[0]!
  const user_id = held?.id ?? (await users.create(db, { email, name })).id
  if (held) await proveAddress(db, user_id)
  await db.execute(sql`delete from logins where user_id = ${user_id} and provider_id = ${providerId(account_id)}`)
  await db.execute(sql`
    insert into logins (user_id, provider_id, provider_account_id) values (${user_id}, ${providerId(account_id)}, ${claims.sub})`)
  return { user_id }
}

/** The first role that one of the groups grants, or the default role. */
const roleOf = ({ role_groups, default_role }: Pick<Connection, 'role_groups' | 'default_role'>, groups: string[]) =>
  ACCOUNT_ROLES.find((role) => role_groups.some((one) => one.role === role && groups.includes(one.group))) ??
  default_role ??
  undefined

const hasOtherOwner = async (db: Database, accountId: number, userId: number): Promise<boolean> =>
  (await db.one(sql`
    select from account_members where account_id = ${accountId} and role = 'owner' and user_id <> ${userId} limit 1`)) !==
  undefined

/** The sessions that the provider opened. */
export const endSessions = (db: Database, accountId: number, userId: number) =>
  db.execute(sql`
    delete from sessions s using sso_sessions o where s.user_id = ${userId} and o.session_id = s.id and o.account_id = ${accountId}`)
