import type { AppBody } from '../../contract/app/routes.ts'
import { invalidSingleSignOn, notFound } from '../../contract/errors.ts'
import type { AccountRole } from '../../contract/sets.ts'
import { type Database, isUniqueViolation, type Sql, sql } from '../../db/database.ts'
import { ssoProviderId } from '../accounts/users.ts'
import { sealedIn, type Vault } from '../privacy/secrets.ts'

/** How the people of an account sign in through its own OpenID provider. */
export interface Connection {
  account_id: number
  issuer: string
  client_id: string
  trusts_email: boolean
  groups_claim: string
  role_groups: { group: string; role: AccountRole }[]
  default_role: AccountRole | null
  domains: string[]
  required: boolean
  created_at: string
  updated_at: string
}

const select = (where: Sql) => sql`
  select c.account_id, c.issuer, c.client_id, c.trusts_email, c.groups_claim, c.role_groups, c.default_role, c.required,
    array(select domain from sso_domains d where d.account_id = c.account_id order by domain) as domains, c.created_at, c.updated_at
  from sso_connections c ${where}`

export const find = (db: Database, accountId: number): Promise<Connection | undefined> =>
  db.one(select(sql`where c.account_id = ${accountId}`))

/** The provider that is allowed for the domain of an address. */
export const findByEmail = (db: Database, email: string): Promise<Connection | undefined> =>
  db.one(select(sql`join sso_domains m on m.account_id = c.account_id where m.domain = ${domainOf(email)}`))

export const domainOf = (email: string): string => email.trim().toLowerCase().split('@').at(-1)!

const secretOf = (accountId: number) => sealedIn('sso_connections', accountId, 'client_secret_sealed')

export async function clientSecret(db: Database, vault: Vault, accountId: number): Promise<string> {
  const row = await db.one<{ sealed: string }>(sql`
    select client_secret_sealed as sealed from sso_connections where account_id = ${accountId}`)
  if (!row) throw notFound('Single sign-on')
  return vault.open(row.sealed, secretOf(accountId))
}

/** The prefix of this provider's id in `logins`. */
export const providerId = ssoProviderId

type Given = AppBody<'setSingleSignOn'>

export async function set(db: Database, vault: Vault, accountId: number, given: Given): Promise<void> {
  try {
    await db.transaction((db) => write(db, vault, accountId, given))
  } catch (error) {
    if (isUniqueViolation(error, 'sso_domains_pkey'))
      throw invalidSingleSignOn('Another account on this service already uses one of these domains.')
    throw error
  }
}

async function write(db: Database, vault: Vault, accountId: number, given: Given) {
  const before = await db.one<{ issuer: string; sealed: string }>(sql`
    select issuer, client_secret_sealed as sealed from sso_connections where account_id = ${accountId} for update`)
  const moved = before !== undefined && before.issuer !== given.issuer
  // The secret of one provider is never sent to another.
  if (given.client_secret === undefined && (before === undefined || moved))
    throw invalidSingleSignOn('client_secret is required.')
  // A subject id means another person at another provider.
  if (moved) await db.execute(sql`delete from logins where provider_id = ${providerId(accountId)}`)
  const sealed = given.client_secret === undefined ? before!.sealed : vault.seal(given.client_secret, secretOf(accountId))
  await db.execute(sql`
    insert into sso_connections
      (account_id, issuer, client_id, client_secret_sealed, trusts_email, groups_claim, role_groups, default_role, required)
    values (${accountId}, ${given.issuer}, ${given.client_id}, ${sealed}, ${given.trusts_email}, ${given.groups_claim},
      ${JSON.stringify(given.role_groups)}::jsonb, ${given.default_role}, ${given.required})
    on conflict (account_id) do update set issuer = excluded.issuer, client_id = excluded.client_id,
      client_secret_sealed = excluded.client_secret_sealed, trusts_email = excluded.trusts_email,
      groups_claim = excluded.groups_claim, role_groups = excluded.role_groups, default_role = excluded.default_role,
      required = excluded.required, updated_at = now()`)
  await db.execute(sql`delete from sso_domains where account_id = ${accountId} and domain <> all (${given.domains})`)
  await db.execute(sql`
    insert into sso_domains (domain, account_id) select distinct domain, ${accountId}::integer from unnest(${given.domains}::text[]) domain
    where domain not in (select domain from sso_domains where account_id = ${accountId})`)
}

/** People keep their accounts; logins by the provider's subject ids are deleted. */
export function remove(db: Database, accountId: number): Promise<void> {
  return db.transaction(async (db) => {
    if ((await db.execute(sql`delete from sso_connections where account_id = ${accountId}`)) === 0)
      throw notFound('Single sign-on')
    await db.execute(sql`delete from logins where provider_id = ${providerId(accountId)}`)
  })
}

/** Members whose address is in none of the domains. */
export const outside = async (db: Database, accountId: number): Promise<number> =>
  (await db.one<{ count: number }>(sql`
    select count(*) as count from account_members m join users u on u.id = m.user_id
    where m.account_id = ${accountId} and not exists (
      select from sso_domains d where d.account_id = m.account_id and d.domain = split_part(lower(u.email), '@', 2))`))!.count
