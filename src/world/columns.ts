import { type Database, sql } from '../db/database.ts'
import { TABLE_OWNERSHIP, type TableOwnership, UNEXPORTED } from '../domain/accounts/table-ownership.ts'

/**
 * The recipient of the file. Only the operator's command exports credentials: password hashes, tokens and the single sign-on connection of
 * people who may own other accounts. Admins get the rest of their account. A project lead gets what leads see in the app, with no address
 * except their own.
 */
export type Audience = 'operator' | 'admin' | { lead: number }

/** The tables of an export, in order. */
export const exportedTables = (withSecrets: boolean, audience: Audience) =>
  Object.entries(TABLE_OWNERSHIP).filter(
    ([table, { left, secret, level }]) =>
      left === undefined &&
      (!secret || (withSecrets && (secret === 'setting' || audience === 'operator'))) &&
      (typeof audience === 'string' || Object.hasOwn(OF_LEADS, table) || isOfEverybody(table, level)),
  )

/** The columns of the account and its people that project leads see. */
const OF_LEADS: Record<string, readonly string[] | 'all'> = {
  accounts: ['id', 'name', 'timezone', 'created_at', 'updated_at'],
  users: ['id', 'name', 'email', 'created_at', 'updated_at'],
  account_members: 'all',
}

/** Inboxes belong to people, and rules need the account's channels. */
const isOfEverybody = (table: string, level: TableOwnership['level']) =>
  level === 'project' && table !== 'notifications' && table !== 'channel_rules'

/** The columns of every table that an export contains and a load writes, without generated ones. */
export async function exportedColumns(db: Database, audience: Audience): Promise<Map<string, string[]>> {
  const rows = await db.rows<{ table: string; columns: string[] }>(sql`
    select table_name as table, array_agg(column_name::text order by ordinal_position) as columns from information_schema.columns
    where table_schema = 'public' and is_generated = 'NEVER' group by 1`)
  const isExported = (table: string, name: string) => {
    const narrow = typeof audience === 'string' ? 'all' : (OF_LEADS[table] ?? 'all')
    return (narrow === 'all' || narrow.includes(name)) && !UNEXPORTED[table]?.includes(name)
  }
  return new Map(rows.map(({ table, columns }) => [table, columns.filter((name) => isExported(table, name))]))
}

/** Tables with a uuid key, and their additional number column. */
const UUIDS: Record<string, string | undefined> = {
  assets: undefined,
  approvals: undefined,
  deployments: 'number',
  files: undefined,
  file_contents: undefined,
  artifacts: undefined,
  artifact_pieces: undefined,
}

export const hasUuid = (table: string) => Object.hasOwn(UUIDS, table)
/** The column of the table's sequence. */
export const numberOf = (table: string) => (hasUuid(table) ? UUIDS[table] : 'id')

/** Secrets that are stored in plain or as a hash; sealed ones are listed with the key rotation. */
export const PLAIN_SECRETS: Record<string, readonly string[]> = {
  api_tokens: ['hash'],
  integrations: ['token_hash'],
  logins: ['password', 'access_token', 'refresh_token', 'id_token'],
  projects: ['badge_key'],
  share_links: ['hash'],
  ugs_tokens: ['hash'],
}
