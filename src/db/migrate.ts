import { readdirSync, readFileSync } from 'node:fs'
import { runMigrations } from 'graphile-worker'
import pg from 'pg'
import { applyChecks } from './checks.ts'

const FOLDER = new URL('./migrations/', import.meta.url)
/** Nodes that start together take turns. */
const LOCK = 7_163_520_417

interface Migration {
  number: number
  name: string
  sql: string
}

export const migrations = (): Migration[] =>
  readdirSync(FOLDER)
    .filter((name) => name.endsWith('.sql'))
    .sort()
    .map((name) => ({ number: Number(name.slice(0, 4)), name, sql: readFileSync(new URL(name, FOLDER), 'utf8') }))

/** Brings the database to this code's schema. A database newer than the code is left alone and refused. */
export async function migrate(url: string): Promise<number> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 })
  await client.connect()
  try {
    await requireVersion(client)
    await client.query('select pg_advisory_lock($1)', [LOCK])
    await client.query(
      'create table if not exists schema_migrations (number integer primary key, name text not null, applied_at timestamptz not null default now())',
    )
    const { rows } = await client.query<{ number: number }>('select number from schema_migrations')
    const known = migrations()
    const newest = known.at(-1)!.number
    const foreign = rows.find((row) => row.number > newest)
    if (foreign)
      throw new Error(
        `The database is newer than this version (migration ${foreign.number}, known up to ${newest}): update goldmaster.`,
      )
    const done = new Set(rows.map((row) => row.number))
    const todo = known.filter(({ number }) => !done.has(number))
    for (const migration of todo) await apply(client, migration)
    await applyChecks(client)
    await runMigrations({ connectionString: url })
    return todo.length
  } finally {
    await client.end()
  }
}

async function apply(client: pg.Client, { number, name, sql }: Migration) {
  await client.query('begin')
  try {
    await client.query(sql)
    await client.query('insert into schema_migrations (number, name) values ($1, $2)', [number, name])
    await client.query('commit')
  } catch (error) {
    await client.query('rollback')
    throw new Error(`Migration ${name} failed: ${(error as Error).message}`, { cause: error })
  }
}

async function requireVersion(client: pg.Client) {
  const { rows } = await client.query<{ server_version_num: string }>('show server_version_num')
  const major = Math.floor(Number(rows[0]!.server_version_num) / 10_000)
  if (major < 15) throw new Error(`PostgreSQL ${major} is too old: 15 or newer is needed.`)
}
