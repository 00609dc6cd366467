import pg from 'pg'
import sql, { type Sql } from 'sql-template-tag'
import { SilentServers } from './distributed/silent-servers.ts'
import { type Distributed, readDistribution } from './distributed/statement.ts'
import { addressOf } from './hosts.ts'
import { openPatientPool } from './patience.ts'
import { types } from './types.ts'
import { isOutdatedPlan, setDeadline, watchPool, watchSpent } from './watchdog.ts'

export { default as sql, empty, join, raw, Sql } from 'sql-template-tag'

/** Statements are prepared once with a generic plan; `unprepared` is for those with values in their text. */
export interface How {
  unprepared?: boolean
  /** The only account that the statement is about, for several servers; see `ofAccount`. */
  account?: number
  /** It reads rows of all accounts: while one of several servers is down, those of the others. */
  across?: boolean
}

/** Rows, one row, one value, a transaction: the database interface of the rest of the code. */
export interface Database {
  rows<Row>(query: Sql, how?: How): Promise<Row[]>
  /** The first row, if there is one. */
  one<Row>(query: Sql, how?: How): Promise<Row | undefined>
  /** How many rows a statement changed. */
  execute(query: Sql, how?: How): Promise<number>
  /** Everything inside happens or nothing does; inside a transaction it joins that one. */
  transaction<T>(work: (db: Database) => Promise<T>, limits?: Limits): Promise<T>
  /** The store for large values outside of their rows, if configured. */
  readonly objects?: ObjectStore | undefined
  /** The store for files. */
  readonly files?: FileStore | undefined
  /** The rows of accounts are on several servers: a statement that knows its account by a value is sent to one of them. */
  isDistributed(): Promise<boolean>
  /** What is kept for a database is kept by this: it is the same however often the database was limited to an account. */
  readonly origin: object
}

/** Bytes by a key, outside of the database; see domain/objects. */
export interface ObjectStore {
  put(key: string, bytes: Buffer, signal?: AbortSignal): Promise<void>
  /** The stored value of the given length; undefined if missing. */
  get(key: string, length: number): Promise<Buffer | undefined>
  remove(key: string, signal?: AbortSignal): Promise<void>
  /** Requests of this process since its start. */
  readonly counts: { ok: Record<string, number>; failed: Record<string, number>; bytesPut: number }
}

/** Files by a key; see domain/files. */
export interface FileStore {
  /** The file is complete and on disk when it returns; one with the same key is replaced. */
  put(key: string, bytes: Buffer): Promise<void>
  /** Bytes from one offset to before another; undefined if the file is missing. */
  read(key: string, start: number, end: number): Promise<Buffer | undefined>
  remove(key: string): Promise<void>
  /** Removes what interrupted uploads left. */
  sweep(): Promise<void>
}

/** Stores outside of the database. */
interface Stores {
  objects?: ObjectStore | undefined
  files?: FileStore | undefined
}

/** Timeouts in milliseconds for each statement of a transaction, if they differ from those of its pool. */
interface Limits {
  /** Waiting for a lock of another session. */
  lockTimeout?: number
  /** In total; 0: unlimited. */
  statementTimeout?: number
}

export interface Pool extends Database {
  readonly pool: pg.Pool
  readonly url: string
  /** Sequential statements on the same connection. */
  onOneConnection<T>(work: (db: Database) => Promise<T>): Promise<T>
  close(): Promise<void>
}

// A statement is prepared once per connection under a name derived from its text. Filters, event types and page sizes make a million forms
// of the feed alone, and PostgreSQL uses up to half a megabyte for each: both sides drop them when there are too many.
const NAMES_MAX = 1_000
const STATEMENTS_MAX = 250
const names = new Map<string, string>()
let named = 0
const nameOf = (text: string) => names.get(text) ?? newName(text)
const newName = (text: string) => {
  if (names.size >= NAMES_MAX) names.clear()
  const name = `s${named++}`
  names.set(text, name)
  return name
}
const isFull = (client: pg.PoolClient) =>
  Object.keys((client as unknown as { connection: { parsedStatements: object } }).connection.parsedStatements).length >=
  STATEMENTS_MAX

/** What the first connection found out. */
interface State {
  isKnown: boolean
  /** Undefined on one server. */
  distributed: Distributed | undefined
  silent: SilentServers
}

/** A transaction with its connection. */
type Transact = <T>(work: (db: Database, client: pg.PoolClient) => Promise<T>, limits?: Limits) => Promise<T>

const findOut = async (client: pg.Pool | pg.PoolClient, { isKnown }: State) => {
  if (!isKnown && client instanceof pg.Pool) (await client.connect()).release()
}

const run = async (
  client: pg.Pool | pg.PoolClient,
  transaction: Transact,
  query: Sql,
  state: State,
  timeOf: TimeOf,
  how: How = {},
): Promise<pg.QueryResult> => {
  const { text, values } = query
  if (!state.isKnown) await findOut(client, state)
  const { distributed } = state
  if (distributed) {
    const statement = await distributed.formOf(text, values, how.account, timeOf)
    await state.silent.refuse(statement.account)
    const ask = async (on: pg.Pool | pg.PoolClient) => {
      try {
        return await on.query({ text: await distributed.textOf(statement, on), types })
      } catch (error) {
        if (isTooSlow(error) || isConnectionError(error)) void state.silent.suspect(statement.account)
        throw error
      }
    }
    const reachable = async () =>
      client.query({ text: await distributed.reachableOf(text, values, client as pg.Pool, state.silent.groups), types })
    if (!(client instanceof pg.Pool)) return ask(client)
    if (statement.steps) return transaction((_, one) => ask(one))
    if (!how.across) return ask(client)
    if (state.silent.groups.length > 0) return reachable()
    return ask(client).catch((error) => {
      if (!isConnectionError(error)) throw error
      return reachable()
    })
  }
  return client.query(how.unprepared ? { text, values, types } : { name: nameOf(text), text, values, types })
}

type TimeOf = (time: string) => Promise<string>

/** Within a transaction the time is always the same, but for that of the clock. */
const timeOn = (client: pg.Pool | pg.PoolClient): TimeOf => {
  const asked = new Map<string, Promise<string>>()
  const ask = async (time: string) => (await client.query<{ time: string }>(`select (${time})::text as time`)).rows[0]!.time
  return (time) => {
    const answer = asked.get(time) ?? ask(time)
    if (!(client instanceof pg.Pool) && !time.startsWith('clock_')) asked.set(time, answer)
    return answer
  }
}

const over = (
  client: pg.Pool | pg.PoolClient,
  transaction: Transact,
  { objects, files }: Stores,
  state: State,
  timeOf = timeOn(client),
): Database => ({
  rows: async <Row>(query: Sql, how?: How) => (await run(client, transaction, query, state, timeOf, how)).rows as Row[],
  one: async <Row>(query: Sql, how?: How) =>
    (await run(client, transaction, query, state, timeOf, how)).rows[0] as Row | undefined,
  execute: async (query, how) => (await run(client, transaction, query, state, timeOf, how)).rowCount ?? 0,
  transaction,
  objects,
  files,
  async isDistributed() {
    await findOut(client, state)
    return state.distributed !== undefined
  },
  origin: state,
})

/** Every statement is about this account: on several servers each is sent to the one that stores it. */
export function ofAccount<D extends Database | Pool>(db: D, account: number | null | undefined): D {
  if (account == null) return db
  return {
    ...db,
    rows: (query: Sql, how?: How) => db.rows(query, { account, ...how }),
    one: (query: Sql, how?: How) => db.one(query, { account, ...how }),
    execute: (query: Sql, how?: How) => db.execute(query, { account, ...how }),
    transaction: <T>(work: (db: Database) => Promise<T>, limits?: Limits) =>
      db.transaction((inner) => work(ofAccount(inner, account)), limits),
  }
}

interface PoolSettings extends Stores {
  max?: number
  /** PostgreSQL's statement timeout in milliseconds. */
  statementTimeout?: number
  /** Milliseconds to wait for a connection. */
  connectTimeout?: number
  /** What it does not answer in time is asked elsewhere. */
  impatient?: boolean
  /** The URL is that of a pooler in transaction mode: most settings are defaults of the role, see pooler.ts. */
  pooled?: boolean
  /** Checks every new connection; if it throws, the connection is not used. */
  verify?: (db: Database) => Promise<void>
  onError?: (error: Error) => void
}

export const CONNECT_MS = 4_000
/** How much later than PostgreSQL we give up on a statement: its own error is better. */
export const GRACE_MS = 500
const deadlineOf = (statementTimeout: number) => (statementTimeout === 0 ? 0 : statementTimeout + GRACE_MS)

/** The server's side of a connection: locks and other resources of a vanished node are free within half a minute instead of hours. */
const KEEPALIVE = '-c tcp_keepalives_idle=10 -c tcp_keepalives_interval=5 -c tcp_keepalives_count=3'

const UTC = '-c timezone=UTC'

/** With rows on several servers the values of a statement decide which server it is sent to: a generic plan does not know them. */
const PLAN_BY_VALUES = `select set_config('plan_cache_mode', 'auto', false) where to_regclass('pg_dist_partition') is not null`

export function openDatabase(url: string, settings: PoolSettings = {}): Pool {
  const { max = 16, statementTimeout = 10_000, connectTimeout = CONNECT_MS, impatient = false } = settings
  const { pooled = false, verify, onError } = settings
  const silent = new SilentServers(url, (server) => onError?.(new Error(`the worker ${server} of the cluster does not respond`)))
  const state: State = { isKnown: pooled, distributed: undefined, silent }
  const { pool, answers, leaveAll } = openPatientPool(
    url,
    {
      ...addressOf(url),
      max,
      idleTimeoutMillis: 30_000,
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
      application_name: 'goldmaster',
      verify: (client, done) => void begin(client).then(() => done(), done),
      // A generic plan, made once: planning costs several times as much as running, and JIT compilation takes seconds.
      options: pooled
        ? UTC
        : `${UTC} -c plan_cache_mode=force_generic_plan -c jit=off -c statement_timeout=${statementTimeout} -c idle_in_transaction_session_timeout=60000 ${KEEPALIVE}`,
    },
    { connectTimeout, impatient },
  )
  const begin = async (client: pg.PoolClient) => {
    if (!pooled && (await client.query(PLAN_BY_VALUES)).rowCount === 1) state.distributed ??= await readDistribution(client)
    state.isKnown = true
    await verify?.(nested(client))
  }
  /** A nested transaction joins the outer one. */
  const nested = (client: pg.PoolClient, timeOf = timeOn(client)): Database =>
    over(client, (work) => work(nested(client, timeOf), client), settings, state, timeOf)
  // Without a listener a restart of PostgreSQL would end this process.
  const lost = (error: Error) => onError?.(error)
  pool.on('error', lost)
  pool.on('connect', (client) => client.on('error', lost))
  const spent = watchSpent(pool)
  const watchdog = watchPool(pool, deadlineOf(statementTimeout), { answers, leaveAll })
  // The pool keeps no closing connection.
  pool.on('release', (_, client) => {
    if (isFull(client) || spent.has(client)) void client.end()
  })
  const transaction: Transact = async (work, limits = {}) => {
    const client = await pool.connect()
    let broken: Error | undefined
    try {
      if (limits.statementTimeout !== undefined) setDeadline(client, deadlineOf(limits.statementTimeout))
      await client.query(beginning(limits))
      const result = await work(nested(client), client)
      await client.query('commit')
      return result
    } catch (error) {
      if (isConnectionError(error)) broken = error as Error
      else
        await client.query('rollback').catch((unheard: Error) => {
          broken = unheard
        })
      throw error
    } finally {
      setDeadline(client, deadlineOf(statementTimeout))
      // PostgreSQL rolls back a closed connection's transaction.
      client.release(broken)
    }
  }
  const onOneConnection = async <T>(work: (db: Database) => Promise<T>): Promise<T> => {
    const client = await pool.connect()
    let broken: Error | undefined
    try {
      return await work(nested(client))
    } catch (error) {
      broken = error as Error
      throw error
    } finally {
      client.release(broken)
    }
  }
  const close = async () => {
    await pool.end()
    watchdog.stop()
  }
  return { ...over(pool, transaction, settings, state), pool, url, onOneConnection, close }
}

const beginning = ({ lockTimeout, statementTimeout }: Limits) =>
  [
    'begin',
    ...(lockTimeout === undefined ? [] : [`set local lock_timeout = ${lockTimeout}`]),
    ...(statementTimeout === undefined ? [] : [`set local statement_timeout = ${statementTimeout}`]),
  ].join('; ')

const AWAY = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOENT',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  '57P01',
  '57P02',
  '57P03',
  '53300',
])

/** Whether an error means that PostgreSQL is unreachable rather than that the statement was wrong. */
export function isConnectionError(error: unknown): boolean {
  const { code, message } = error as { code?: string; message?: string }
  // Citus has no code for a server that it lost in the middle of a transaction.
  if (code !== undefined) return AWAY.has(code) || code.startsWith('08') || /^failure on connection marked as/.test(message ?? '')
  return /Connection terminated|timeout expired|timeout exceeded when trying to connect|Client has encountered a connection error/.test(
    message ?? '',
  )
}

export const isDeadlock = (error: unknown): boolean => (error as { code?: string }).code === '40P01'

/** Whether PostgreSQL canceled a statement for its timeout. */
export const isTooSlow = (error: unknown): boolean => (error as { code?: string }).code === '57014'

/** Whether another session held a lock for too long, or both waited for each other. */
export const isContended = (error: unknown): boolean =>
  ['40P01', '40001', '55P03'].includes((error as { code?: string }).code ?? '')

/** Whether PostgreSQL failed for a transient reason: timeout, deadlock, disk full, read-only, a table that has just changed. */
export const isTransient = (error: unknown): boolean =>
  isOutdatedPlan(error) ||
  ['57014', '40P01', '40001', '55P03', '53100', '53200', '25006', '25P03'].includes((error as { code?: string }).code ?? '')

/** Whether PostgreSQL cannot store a value: a number or time out of range, NUL or a lone surrogate, a text too long for its index. */
export const isUnstorable = (error: unknown): boolean =>
  ['22003', '22008', '22015', '22021', '22P05', '54000'].includes((error as { code?: string }).code ?? '')

export const isUniqueViolation = (error: unknown, constraint?: string): boolean => {
  const { code, constraint: name = nameInMessage(error) } = error as { code?: string; constraint?: string }
  return code === '23505' && (constraint === undefined || name === constraint)
}

/** Citus passes on only the message of a server, with the constraint of a part of the table: `deliveries_once_102009`. */
const nameInMessage = (error: unknown) => /"(\w+)_\d+"/.exec((error as Error).message)?.[1]

/** The next ids of a table, in order: for rows whose id must be known before they are written. */
export const reserveIds = async (db: Database, table: string, count: number): Promise<number[]> => {
  const rows = await db.rows<{ id: number }>(
    sql`select nextval(pg_get_serial_sequence(${table}, 'id'))::bigint as id from generate_series(1, ${count}::integer)`,
  )
  return rows.map(({ id }) => id)
}

export const reserveId = async (db: Database, table: string): Promise<number> => (await reserveIds(db, table, 1))[0]!
