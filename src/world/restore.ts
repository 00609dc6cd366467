import { type Database, raw, sql } from '../db/database.ts'
import { BASELINE, migrations } from '../db/migration-files.ts'
import { enqueue } from '../db/queue.ts'
import { mapSealed, SEALED } from '../domain/access/key-rotation.ts'
import * as outbox from '../domain/feed/outbox.ts'
import { mintToken, tokenOf } from '../domain/integrations/integrations.ts'
import { hashOf, sealedIn, type Vault } from '../domain/privacy/secrets.ts'
import { exportedColumns, exportedTables, PLAIN_SECRETS } from './columns.ts'
import type { Header, Row } from './export.ts'
import type { Loaded } from './loaded.ts'
import { passphraseVault } from './passphrase.ts'
import { columnList, Remap, readRanges, reserve } from './remap.ts'

const BATCH_ROWS = 500
const BATCH_BYTES = 4 << 20

/** Existing rows stay; rows of another account are not taken over. */
const SKIPPED_IF_THERE = [
  'logins',
  'connected_accounts',
  'connected_account_confirmations',
  'notification_preferences',
  'api_tokens',
  'ugs_tokens',
  'sso_domains',
]
/** Credentials and preferences: a file must not change them for existing users. */
const OWN = ['logins', 'connected_accounts', 'notification_preferences', 'api_tokens']

/** Tables and columns that were renamed before the first release are omitted from such a file. */
const isBeforeRelease = ({ schema }: Header) => schema < BASELINE

/** Loads an export: the same rows with local numbers. */
export class Restore {
  readonly #db: Database
  readonly #vault: Vault
  readonly #passphrase: string | undefined
  #header: Header | undefined
  #remap!: Remap
  #columns!: Map<string, string[]>
  #fileVault: Vault | undefined
  #table = ''
  #rows: Row[] = []
  #bytes = 0
  readonly #loaded = { accounts: {}, projects: {} } as Pick<Loaded, 'accounts' | 'projects'>

  constructor(db: Database, vault: Vault, passphrase: string | undefined) {
    this.#db = db
    this.#vault = vault
    this.#passphrase = passphrase
  }

  async begin(value: Record<string, unknown>) {
    const header = value as unknown as Header
    if (header.format !== 1 || typeof header.tables !== 'object' || header.tables === null)
      throw new Error('export[0]: this version cannot read this export')
    if (header.schema > migrations().at(-1)!.number)
      throw new Error('export[0]: the file comes from a newer version: upgrade this service first')
    if (header.secrets !== null && this.#passphrase === undefined)
      throw new Error('export[0]: the file has encrypted secrets: pass the passphrase of the export')
    readRanges(header.tables)
    this.#columns = await exportedColumns(this.#db, 'operator')
    const known = exportedTables(header.secrets !== null, 'operator').map(([table]) => table)
    for (const table of Object.keys(header.tables).filter((table) => !known.includes(table)))
      if (isBeforeRelease(header)) delete header.tables[table]
      else throw new Error(`export[0]: unknown table ${table}`)
    if (header.secrets !== null) this.#fileVault = await passphraseVault(this.#passphrase!, header.secrets)
    this.#header = header
    this.#remap = new Remap(header.tables, await reserve(this.#db, header.tables))
  }

  /** `{"tasks": {…}}` */
  async add(index: number, value: Record<string, unknown>, bytes: number): Promise<void> {
    const [table = '', row] = Object.entries(value)[0] ?? []
    const older = this.#header && isBeforeRelease(this.#header)
    if (older && !Object.hasOwn(this.#header!.tables, table)) return
    if (!this.#header || !Object.hasOwn(this.#header.tables, table) || typeof row !== 'object' || row === null)
      throw new Error(`rows[${index}]: unknown table ${JSON.stringify(table)}`)
    for (const name of Object.keys(row).filter((name) => !this.#columns.get(table)!.includes(name)))
      if (older) delete (row as Row)[name]
      else throw new Error(`rows[${index}]: ${table} has no ${JSON.stringify(name)}`)
    if (table !== this.#table || this.#rows.length >= BATCH_ROWS || this.#bytes >= BATCH_BYTES) await this.flush()
    this.#table = table
    this.#rows.push(row as Row)
    this.#bytes += bytes
  }

  async flush() {
    const [table, rows] = [this.#table, this.#rows]
    this.#rows = []
    this.#bytes = 0
    if (rows.length === 0) return
    if (table === 'users') await this.#recognize(rows)
    const mine = rows.filter((row) => !this.#isKnown(table, row))
    const before = mine.map((row) => ({ ...row }))
    const placed = []
    for (const [i, row] of mine.entries()) {
      try {
        placed.push(await this.#open(table, before[i]!, this.#remap.row(table, row)))
      } catch (error) {
        throw new Error(`${table} ${JSON.stringify(before[i]!.id ?? '')}: ${(error as Error).message}`)
      }
    }
    if (placed.length > 0) await this.#insert(table, placed)
    if (table === 'accounts' || table === 'projects')
      for (const { id, name } of placed as { id: number; name: string }[]) this.#loaded[table][name] = { id }
  }

  async finish(): Promise<Partial<Loaded>> {
    if (!this.#header) return {}
    await this.flush()
    const accounts = Object.values(this.#loaded.accounts).map(({ id }) => id)
    // Pending work of the file has no job here yet.
    for (const { id, account_id } of await this.#db.rows<{ id: number; account_id: number }>(sql`
      update investigations set status = 'pending' where account_id = any (${accounts}::integer[]) and status in ('pending', 'running')
      returning id, account_id`))
      await enqueue(this.#db, 'investigate', { account_id, investigation_id: id }, { account_id })
    return this.#loaded
  }

  async #recognize(users: Row[]) {
    const found = await this.#db.rows<{ id: number; email: string }>(sql`
      select id, lower(email) as email from users where lower(email) = any (${users.map(({ email }) => String(email).toLowerCase())}::text[])`)
    for (const { id, email } of found)
      this.#remap.known.set(users.find((user) => String(user.email).toLowerCase() === email)!.id as number, id)
  }

  #isKnown(table: string, row: Row): boolean {
    if (table === 'users') return this.#remap.known.has(row.id as number)
    // For a deleted task.
    if (table === 'task_history' && this.#remap.loose('tasks', row.task_id) === null) return true
    return OWN.includes(table) && this.#remap.known.has(row.user_id as number)
  }

  /** Secrets in their stored form; missing ones are created, or stay empty. */
  async #open(table: string, before: Row, row: Row): Promise<Row> {
    const key = SEALED[table]?.key ?? 'id'
    const file = this.#fileVault
    for (const [name, column] of Object.entries(SEALED[table]?.columns ?? {}))
      if (file)
        row[name] = mapSealed(row[name], column, (sealed, column) =>
          sealed === ''
            ? ''
            : this.#vault.seal(
                openWith(file, sealed, sealedIn(table, before[key] as number, column)),
                sealedIn(table, row[key] as number, column),
              ),
        )
    for (const name of PLAIN_SECRETS[table] ?? []) {
      const value = row[name]
      if (file && typeof value === 'string') row[name] = openWith(file, value, sealedIn(table, before.id as number, name))
    }
    if (table === 'integrations') await this.#giveToken(row)
    if (table === 'projects' && row.badge_key != null) {
      const taken = await this.#db.one(sql`select from projects where badge_key = ${row.badge_key as string}`)
      if (taken) row.badge_key = null
    }
    if (table === 'destinations') row.position = await outbox.end(this.#db, row.account_id as number)
    return row
  }

  async #giveToken(row: Row) {
    const id = row.id as number
    const kept = row.token_sealed ? this.#vault.open(row.token_sealed as string, tokenOf(id)) : undefined
    const hash = kept === undefined ? undefined : hashOf(kept)
    const taken = hash && (await this.#db.one(sql`select from integrations where token_hash = ${hash}`))
    const { token_hash, token_sealed } =
      hash && !taken ? { token_hash: hash, token_sealed: row.token_sealed } : mintToken(this.#vault, id)
    row.token_hash = `\\x${token_hash.toString('hex')}`
    row.token_sealed = row.deleted_at == null ? token_sealed : ''
    row.secrets_sealed ??= []
  }

  #insert(table: string, rows: Row[]) {
    const columns = this.#header!.tables[table]!.columns.filter((name) => this.#columns.get(table)!.includes(name))
    // Files from before the first release have the account only in rows without a parent.
    if (this.#columns.get(table)!.includes('account_id') && !columns.includes('account_id')) {
      columns.push('account_id')
      const [account] = Object.values(this.#loaded.accounts)
      for (const row of rows) row.account_id = account!.id
    }
    if (table === 'destinations') columns.push('position')
    const selected = columns.map((name) =>
      name === 'via_api_token_id' ? '(select a.id from api_tokens a where a.id = r.via_api_token_id)' : `r."${name}"`,
    )
    const present =
      table === 'connected_account_confirmations'
        ? sql`where exists (select from connected_accounts c where c.id = r.connected_account_id)`
        : sql``
    const skipping = SKIPPED_IF_THERE.includes(table) ? sql`on conflict do nothing` : sql``
    return this.#db.execute(sql`
      insert into ${raw(table)} (${columnList(columns)}) overriding system value
      select ${raw(selected.join(', '))} from json_populate_recordset(null::${raw(table)}, ${JSON.stringify(rows)}::json) r
      ${present} ${skipping}`)
  }
}

function openWith(file: Vault, sealed: string, place: string): string {
  try {
    return file.open(sealed, place)
  } catch {
    throw new Error('the passphrase is wrong, or the file was changed')
  }
}
