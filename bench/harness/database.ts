import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { startEmbedded } from '../../src/db/embedded/embedded.ts'
import { migrate } from '../../src/db/migrate.ts'

export interface Store {
  url: string
  drop(): Promise<void>
}

export interface Cluster {
  /** A separate empty, migrated database: benchmarks never touch the database of DATABASE_URL itself. */
  create(name: string): Promise<Store>
  close(): Promise<void>
}

/** The PostgreSQL of DATABASE_URL, or the embedded one in a temporary folder. */
export async function openCluster(): Promise<Cluster> {
  const given = process.env.DATABASE_URL
  if (given) return { create: (name) => create(given, name), close: async () => {} }
  const folder = await mkdtemp(join(tmpdir(), 'goldmaster-bench-'))
  const embedded = await startEmbedded(folder)
  return {
    create: (name) => create(embedded.url, name),
    close: async () => {
      await embedded.stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function create(beside: string, name: string): Promise<Store> {
  const database = `gm_bench_${name}_${process.pid}`
  await command(beside, `create database ${database}`)
  const url = sibling(beside, database)
  await migrate(url)
  return { url, drop: () => command(beside, `drop database ${database} with (force)`) }
}

async function command(url: string, text: string) {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(text)
  } finally {
    await client.end()
  }
}

/** The same server's URL with another database name. `URL` cannot parse socket addresses without a host. */
const sibling = (url: string, database: string) => {
  const [address, ...options] = url.split('?')
  return [address!.replace(/^(\w+:\/\/[^/]*)(?:\/.*)?$/, `$1/${database}`), ...options].join('?')
}
