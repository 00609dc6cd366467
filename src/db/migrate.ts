import { runMigrations } from 'graphile-worker'
import pg from 'pg'
import { applyChecks, areChecksCurrent } from './checks.ts'
import { applyEventTriggers, areEventTriggersCurrent } from './event-triggers.ts'
import { addressOf, openClient } from './hosts.ts'
import { type Migration, migrations, statementsOf } from './migration-files.ts'
import { LOCK_TIMEOUT, type MigrationLog, type MigrationSession, openMigrationSession } from './migration-session.ts'
import { widenIds } from './wide-ids/wide-ids.ts'

const SILENT: MigrationLog = { info: () => {}, warn: () => {} }

/** Migrations before brought the triggers of their time. */
const TRIGGERS_SINCE = 112

interface Migrated {
  applied: number
  /** The database was empty. */
  fresh: boolean
}

/**
 * Brings the database to this code's schema while others use it: a change waits for a table lock only as long as their requests may
 * wait behind it. A database newer than the code is left alone and refused.
 */
export async function migrate(url: string, log: MigrationLog = SILENT, known = migrations()): Promise<Migrated> {
  const session = await openMigrationSession(url, log)
  try {
    await requireVersion(session.client)
    await prepareTable(session)
    const { rows } = await session.client.query<Applied>('select number, checksum from schema_migrations')
    refuse(rows, known)
    await keepChecksums(session, rows, known)
    const done = new Set(rows.map((row) => row.number))
    const todo = known.filter(({ number }) => !done.has(number))
    for (const migration of todo) {
      if (rows.length > 0) log.info({ migration: migration.name }, 'migrating the database')
      await apply(session, migration)
    }
    await applyChecks(session)
    if (known.at(-1)!.number >= TRIGGERS_SINCE) await applyEventTriggers(session)
    await migrateQueue(session, url)
    return { applied: todo.length, fresh: rows.length === 0 }
  } finally {
    await session.end()
  }
}

/** What this code's schema is to the database's: for commands that must not change it under a running service. */
export async function schemaState(url: string, known = migrations()): Promise<'empty' | 'older' | 'current'> {
  const client = openClient(url, { connectionTimeoutMillis: 10_000, application_name: 'goldmaster' })
  await client.connect()
  try {
    await requireVersion(client)
    const { rows: tables } = await client.query(`select from pg_class where oid = to_regclass('schema_migrations')`)
    if (tables.length === 0) return 'empty'
    const { rows } = await client.query<Applied>(
      `select number, to_jsonb(schema_migrations) ->> 'checksum' as checksum from schema_migrations`,
    )
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

async function prepareTable({ client, transaction }: MigrationSession) {
  const { rows } = await client.query<{ column: string }>(
    `select attname as column from pg_attribute where attrelid = to_regclass('schema_migrations') and not attisdropped`,
  )
  if (rows.some(({ column }) => column === 'checksum')) return
  await transaction('schema_migrations', async (client) => {
    await client.query(
      'create table if not exists schema_migrations (number integer primary key, name text not null, applied_at timestamptz not null default now())',
    )
    await client.query('alter table schema_migrations add column checksum text')
  })
}

/** A newer database, or one whose migrations are not the ones known here, is nothing to work with. */
export function refuse(applied: Applied[], known: Migration[], what = 'database') {
  const newest = known.at(-1)!.number
  const foreign = applied.find((row) => row.number > newest)
  if (foreign)
    throw new Error(
      `The ${what} is newer than this version (migration ${foreign.number}, known up to ${newest}): update goldmaster.`,
    )
  const changed = known.find(({ number, checksum }) =>
    applied.some((row) => row.number === number && (row.checksum ?? checksum) !== checksum),
  )
  if (changed)
    throw new Error(
      `Migration ${changed.name} was changed after it was applied: restore the file and put the change into a new one.`,
    )
}

/** Migrations applied before checksums were stored count as those that are known now. */
async function keepChecksums({ client }: MigrationSession, applied: Applied[], known: Migration[]) {
  for (const { number, checksum } of known)
    if (applied.some((row) => row.number === number && row.checksum === null))
      await client.query('update schema_migrations set checksum = $2 where number = $1', [number, checksum])
}

/** What a migration does before its statements, where the catalogue says what there is to do. */
const STEPS: Record<number, (session: MigrationSession) => Promise<void>> = { 100: widenIds }

const RECORD = 'insert into schema_migrations (number, name, checksum) values ($1, $2, $3)'

async function apply(session: MigrationSession, migration: Migration) {
  const { number, name, sql, online, checksum } = migration
  const record = [number, name, checksum]
  try {
    if (online) {
      await STEPS[number]?.(session)
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

/** Idempotent, since an interrupted migration begins anew: a half-built index is dropped and built again. */
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

/** The job queue brings its own schema. */
async function migrateQueue({ pooled, retry }: MigrationSession, url: string) {
  const pgPool = new pg.Pool({ ...(addressOf(url) as pg.PoolConfig), max: 1, application_name: 'goldmaster migrate' })
  pgPool.on('error', () => {})
  pgPool.on('connect', (client) => {
    client.on('error', () => {})
    if (!pooled) void client.query(`${LOCK_TIMEOUT}; set statement_timeout = 0`)
  })
  try {
    await retry('graphile_worker', () => runMigrations({ pgPool }))
  } finally {
    await pgPool.end()
  }
}

async function requireVersion(client: pg.Client) {
  const { rows } = await client.query<{ server_version_num: string }>('show server_version_num')
  const major = Math.floor(Number(rows[0]!.server_version_num) / 10_000)
  if (major < 15) throw new Error(`PostgreSQL ${major} is too old: 15 or newer is needed.`)
}
