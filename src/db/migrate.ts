import type pg from 'pg'
import { applyChecks, areChecksCurrent } from './checks.ts'
import { applyEventTriggers, areEventTriggersCurrent } from './event-triggers.ts'
import { openClient } from './hosts.ts'
import { BASELINE, type Migration, migrations, statementsOf } from './migration-files.ts'
import { type MigrationLog, type MigrationSession, openMigrationSession } from './migration-session.ts'

const SILENT: MigrationLog = { info: () => {}, warn: () => {} }

interface Migrated {
  applied: number
  /** The database was empty. */
  fresh: boolean
}

/**
 * Migrates the database to this code's schema while others use it: a change waits for a table lock only as long as requests may wait behind
 * it. A database newer than the code is not changed and refused.
 */
export async function migrate(url: string, log: MigrationLog = SILENT, known = migrations()): Promise<Migrated> {
  const session = await openMigrationSession(url, log)
  try {
    await requireVersion(session.client)
    await session.transaction('schema_migrations', (client) => client.query(TABLE))
    const { rows } = await session.client.query<Applied>('select number, checksum from schema_migrations')
    refuse(rows, known)
    const done = new Set(rows.map((row) => row.number))
    const todo = known.filter(({ number }) => !done.has(number))
    for (const migration of todo) {
      if (rows.length > 0) log.info({ migration: migration.name }, 'migrating the database')
      await apply(session, migration)
    }
    await applyChecks(session)
    await applyEventTriggers(session)
    return { applied: todo.length, fresh: rows.length === 0 }
  } finally {
    await session.end()
  }
}

/** Compares this code's schema with the database's: for commands that must not change it under a running service. */
export async function schemaState(url: string, known = migrations()): Promise<'empty' | 'older' | 'current'> {
  const client = openClient(url, { connectionTimeoutMillis: 10_000, application_name: 'goldmaster' })
  await client.connect()
  try {
    await requireVersion(client)
    const { rows: tables } = await client.query(`select from pg_class where oid = to_regclass('schema_migrations')`)
    if (tables.length === 0) return 'empty'
    const { rows } = await client.query<Applied>('select number, checksum from schema_migrations')
    refuse(rows, known)
    if (rows.length === 0) return 'empty'
    const isApplied = known.every(({ number }) => rows.some((row) => row.number === number))
    return isApplied && (await areChecksCurrent(client)) && (await areEventTriggersCurrent(client)) ? 'current' : 'older'
  } finally {
    await client.end()
  }
}

interface Applied {
  number: number
  checksum: string | null
}

const TABLE = `
  create table if not exists schema_migrations (
    number integer primary key, name text not null, applied_at timestamptz not null default now(), checksum text)`

/** Refuses a newer database, or one with unknown migrations. */
export function refuse(applied: Applied[], known: Migration[], what = 'database') {
  const newest = known.at(-1)!.number
  const foreign = applied.find((row) => row.number > newest)
  if (foreign)
    throw new Error(
      `The ${what} is newer than this version (migration ${foreign.number}, known up to ${newest}): update goldmaster.`,
    )
  const changed = applied.find((row) => known.find(({ number }) => number === row.number)?.checksum !== row.checksum)
  if (changed === undefined) return
  const file = known.find(({ number }) => number === changed.number)
  if (file && file.number > BASELINE)
    throw new Error(
      `Migration ${file.name} was changed after it was applied: restore the file and put the change into a new one.`,
    )
  throw new Error(
    `The ${what} comes from a version before the first release, and its tables differ from those of this version. ` +
      'Write each account to a file with that version (goldmaster admin export), start this version with an empty database ' +
      'and load the files there (goldmaster admin load).',
  )
}

const RECORD = 'insert into schema_migrations (number, name, checksum) values ($1, $2, $3)'

async function apply(session: MigrationSession, migration: Migration) {
  const { number, name, sql, online, checksum } = migration
  const record = [number, name, checksum]
  try {
    if (online) {
      for (const statement of statementsOf(sql)) await applyOnline(session, name, statement)
      await session.client.query(RECORD, record)
    } else
      await session.transaction(name, async (client) => {
        await client.query(sql)
        await client.query(RECORD, record)
      })
  } catch (error) {
    throw new Error(`Migration ${name} failed: ${(error as Error).message}`, { cause: error })
  }
}

/** Idempotent, since an interrupted migration starts over: an incomplete index is dropped and built again. */
async function applyOnline(session: MigrationSession, name: string, statement: string) {
  if (!/^(create|drop|reindex)\b.*\bconcurrently\b/i.test(statement)) {
    await session.transaction(name, (client) => client.query(statement))
    return
  }
  const index = /^create\s+(?:unique\s+)?index\s+concurrently\s+if\s+not\s+exists\s+(\w+)/i.exec(statement)?.[1]
  if (index !== undefined) {
    const { rows } = await session.client.query('select from pg_index where indexrelid = to_regclass($1) and not indisvalid', [
      index,
    ])
    if (rows.length > 0) await session.concurrently(name, `drop index concurrently ${index}`)
  }
  await session.concurrently(name, statement)
}

async function requireVersion(client: pg.Client) {
  const { rows } = await client.query<{ server_version_num: string }>('show server_version_num')
  const major = Math.floor(Number(rows[0]!.server_version_num) / 10_000)
  if (major < 15) throw new Error(`PostgreSQL ${major} is too old: 15 or newer is needed.`)
}
