import { execFile } from 'node:child_process'
import { appendFile, chmod, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { distribute } from '../../../src/db/distributed/distribute.ts'
import { migrate } from '../../../src/db/migrate.ts'
import { openMigrationSession } from '../../../src/db/migration-session.ts'
import { PLACEMENTS } from '../../../src/domain/accounts/table-placement.ts'
import { freePort } from './free-port.ts'

/** A folder with the programs of a PostgreSQL that has Citus: tests on several servers are skipped without one. */
export const CITUS_PREFIX = process.env.CITUS_PREFIX

const run = promisify(execFile)
/** PostgreSQL refuses to run as root. */
const NOBODY = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}

const SETTINGS = `
listen_addresses = '127.0.0.1'
unix_socket_directories = ''
shared_preload_libraries = 'citus'
citus.node_conninfo = 'sslmode=disable'
citus.shard_count = 4
citus.max_cached_conns_per_worker = 4
max_connections = 300
max_prepared_transactions = 300
max_locks_per_transaction = 256
max_worker_processes = 64
shared_buffers = 32MB
wal_level = logical
fsync = off
full_page_writes = off
`

/** A coordinator with two workers. */
export interface Cluster {
  /** The coordinator first; each with the database `postgres`. */
  servers: string[]
  /** On all servers: an empty database whose workers the coordinator knows. Returns its URL. */
  create(name: string): Promise<string>
  /** Ends a server like a power failure. */
  kill(index: number): Promise<void>
  /** It stays silent, like a machine that hangs, until the returned function is called. */
  freeze(index: number): Promise<() => void>
  shutDown(index: number): Promise<void>
  start(index: number): Promise<void>
  stop(): Promise<void>
}

const urlOf = (server: string, database: string) => server.replace(/[^/]*$/, database)

async function onServer<T extends pg.QueryResultRow>(url: string, ...texts: string[]): Promise<T[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    let rows: T[] = []
    for (const text of texts) rows = (await client.query<T>(text)).rows
    return rows
  } finally {
    await client.end()
  }
}

export async function startCluster(more = ''): Promise<Cluster> {
  const folder = await mkdtemp(join(tmpdir(), 'goldmaster-cluster-'))
  await chmod(folder, 0o777)
  const ports = [await freePort(), await freePort(), await freePort()]
  const settings = { ...NOBODY, cwd: '/', env: { ...process.env, HOME: folder } }
  const program = (name: string) => join(CITUS_PREFIX!, 'bin', name)
  const at = (index: number) => join(folder, String(index))
  const control = (index: number, ...args: string[]) => run(program('pg_ctl'), ['-D', at(index), '-w', ...args], settings)
  const start = async (index: number) => {
    await control(index, '-l', join(folder, `${index}.log`), 'start')
  }
  for (const [index, port] of ports.entries()) {
    await run(program('initdb'), ['-D', at(index), '-U', 'root', '-A', 'trust', '-E', 'UTF8', '--locale=C.UTF-8'], settings)
    await appendFile(join(at(index), 'postgresql.conf'), `${SETTINGS}${more}port = ${port}\n`)
    await start(index)
  }
  /** The process that started all others. */
  const firstOf = async (index: number) => Number((await readFile(join(at(index), 'postmaster.pid'), 'utf8')).split('\n', 1)[0])
  const servers = ports.map((port) => `postgres://root@127.0.0.1:${port}/postgres`)
  const everywhere = async (...texts: string[]) => {
    for (const server of servers) await onServer(server, ...texts)
  }
  return {
    servers,
    async create(name) {
      await everywhere(`create database ${name}`)
      for (const server of servers) await onServer(urlOf(server, name), 'create extension citus')
      const [coordinator, ...workers] = ports
      const url = urlOf(servers[0]!, name)
      await onServer(
        url,
        `select citus_set_coordinator_host('127.0.0.1', ${coordinator})`,
        ...workers.map((port) => `select citus_add_node('127.0.0.1', ${port})`),
      )
      return url
    },
    async freeze(index) {
      const sessions = await onServer<{ pid: number }>(
        servers[index]!,
        'select pid from pg_stat_activity where pid <> pg_backend_pid()',
      )
      const pids = [await firstOf(index), ...sessions.map(({ pid }) => pid)]
      const signal = (name: NodeJS.Signals) => {
        for (const pid of pids)
          try {
            process.kill(pid, name)
          } catch {
            // It has ended meanwhile.
          }
      }
      signal('SIGSTOP')
      return () => signal('SIGCONT')
    },
    async kill(index) {
      process.kill(await firstOf(index), 'SIGKILL')
      // Its sessions notice and end; a new server refuses to start before.
      await control(index, '-m', 'immediate', 'stop').catch(() => {})
    },
    async shutDown(index) {
      await control(index, '-m', 'fast', 'stop')
    },
    start,
    async stop() {
      await Promise.allSettled(ports.map((_, index) => control(index, '-m', 'immediate', 'stop')))
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** Two shards: each database has a copy of all tables for each. What is sent to all shards uses one connection per worker. */
const FOR_COPIES = `
citus.shard_count = 2
citus.max_adaptive_executor_pool_size = 1
synchronous_commit = off
`

/** A cluster with a distributed, empty database to copy. */
export async function startClusterWith(template: string): Promise<Cluster> {
  const cluster = await startCluster(FOR_COPIES)
  await distributeDatabase(await cluster.create(template))
  // A process of Citus stays connected to every database that was used since the start.
  for (const index of cluster.servers.keys()) {
    await cluster.shutDown(index)
    await cluster.start(index)
  }
  return cluster
}

export async function distributeDatabase(url: string): Promise<void> {
  await migrate(url)
  const session = await openMigrationSession(url, { info() {}, warn() {} })
  await distribute(session, PLACEMENTS).finally(() => session.end())
}
