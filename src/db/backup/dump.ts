import pg from 'pg'
import { VERSION } from '../../contract/version.ts'
import type { FileStore } from '../database.ts'
import { fileKey } from '../file-key.ts'
import { openClient } from '../hosts.ts'
import { blocksOf, type Header, lineOf } from './archive.ts'
import { isInUse, sequencesOf, tablesOf } from './catalog.ts'
import { CopyOut } from './copy.ts'

/** The progress of a copy. */
export interface CopyProgress {
  tables: number
  of: number
  rows: number
}

interface DumpSettings {
  /** The key stored with the data. */
  secretKey: string | null
  /** Nobody else may write meanwhile: those writes would be lost. */
  alone?: boolean
  /** The files that belong to the rows, unless they are in an object store. */
  files?: FileStore | undefined
  onProgress?: (progress: CopyProgress) => void
}

const { escapeIdentifier } = pg

export const columnList = (columns: readonly string[]) => columns.map(escapeIdentifier).join(', ')

/** A session for long statements that only a lost connection ends. */
async function openSession(url: string): Promise<pg.Client> {
  const client = openClient(url, { connectionTimeoutMillis: 10_000, keepAlive: true, application_name: 'goldmaster backup' })
  // Its statement fails too; without a listener a lost connection would end the process.
  client.on('error', () => {})
  await client.connect()
  await client.query('set statement_timeout = 0; set idle_in_transaction_session_timeout = 0; set timezone = UTC')
  return client
}

export async function inSession<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = await openSession(url)
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

/** A snapshot of everything, while others continue to write. */
export async function* dump(url: string, { secretKey, alone = false, files, onProgress }: DumpSettings): AsyncGenerator<Buffer> {
  const client = await openSession(url)
  try {
    if (alone && (await isInUse(client))) throw new Error('The service is running: stop it first.')
    await client.query('begin isolation level repeatable read read only')
    const tables = await tablesOf(client)
    if (!tables.some(({ name }) => name === 'public.accounts'))
      throw new Error('There is nothing to copy: the database is empty.')
    // A migration that starts now waits until the copy is done.
    await client.query(`lock table ${tables.map(({ name }) => name).join(', ')} in access share mode`)
    yield lineOf(await headerOf(client, secretKey))
    const progress = { tables: 0, of: tables.length, rows: 0 }
    for (const { name, columns } of tables) {
      yield lineOf({ table: name, columns })
      const rows = new CopyOut(client, `copy ${name} (${columnList(columns)}) to stdout`)
      yield* blocksOf(rows)
      yield lineOf({ rows: rows.rows })
      progress.tables++
      progress.rows += rows.rows
      onProgress?.(progress)
    }
    if (files) yield* filesOf(client, files)
    yield lineOf({ sequences: await sequencesOf(client) })
  } finally {
    await client.end()
  }
}

const FILES_AT_ONCE = 1_000
const PIECE = 4 * 1024 * 1024

/** A file that is gone was deleted after the snapshot, or lost before. */
async function* filesOf(client: pg.Client, files: FileStore): AsyncGenerator<Buffer> {
  let after: { account_id: number; sha256: Buffer } | undefined = { account_id: 0, sha256: Buffer.alloc(0) }
  while (after) {
    const { rows }: pg.QueryResult<{ account_id: number; sha256: Buffer; bytes: number }> = await client.query(
      `select account_id, sha256, bytes from file_contents where content is null and (account_id, sha256) > ($1, $2)
        order by account_id, sha256 limit ${FILES_AT_ONCE}`,
      [after.account_id, after.sha256],
    )
    for (const { account_id, sha256, bytes } of rows) {
      const key = fileKey(account_id, sha256)
      const first = await files.read(key, 0, Math.min(bytes, PIECE))
      if (!first) continue
      yield lineOf({ file: key })
      yield* blocksOf(piecesOf(files, key, first, bytes))
    }
    after = rows.length < FILES_AT_ONCE ? undefined : rows.at(-1)
  }
}

async function* piecesOf(files: FileStore, key: string, first: Buffer, bytes: number): AsyncGenerator<Buffer> {
  yield first
  for (let at = PIECE; at < bytes; at += PIECE) {
    const piece = await files.read(key, at, Math.min(bytes, at + PIECE))
    if (!piece) throw new Error(`The file ${key} disappeared while it was copied.`)
    yield piece
  }
}

async function headerOf(client: pg.Client, secretKey: string | null): Promise<Header> {
  const { rows: migrations } = await client.query<Header['migrations'][number]>(
    'select number, checksum from schema_migrations order by number',
  )
  const { rows: known } = await client.query(`select from pg_class where oid = to_regclass('secret_canary')`)
  const { rows: canaries } =
    known.length > 0 ? await client.query<{ sealed: string }>('select sealed from secret_canary') : { rows: [] }
  return {
    goldmaster_backup: 1,
    version: VERSION,
    made_at: new Date().toISOString(),
    migrations,
    secret_key: secretKey,
    canary: canaries[0]?.sealed ?? null,
  }
}
