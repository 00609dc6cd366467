import { isObjectLost } from '../contract/errors.ts'
import { type Database, join, type Pool, raw, type Sql, sql } from '../db/database.ts'
import { migrations } from '../db/migration-files.ts'
import { isSealed, mapSealed, SEALED } from '../domain/access/key-rotation.ts'
import { REFERENCES, type Scope, TABLE_OWNERSHIP } from '../domain/accounts/table-ownership.ts'
import { logOf } from '../domain/builds/stored-log.ts'
import * as files from '../domain/files/files.ts'
import * as objects from '../domain/objects/objects.ts'
import { scrubAll } from '../domain/privacy/scrub.ts'
import { sealedIn, type Vault } from '../domain/privacy/secrets.ts'
import { type Audience, exportedColumns, exportedTables, numberOf, PLAIN_SECRETS } from './columns.ts'
import { type Derivation, newDerivation, passphraseVault } from './passphrase.ts'

/** The beginning of an export. */
export interface Header {
  format: 1
  /** The newest migration of the service that wrote it. */
  schema: number
  /** The range of row numbers of each table; null if it has none. */
  tables: Record<string, { columns: string[]; range: [first: number, last: number] | null }>
  secrets: Derivation | null
}

export type Row = Record<string, unknown>

interface ExportSettings {
  vault: Vault
  passphrase?: string | undefined
  audience: Audience
  onProgress?: (written: Record<string, number>) => void
}

/** Rows fetched at once: the bodies of deliveries and the logs of builds may be large. */
const AT_ONCE: Record<string, number> = {
  deliveries: 4,
  file_contents: 1,
  build_log_chunks: 20,
  build_runs: 20,
  passed_lines: 20,
}

/**
 * An account, or one of its projects, as a world file that `loadWorld` reads: a snapshot in the order of its keys, so that two exports of
 * the same data are equal. Contains secrets only with a passphrase. Keeps only a few rows in memory at a time.
 */
export function exportWorld(
  db: Pool,
  scope: Scope,
  settings: ExportSettings,
  sink: (text: string) => Promise<void>,
): Promise<void> {
  return db.transaction(
    async (db) => {
      await db.execute(sql`set transaction isolation level repeatable read`)
      await db.execute(sql`set local idle_in_transaction_session_timeout = 0`)
      const derivation = settings.passphrase === undefined ? null : newDerivation()
      const fileVault = derivation && (await passphraseVault(settings.passphrase!, derivation))
      const { audience } = settings
      const whole = typeof audience === 'string'
      const columns = await exportedColumns(db, audience)
      const tables = exportedTables(fileVault !== null, audience).map(([table]) => ({ table, columns: columns.get(table)! }))
      const onProject = sql`select user_id from project_members where account_id = ${scope.account_id} and project_id = ${scope.project_id}`
      const held = (table: string) =>
        whole || table !== 'account_members'
          ? TABLE_OWNERSHIP[table]!.of(scope)
          : sql`${TABLE_OWNERSHIP[table]!.of(scope)} and t.user_id in (${onProject})`
      const people = peopleOf(
        tables.filter(({ table }) => TABLE_OWNERSHIP[table]!.level !== 'person'),
        held,
      )
      const conditionOf = (table: string) => (table === 'users' ? people : held(table))
      const shown = whole
        ? (_: string, row: Row) => row
        : leadView(audience.lead, new Set((await db.rows<{ user_id: number }>(onProject)).map(({ user_id }) => user_id)))
      const header: Header = { format: 1, schema: migrations().at(-1)!.number, tables: {}, secrets: derivation }
      for (const { table, columns } of tables) {
        const counted = numberOf(table)
        const number = counted !== undefined && columns.includes(counted) ? raw(counted) : undefined
        const found =
          number &&
          (await db.one<{ first: number; last: number }>(sql`
            select min(t.${number}) as first, max(t.${number}) as last from ${raw(table)} t where ${conditionOf(table)} having count(*) > 0`))
        header.tables[table] = { columns, range: found ? [found.first, found.last] : null }
      }
      await sink(`{"export": [\n${JSON.stringify(header)}\n], "rows": [`)
      const written: Record<string, number> = {}
      let comma = ''
      for (const { table, columns } of tables) {
        const convert = converter(table, scope, settings.vault, fileVault)
        for await (const rows of read(db, table, columns, conditionOf(table))) {
          for (const row of rows) await MOVED[table]?.bringBack(db, scope.account_id, row)
          const lines = rows.map((row) => `\n${JSON.stringify({ [table]: shown(table, convert(row)) })}`)
          await sink(comma + lines.join(','))
          comma = ','
          written[table] = (written[table] ?? 0) + rows.length
          settings.onProgress?.(written)
        }
      }
      await sink('\n]}\n')
    },
    { statementTimeout: 0 },
  )
}

/** Values in object storage are in the file like all others. A lost one does not prevent exporting the rest. */
const MOVED: Record<string, { object?: string; bringBack(db: Database, accountId: number, row: Row): Promise<void> }> = {
  deliveries: {
    object: 'body_object',
    async bringBack(db, accountId, row) {
      const { body_object } = row
      delete row.body_object
      if (typeof body_object !== 'string') return
      const body = await orNull(objects.read(db, accountId, body_object))
      row.body = body && `\\x${body.toString('hex')}`
    },
  },
  file_contents: {
    async bringBack(db, accountId, row) {
      if (row.content !== null) return
      const sha256 = Buffer.from(String(row.sha256).slice(2), 'hex')
      const content = await orNull(files.readWhole(db, accountId, sha256, row.bytes as number))
      row.content = content && `\\x${content.toString('hex')}`
    },
  },
  build_runs: {
    object: 'log_object',
    async bringBack(db, account_id, row) {
      const { output_log, log_object } = row as { output_log: string | null; log_object: string | null }
      delete row.log_object
      if (log_object !== null)
        row.output_log = (await orNull(logOf(db, { account_id, log: output_log, log_object }))) ?? output_log
    },
  },
}

const orNull = <T>(value: Promise<T>): Promise<T | null> =>
  value.catch((error: unknown) => {
    if (isObjectLost(error)) return null
    throw error
  })

/** Members, and former members that a record refers to. */
function peopleOf(tables: { table: string; columns: string[] }[], held: (table: string) => Sql) {
  const named = tables.flatMap(({ table, columns }) =>
    columns
      .filter((name) => REFERENCES[name] === 'users')
      .map((name) => sql`select t.${raw(name)} from ${raw(table)} t where ${held(table)} and t.${raw(name)} is not null`),
  )
  return sql`t.id in (${join(named, ' union ')})`
}

async function* read(db: Database, table: string, columns: string[], condition: ReturnType<typeof sql>): AsyncGenerator<Row[]> {
  const selected = join([...columns, ...(MOVED[table]?.object ? [MOVED[table].object] : [])].map((name) => raw(`t.${name}`)))
  const order = raw(TABLE_OWNERSHIP[table]!.key.replace(/\w+/g, 't.$&'))
  await db.execute(sql`
    declare exported no scroll cursor for
    select row_to_json(r)::text as row from (select ${selected} from ${raw(table)} t where ${condition} order by ${order}) r`)
  for (;;) {
    const rows = await db.rows<{ row: string }>(sql`fetch ${raw(String(AT_ONCE[table] ?? 500))} from exported`, {
      unprepared: true,
    })
    if (rows.length === 0) break
    yield rows.map(({ row }) => JSON.parse(row) as Row)
  }
  await db.execute(sql`close exported`)
}

/** Removes secrets, or encrypts them with the passphrase. */
function converter(table: string, { account_id }: Scope, vault: Vault, fileVault: Vault | null) {
  const sealed = Object.entries(SEALED[table]?.columns ?? {})
  const plain = PLAIN_SECRETS[table] ?? []
  return (row: Row): Row => {
    const id = row[SEALED[table]?.key ?? 'id'] as number
    if (table === 'users' && 'default_account_id' in row && row.default_account_id !== account_id) row.default_account_id = null
    for (const [name, column] of sealed)
      row[name] = fileVault
        ? mapSealed(row[name], column, (text, column) => {
            const place = sealedIn(table, id, column)
            return text === '' ? '' : fileVault.seal(openOr(vault, text, place), place)
          })
        : withoutSealed(row[name])
    for (const name of plain) {
      const value = row[name]
      row[name] = fileVault && typeof value === 'string' ? fileVault.seal(value, sealedIn(table, id, name)) : null
    }
    // Computed again from the token.
    if (table === 'integrations') row.token_hash = null
    return row
  }
}

const BYTES = /^\\x[0-9a-f]*$/

/**
 * What a project lead sees: names of the people on it, no address except their own, and every text as the app shows it. Bodies of
 * deliveries are omitted: with addresses removed they would no longer be what the tool sent.
 */
const leadView = (own: number, onProject: ReadonlySet<number>) => (table: string, row: Row) => {
  if (table === 'users') {
    if (row.id === own) return row
    const name = onProject.has(row.id as number) ? row.name : 'Somebody'
    return { ...row, name, email: `somebody-${row.id}@hidden.invalid` }
  }
  if (table === 'deliveries') row.body = null
  for (const [name, value] of Object.entries(row))
    if (!(typeof value === 'string' && BYTES.test(value))) row[name] = scrubAll(value)
  return row
}

/** A value that was lost with its key does not prevent exporting the rest. */
function openOr(vault: Vault, sealed: string, place: string): string {
  try {
    return vault.open(sealed, place)
  } catch {
    return ''
  }
}

function withoutSealed(value: unknown): unknown {
  if (Array.isArray(value)) return []
  if (value === null || typeof value !== 'object') return null
  return Object.fromEntries(Object.entries(value).filter(([, setting]) => !isSealed(setting)))
}
