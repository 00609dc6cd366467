import { pipeline } from 'node:stream/promises'
import type pg from 'pg'
import type { FileStore } from '../database.ts'
import { migrate, refuse } from '../migrate.ts'
import { migrations } from '../migration-files.ts'
import type { MigrationLog } from '../migration-session.ts'
import { ArchiveReader, DamagedBackup, type EndLine, type Header } from './archive.ts'
import { empty, foreignKeysOf, isEmpty, isInUse, sequencesOf, tablesOf } from './catalog.ts'
import { CopyIn } from './copy.ts'
import { type CopyProgress, columnList, inSession } from './dump.ts'
import { filesIn, removeFormer } from './former-files.ts'

interface RestoreSettings {
  /** Drops the existing data, with its files. */
  replace?: boolean
  /** Gets the files of the backup. */
  files?: FileStore | undefined
  log: MigrationLog
  onProgress?: (progress: CopyProgress) => void
}

/** Creates the former schema, loads all rows in one transaction, then applies newer migrations. */
export async function restore(url: string, source: AsyncIterable<Buffer>, settings: RestoreSettings) {
  const reader = new ArchiveReader(source)
  try {
    return await restoreFrom(reader, url, settings)
  } finally {
    await reader.close()
  }
}

async function restoreFrom(reader: ArchiveReader, url: string, { replace = false, log, files, onProgress }: RestoreSettings) {
  const header = await reader.header()
  refuseNewer(header)
  const former = await prepare(url, replace)
  const applied = new Set(header.migrations.map(({ number }) => number))
  await migrate(
    url,
    log,
    migrations().filter(({ number }) => applied.has(number)),
  )
  try {
    const progress = await inSession(url, async (client) => {
      await client.query('begin')
      const progress = await load(client, reader, { log, files, onProgress })
      await client.query('commit')
      await client.query('analyze')
      if (files) await removeFormer(client, files, former)
      return progress
    })
    await migrate(url, log)
    return progress
  } catch (error) {
    // It was empty, and can be tried again.
    await inSession(url, empty).catch(() => {})
    throw error
  }
}

export const refuseNewer = (header: Header) => refuse(header.migrations, migrations(), 'backup')

/** Requires or creates an empty target. Returns the files of the data that was there. */
const prepare = (url: string, replace: boolean) =>
  inSession(url, async (client) => {
    const { rows } = await client.query<{ server_encoding: string }>('show server_encoding')
    if (rows[0]!.server_encoding !== 'UTF8')
      throw new Error(`The database is encoded in ${rows[0]!.server_encoding}: make one in UTF8.`)
    if (await isEmpty(client)) return new Set<string>()
    if (!replace) throw new Error('The database is not empty: name an empty one, or give --replace to drop what is there.')
    if (await isInUse(client)) throw new Error('The database is in use: stop the service first.')
    const former = await filesIn(client)
    await empty(client)
    return former
  })

/** Without triggers, which would create events for everything, and without foreign keys, which are checked at the end, once for each. */
async function load(client: pg.Client, reader: ArchiveReader, { log, files, onProgress }: RestoreSettings) {
  const tables = new Map((await tablesOf(client)).map((table) => [table.name, table]))
  const foreignKeys = await foreignKeysOf(client)
  for (const { table, name } of foreignKeys) await client.query(`alter table ${table} drop constraint ${name}`)
  for (const name of tables.keys()) await client.query(`alter table ${name} disable trigger user`)
  // Migrations insert a few rows.
  await client.query(`truncate ${[...tables.keys()].join(', ')}`)
  const progress = { tables: 0, of: tables.size, rows: 0 }
  const end = await reader.tables(async ({ table, columns }, rows) => {
    const known = tables.get(table)
    if (!known) {
      log.warn({ table }, 'skipped a table that does not belong to Goldmaster')
      for await (const _ of rows);
      return undefined
    }
    const missing = columns.find((column) => !known.columns.includes(column))
    if (missing !== undefined) throw new DamagedBackup(`${table} has no column ${missing}`)
    const copy = new CopyIn(client, `copy ${table} (${columnList(columns)}) from stdin`)
    await pipeline(rows, copy)
    progress.tables++
    progress.rows += copy.rows
    onProgress?.(progress)
    return copy.rows
  }, files?.put)
  if (progress.tables < tables.size) throw new DamagedBackup('tables are missing')
  await setSequences(client, end)
  // The processes of the former service do not run here: a node would take their folder of files for one that it does not share.
  await client.query('delete from nodes')
  for (const name of tables.keys()) await client.query(`alter table ${name} enable trigger user`)
  for (const { table, name, definition } of foreignKeys)
    await client.query(`alter table ${table} add constraint ${name} ${definition}`)
  return progress
}

async function setSequences(client: pg.Client, { sequences }: EndLine) {
  for (const name of Object.keys(await sequencesOf(client))) {
    const last = sequences[name]
    if (last != null) await client.query('select setval($1::regclass, $2::bigint)', [name, last])
  }
}
