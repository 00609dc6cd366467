import { type Database, raw, type Sql, sql } from '../../db/database.ts'
import type { Placement } from '../../db/distributed/distribute.ts'
import { TABLE_OWNERSHIP } from './table-ownership.ts'

/**
 * Where the rows of each table are on several servers (docs/scale.md). Copied to all: what records of an account refer to or are joined with.
 * Citus writes to these only while all servers are there, so what sign-ins and requests write is not among them.
 */
const COPIED = [
  'accounts',
  'users',
  'account_members',
  'former_members',
  'projects',
  'project_members',
  'connected_accounts',
  'connected_account_confirmations',
  'notification_preferences',
  'api_tokens',
  'oauth_clients',
  'sso_connections',
  'sso_domains',
  'scim_tokens',
  'scim_users',
  'invitations',
  'integrations',
  'ugs_tokens',
]

/** Only on the coordinator: how people sign in, the service's own rows, and those that may have no account. */
const CENTRAL = [
  'logins',
  'sessions',
  'passkeys',
  'two_factors',
  'recovery_codes',
  'verifications',
  'oauth_codes',
  'refresh_tokens',
  'idempotency_keys',
  'sso_sessions',
  'jobs',
  'mails',
  'refused_requests',
  'audit_keys',
  'backups',
  'daily_sizes',
  'nodes',
  'schema_migrations',
  'secret_canary',
]

/** Every table, in the order of the ownership table. What is not listed above is distributed by `account_id`. */
export const PLACEMENTS: Record<string, Placement> = Object.fromEntries(
  Object.keys(TABLE_OWNERSHIP).map((table) => [
    table,
    COPIED.includes(table) ? 'copied' : CENTRAL.includes(table) ? 'central' : 'by account',
  ]),
)

/**
 * The condition for at most `limit` of an account's rows in a table `t`, by their place in it. On several servers the place counts on the
 * account's server only: rows of a table that is not distributed by account are taken all at once.
 */
export async function someOf(db: Database, table: string, accountId: number, which: Sql, limit: number): Promise<Sql> {
  if (!(await db.isDistributed()))
    return sql`t.ctid = any (array(select t.ctid from ${raw(table)} t where ${which} limit ${limit}))`
  if (PLACEMENTS[table] !== 'by account') return which
  return sql`t.account_id = ${accountId} and t.ctid = any (array(
    select t.ctid from ${raw(table)} t where t.account_id = ${accountId} and ${which} limit ${limit}))`
}
