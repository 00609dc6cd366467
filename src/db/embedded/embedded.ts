import { mkdir, realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { urlOf } from './address.ts'
import { type Launch, launch, shutDown } from './postmaster.ts'

export interface Embedded {
  /** A connection string for `pg` and psql; it stays the same after a restart. */
  url: string
  /** Disconnects from the database; the last process shuts it down. */
  stop(): Promise<void>
}

const DATABASE = 'goldmaster'
// Every user of the server holds this lock shared, in the database `postgres`, where it cannot conflict with locks of the service.
const USERS_LOCK = 7_118_533
const TIMEOUT_MS = 60_000
const ANSWER_MS = 10_000
const RETRIES = 100

/** Starts the built-in PostgreSQL in `dataDir`, or connects to the one that already runs there. */
export async function startEmbedded(dataDir: string, timeout = TIMEOUT_MS): Promise<Embedded> {
  try {
    await mkdir(dataDir, { recursive: true, mode: 0o700 })
    const cluster = join(await realpath(dataDir), 'postgres')
    return await use(cluster, timeout)
  } catch (error) {
    throw explained(error, dataDir)
  }
}

/** Keeps one connection open: it counts us among the users and reports at once when the server dies, which is then restarted. */
async function use(cluster: string, timeout: number): Promise<Embedded> {
  let stopping: Promise<void> | undefined
  let recovery: Promise<void> | undefined
  let keeper = watched(await connectOrStart(cluster, timeout))

  function watched(client: Client): Client {
    return client.once('end', () => {
      if (!stopping) recovery = recover()
    })
  }

  async function recover() {
    process.emitWarning(`The connection to the database in ${cluster} was lost; reaching for it again.`)
    for (let pause = 100; !stopping; pause = Math.min(2 * pause, 2_000)) {
      await sleep(pause)
      try {
        keeper = watched(await connectOrStart(cluster, timeout))
        return
      } catch (error) {
        process.emitWarning((error as Error).message)
      }
    }
  }

  async function leave() {
    await recovery
    try {
      if (await isLast(keeper)) await shutDown(cluster)
    } catch {
      // The server ended first: there is nothing to disconnect.
    }
    await keeper.end().catch(() => {})
  }

  return { url: await urlOf(cluster, DATABASE), stop: () => (stopping ??= leave()) }
}

/** If two disconnect at once, one of them sees the other's lock gone: the server is always shut down. */
async function isLast(keeper: Client): Promise<boolean> {
  await keeper.query('select pg_advisory_unlock_shared($1)', [USERS_LOCK])
  const { rows } = await keeper.query('select pg_try_advisory_lock($1) as last', [USERS_LOCK])
  return rows[0].last
}

async function connectOrStart(cluster: string, timeout: number): Promise<Client> {
  let launched: Launch | undefined
  let retries = 0
  let heard = performance.now()
  for (;;) {
    const answer = await enter(cluster, Math.min(timeout, ANSWER_MS))
    if (answer instanceof Client) return answer
    if (answer === 'busy') heard = performance.now()
    else if (launched?.failure) {
      // Another process was faster, or processes of a killed server are still ending.
      const passing = /lock file .* (already exists|is empty)|shared memory block .* still in use/.test(launched.failure)
      if (!passing || ++retries > RETRIES) throw new Error(`The database in ${cluster} does not start: ${launched.failure}`)
      launched = undefined
      await sleep(100)
    } else if (performance.now() - heard > timeout) {
      throw new Error(`The database in ${cluster} does not answer: see ${cluster}.log.`)
    } else if (!launched) {
      launched = await launch(cluster)
      // The timeout starts anew with a launch; a server that was already running has no extra time.
      if (launched) heard = performance.now()
    }
    await sleep(10)
  }
}

/** A connection that counts as a user of the server, or the server's state: absent, or starting up or shutting down. */
async function enter(cluster: string, timeout: number): Promise<Client | 'absent' | 'busy'> {
  let client: Client | undefined
  try {
    const connectionString = await urlOf(cluster, 'postgres')
    client = new Client({ connectionString, connectionTimeoutMillis: timeout, application_name: 'goldmaster keeper' })
    // A broken connection also ends, and that is what we watch.
    client.on('error', () => {})
    await client.connect()
    await client.query('select pg_advisory_lock_shared($1)', [USERS_LOCK])
    await ensureDatabase(client)
    return client
  } catch (error) {
    client?.end().catch(() => {})
    const { code = '', syscall, message } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ECONNREFUSED' || message === 'timeout expired') return 'absent'
    if (code === 'EACCES' && syscall === 'connect')
      throw new Error(`The database in ${cluster} belongs to another user: run this as that user or as root.`)
    if (code.startsWith('57P') || code === 'ECONNRESET' || code === 'EPIPE' || message.startsWith('Connection terminated'))
      return 'busy'
    throw error
  }
}

async function ensureDatabase(client: Client): Promise<void> {
  const { rowCount } = await client.query('select from pg_database where datname = $1', [DATABASE])
  if (rowCount) return
  await client.query(`create database ${DATABASE}`).catch((error) => {
    // Another process that started with us created it.
    if (error.code !== '42P04' && error.code !== '23505') throw error
  })
}

const CAUSES: Record<string, string> = {
  EACCES: 'permission denied',
  EPERM: 'operation not permitted',
  EROFS: 'the file system is read-only',
  EEXIST: 'it is a file',
  ENOTDIR: 'a part of its path is a file',
  ENOENT: 'it cannot be made',
}

/** An error of the operating system, as one line about the folder. */
function explained(error: unknown, dataDir: string): unknown {
  const { code = '', syscall } = error as NodeJS.ErrnoException
  if (code === 'ENOSPC' || code === 'EDQUOT')
    return new Error(`The disk is full: there is no room for the database in ${dataDir}.`)
  if (!syscall || !(code in CAUSES)) return error
  return new Error(
    `The data folder ${dataDir} cannot be used (${CAUSES[code]}): make it writable, or set DATA_DIR to another one.`,
  )
}
