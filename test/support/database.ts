import { randomBytes } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { inject } from 'vitest'
import { openDatabase, type Pool, sql } from '../../src/db/database.ts'
import { DISTRIBUTION_SETTINGS } from '../../src/db/distributed/distribute.ts'
import { migrate } from '../../src/db/migrate.ts'
import { folderFiles } from '../../src/domain/files/file-store.ts'
import { withDatabase } from '../setup.ts'

/** A 503 of the service after a few seconds must not fail a test on a busy machine. */
const PATIENT = { statementTimeout: 60_000, connectTimeout: 60_000 }

export interface TestDatabase {
  db: Pool
  url: string
  drop(): Promise<void>
}

/** A new, migrated, empty database. */
export const createDatabase = (): Promise<TestDatabase> => create(inject('clone'))

/** Whether the databases of the tests are distributed over several servers. */
export const isOnSeveralServers = (): boolean => inject('servers').length > 1

/** A new, migrated, empty database whose tables are on one server, also where those of other tests are distributed. */
export async function createUndistributedDatabase(): Promise<TestDatabase> {
  if (!isOnSeveralServers()) return createDatabase()
  const made = await createEmptyDatabase()
  await migrate(made.url)
  return made
}

/** A database without a schema. */
export const createEmptyDatabase = (): Promise<TestDatabase> => create('template template1')

/** Large tables start at this id: a column or a cast of 32 bits would fail. */
const BEYOND_32_BITS = 2 ** 31 + 5

export async function beginBeyond32Bits(db: Pool) {
  for (const table of ['changes', 'build_runs', 'build_steps', 'investigations', 'tasks'])
    await db.execute(sql`select setval(pg_get_serial_sequence(${table}, 'id'), ${BEYOND_32_BITS}, false)`)
}

async function create(from: string): Promise<TestDatabase> {
  const name = `goldmaster_test_${randomBytes(6).toString('hex')}`
  const settings = isOnSeveralServers() ? DISTRIBUTION_SETTINGS : []
  await onServers(`create database ${name} ${from}`, ...settings.map((setting) => `alter database ${name} set ${setting}`))
  const url = withDatabase(inject('server'), name)
  const folder = join(tmpdir(), name)
  const db = openDatabase(url, { max: 8, ...PATIENT, files: folderFiles(folder) })
  return {
    db,
    url,
    async drop() {
      await db.close()
      await rm(folder, { recursive: true, force: true })
      await dropOnServers(name)
    },
  }
}

/** A process of Citus returns to its database as soon as it was ended: then dropping is tried again. */
async function dropOnServers(name: string, tries = 5): Promise<void> {
  try {
    await onServers(`drop database if exists ${name} with (force)`)
  } catch (error) {
    if (tries === 0 || (error as { code?: string }).code !== '55006') throw error
    await dropOnServers(name, tries - 1)
  }
}

async function onServers(...texts: string[]) {
  await Promise.all(
    inject('servers').map(async (server) => {
      const client = new pg.Client({ connectionString: server })
      await client.connect()
      try {
        for (const text of texts) await client.query(text)
      } finally {
        await client.end()
      }
    }),
  )
}
