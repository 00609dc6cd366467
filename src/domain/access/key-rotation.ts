import { type Database, empty, join, ofAccount, type Pool, raw, type Sql, sql } from '../../db/database.ts'
import { PLACEMENTS } from '../accounts/table-placement.ts'
import * as auditKeys from '../audit/audit-keys.ts'
import { sealedIn, type Vault } from '../privacy/secrets.ts'
import { isRotated, resealCanary } from './secret-canary.ts'

/**
 * Every column with encrypted values: a text, a list of texts, or settings of which some are `{ sealed }`. `key` is the id that is passed
 * to `sealedIn`; a column's value names the column that a text was sealed for, if it was moved.
 */
export const SEALED: Record<string, { key: string; columns: Record<string, string> }> = {
  integrations: { key: 'id', columns: { token_sealed: 'token_sealed', secrets_sealed: 'secrets_sealed', config: 'config' } },
  result_addresses: { key: 'id', columns: { address_sealed: 'address_sealed' } },
  destinations: { key: 'id', columns: { secret_sealed: 'secret_sealed', former_sealed: 'secret_sealed' } },
  two_factors: { key: 'user_id', columns: { secret_sealed: 'secret_sealed' } },
  sso_connections: { key: 'account_id', columns: { client_secret_sealed: 'client_secret_sealed' } },
  sso_sessions: { key: 'session_id', columns: { id_token_sealed: 'id_token_sealed' } },
  exports: { key: 'id', columns: { passphrase_sealed: 'passphrase_sealed' } },
  audit_keys: { key: 'id', columns: { key_sealed: 'key_sealed' } },
}

const BATCH = 100

interface Rotation {
  /** Rows read, and those of them that were sealed again. */
  looked: number
  resealed: number
  /** Values that no key decrypts, by row and column: they were lost before and must be entered again. */
  lost: string[]
}

/**
 * Seals everything with the current key. Each batch is a short transaction that locks only its rows, so the service keeps running; rows
 * that are already sealed are skipped, so a killed run is simply started again. The canary comes last: as long as it needs the former key,
 * a start with only the new one is refused. New entries of audit logs use a key that the old secret cannot decrypt.
 */
export async function rotateKeys(db: Pool, vault: Vault, onProgress: (progress: Rotation) => void = () => {}): Promise<Rotation> {
  const progress: Rotation = { looked: 0, resealed: 0, lost: [] }
  for (const [table, { key, columns }] of Object.entries(SEALED))
    for (const account of await ownersIn(db, table))
      for (let last: number | undefined = 0; last !== undefined; onProgress(progress))
        last = await ofAccount(db, account).transaction((db) =>
          rotateBatch(db, vault, { table, account, key: raw(key), columns, after: last! }, progress),
        )
  if (!(await isRotated(db, vault))) await auditKeys.add(db, vault)
  await resealCanary(db, vault)
  return progress
}

/** On several servers rows are locked account by account; null: all at once. */
async function ownersIn(db: Pool, table: string): Promise<(number | null)[]> {
  if (!(await db.isDistributed()) || PLACEMENTS[table] !== 'by account') return [null]
  return (await db.rows<{ id: number }>(sql`select id from accounts order by id`)).map(({ id }) => id)
}

interface Portion {
  table: string
  account: number | null
  key: Sql
  columns: Record<string, string>
  after: number
}

/** Returns the last key of the batch, or undefined at the end of the table. */
async function rotateBatch(db: Database, vault: Vault, { table, account, key, columns, after }: Portion, progress: Rotation) {
  const names = join(Object.keys(columns).map((name) => raw(name)))
  const rows = await db.rows<{ key: number } & Record<string, unknown>>(sql`
    select ${key} as key, ${names} from ${raw(table)} where ${key} > ${after} order by ${key} limit ${BATCH} for no key update`)
  const changed = rows.flatMap((row) => {
    const found = { old: false }
    const reseal = (sealed: string, column: string) => {
      if (sealed === '' || vault.isCurrent(sealed)) return sealed
      const place = sealedIn(table, row.key, column)
      try {
        const value = vault.seal(vault.open(sealed, place), place)
        found.old = true
        return value
      } catch {
        progress.lost.push(place)
        return sealed
      }
    }
    const fresh = Object.entries(columns).map(([name, column]) => [name, mapSealed(row[name], column, reseal)])
    return found.old ? [{ [key.sql]: row.key, ...Object.fromEntries(fresh) }] : []
  })
  const assignments = join(Object.keys(columns).map((name) => sql`${raw(name)} = r.${raw(name)}`))
  if (changed.length > 0)
    await db.execute(sql`
      update ${raw(table)} t set ${assignments}
      from json_populate_recordset(null::${raw(table)}, ${JSON.stringify(changed)}::json) r
      where r.${key} = t.${key} ${account === null ? empty : sql`and t.account_id = ${account}`}`)
  progress.looked += rows.length
  progress.resealed += changed.length
  return rows.length < BATCH ? undefined : rows.at(-1)!.key
}

type Reseal = (sealed: string, column: string) => string

export function mapSealed(value: unknown, column: string, reseal: Reseal): unknown {
  if (typeof value === 'string') return reseal(value, column)
  if (Array.isArray(value)) return value.map((one: string) => reseal(one, column))
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(
    Object.entries(value).map(([name, setting]) => [
      name,
      isSealed(setting) ? { sealed: reseal(setting.sealed, `${column}.${name}`) } : setting,
    ]),
  )
}

/** How settings store an encrypted value among plain ones. */
export const isSealed = (value: unknown): value is { sealed: string } =>
  typeof value === 'object' && value !== null && typeof (value as { sealed?: unknown }).sealed === 'string'
