import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import type { Logger } from 'pino'
import { backOff } from '../contract/back-off.ts'
import { openClient } from './hosts.ts'

export type MigrationLog = Pick<Logger, 'info' | 'warn'>

/** Requests queue behind a statement that waits for a table lock: it gives up before they become noticeably slow. */
const LOCK_TIMEOUT_MS = 400
const FIRST_PAUSE_MS = 250
const LONGEST_PAUSE_MS = 10_000
const REPORT_EVERY_MS = 10_000
const POLL_MS = 250
const LOCK_KEY = 7_163_520_418

/** The right to change the schema, and its connection. */
export interface MigrationSession {
  client: pg.Client
  /** One transaction that waits for locks only briefly and is retried, with back-off, until it gets them. */
  transaction<T>(name: string, work: (client: pg.Client) => Promise<T>): Promise<T>
  /** One statement outside a transaction, of a kind that blocks nobody while it waits. */
  concurrently(name: string, statement: string): Promise<void>
  end(): Promise<void>
}

/**
 * One node migrates at a time. The lock belongs to an open transaction of a second connection, which also works through a pooler in
 * transaction mode. It is polled: a session that waits inside PostgreSQL holds a snapshot, for which a concurrent index build of the lock's
 * owner would wait in turn.
 */
export async function openMigrationSession(url: string, log: MigrationLog): Promise<MigrationSession> {
  const connect = async () => {
    const client = openClient(url, {
      connectionTimeoutMillis: 10_000,
      application_name: 'goldmaster migrate',
    })
    // Its statements fail too; without a listener a lost connection would end the process.
    client.on('error', () => {})
    await client.connect()
    return client
  }
  const guard = await connect()
  const client = await connect().catch(async (error) => {
    await guard.end()
    throw error
  })
  const end = async () => {
    await Promise.allSettled([client.end(), guard.end()])
  }
  let lost = false
  guard.on('end', () => {
    lost = true
  })

  let reported = 0
  const report = (name: string, blockers: Blocker[], message: string) => {
    if (blockers.length === 0 || performance.now() < reported) return
    reported = performance.now() + REPORT_EVERY_MS
    log.warn({ migration: name, blockers }, message)
  }

  /** Retries while the work fails because it could not get a lock. */
  const retry = async <T>(name: string, work: () => Promise<T>): Promise<T> => {
    for (let failures = 1; ; failures++) {
      if (lost)
        throw Object.assign(new Error('The connection that holds the migration lock was lost: start again.'), { code: '08006' })
      const looking = new AbortController()
      const blockers = sleep(LOCK_TIMEOUT_MS / 2, undefined, { signal: looking.signal }).then(
        () => blockersOf(guard, client),
        () => [],
      )
      try {
        return await work()
      } catch (error) {
        if (!isLockFailure(error)) throw error
        report(name, await blockers, 'the schema change is waiting for a table in use; retrying')
        await sleep(backOff(failures, { first: FIRST_PAUSE_MS, longest: LONGEST_PAUSE_MS }))
      } finally {
        looking.abort()
      }
    }
  }

  try {
    // Behind a pooler, session settings would affect other sessions.
    if (!(await isPooled(client))) await client.query('set statement_timeout = 0')
    for (let logged = false; !(await tryLock(guard)); logged = true, await sleep(POLL_MS))
      if (!logged) log.info('another node is migrating the database; waiting')
    return {
      client,
      end,
      transaction: (name, work) =>
        retry(name, async () => {
          await client.query(`begin; set local lock_timeout = ${LOCK_TIMEOUT_MS}; set local statement_timeout = 0`)
          try {
            const result = await work(client)
            await client.query('commit')
            return result
          } catch (error) {
            await client.query('rollback').catch(() => {})
            throw error
          }
        }),
      async concurrently(name, statement) {
        const timer = setInterval(async () => {
          report(name, await blockersOf(guard, client), 'an index build is waiting for older transactions')
        }, REPORT_EVERY_MS / 4)
        await client.query(statement).finally(() => clearInterval(timer))
      },
    }
  } catch (error) {
    await end()
    throw error
  }
}

const isLockFailure = (error: unknown) => ['55P03', '40P01'].includes((error as { code?: string }).code ?? '')

/** A pooler invents the process id that a client gets. */
async function isPooled(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
  return rows[0]!.pid !== (client as unknown as { processID: number }).processID
}

// The guard's statements have their values in their text: a statement with parameters leaves an open portal, whose snapshot a concurrent
// index build would wait for until the guard's transaction ends.
async function tryLock(guard: pg.Client): Promise<boolean> {
  await guard.query('begin; set local idle_in_transaction_session_timeout = 0; set local statement_timeout = 0')
  const { rows } = await guard.query<{ mine: boolean }>(`select pg_try_advisory_xact_lock(${LOCK_KEY}) as mine`)
  if (rows[0]!.mine) return true
  await guard.query('rollback')
  return false
}

interface Blocker {
  pid: number
  application: string
  state: string | null
  seconds: number
}

/** The sessions that the migration waits for; unknown behind a pooler. */
async function blockersOf(guard: pg.Client, client: pg.Client): Promise<Blocker[]> {
  try {
    const { processID } = client as unknown as { processID: number }
    await guard.query('select pg_stat_clear_snapshot()')
    const { rows } = await guard.query<Blocker>(
      `select pid, application_name as application, state, extract(epoch from now() - xact_start)::integer as seconds
       from pg_stat_activity where pid = any(pg_blocking_pids(${processID}))`,
    )
    return rows
  } catch {
    return []
  }
}
