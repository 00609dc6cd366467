import type pg from 'pg'
import { type Sql, sql } from '../database.ts'

/** Whether the rows of different accounts are on different servers: then a statement that locks or writes names one account. */
export const IS_DISTRIBUTED = sql`current_setting('citus.version', true) is not null`

/** The accounts that one statement may name: all on one server, otherwise each alone. */
export const portionsOf = <Row extends { is_distributed: boolean }>(accounts: Row[]): Row[][] => {
  if (accounts.length === 0) return []
  return accounts[0]!.is_distributed ? accounts.map((account) => [account]) : [accounts]
}

/** A single account is compared with `=`, by which the server that stores it is found. */
export const isAmong = (column: Sql, accounts: readonly number[]): Sql =>
  accounts.length === 1 ? sql`${column} = ${accounts[0]}` : sql`${column} = any (${accounts}::integer[])`

/** Whether a table is stored on several servers: on a server with Citus it may still be on one. */
export async function isTableDistributed(client: pg.Client, table: string): Promise<boolean> {
  const { rows } = await client.query(`select from pg_extension where extname = 'citus'`)
  if (rows.length === 0) return false
  return (await client.query('select from pg_dist_partition where logicalrelid = to_regclass($1)', [table])).rows.length > 0
}
