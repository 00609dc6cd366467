import type { EventEmitter } from 'node:events'
import type { Socket } from 'node:net'
import type pg from 'pg'
import type { PatientPool } from './patience.ts'
import { PROBE_MS, reach } from './probe.ts'

/** Internals of the driver's connection. */
interface Wire {
  connection: EventEmitter & { stream: Socket }
  readyForQuery: boolean
}

interface Watched {
  /** Milliseconds from sending a query to its response; 0: unlimited. */
  deadline: number
  /** Whether there was a query since the last heartbeat. */
  active: boolean
}

const HEARTBEAT_MS = 5_000
/** How much longer a busy processor may take than a silent database. */
const LONGER_MS = 2_000

const states = new WeakMap<pg.PoolClient, Watched>()

/**
 * Destroys every connection of a pool that leaves a query unanswered for longer than PostgreSQL itself would allow: the network dropped the
 * response, and TCP may not notice for many minutes. Idle connections get a heartbeat, or those held for their session (a lock, LISTEN)
 * would never notice; their holder is informed by the client's `error` event.
 */
export function watchPool(
  pool: pg.Pool,
  deadline: number,
  patience: Pick<PatientPool, 'answers' | 'leaveAll'>,
): { stop(): void } {
  const clients = new Set<pg.PoolClient>()
  pool.on('connect', (client) => {
    watchConnection(client, deadline, patience)
    clients.add(client)
    client.once('end', () => clients.delete(client))
  })
  const timer = setInterval(() => clients.forEach(beat), HEARTBEAT_MS).unref()
  return { stop: () => clearInterval(timer) }
}

/**
 * Connections that must not be reused: their server refused a write, so it was demoted and a new connection may reach its successor; or one
 * of their prepared statements returns a column whose type was changed, and fails until it is prepared again.
 */
export function watchSpent(pool: pg.Pool): WeakSet<pg.PoolClient> {
  const spent = new WeakSet<pg.PoolClient>()
  pool.on('connect', (client) =>
    (client as unknown as Wire).connection.on('errorMessage', (error: { code?: string; routine?: string }) => {
      if (error.code === '25006' || isOutdatedPlan(error)) spent.add(client)
    }),
  )
  return spent
}

/** By the routine of the error: its code is shared by everything that PostgreSQL does not support. */
export const isOutdatedPlan = (error: unknown): boolean => (error as { routine?: string }).routine === 'RevalidateCachedQuery'

/** For work that is known to take longer; the holder of the connection resets it. */
export function setDeadline(client: pg.PoolClient, deadline: number) {
  states.get(client)!.deadline = deadline
}

function watchConnection(
  client: pg.PoolClient,
  deadline: number,
  { answers, leaveAll }: Pick<PatientPool, 'answers' | 'leaveAll'>,
) {
  const wire = client as unknown as Wire
  const state: Watched = { deadline, active: true }
  states.set(client, state)
  let timer: NodeJS.Timeout | undefined
  const disarm = () => {
    clearTimeout(timer)
    timer = undefined
  }
  /** It has longer if this process was late itself, or if the database answers others: then a processor is busy. */
  const suspect = async (mine: NodeJS.Timeout, due: number) => {
    const isOpen = () => timer === mine
    const answering = answers()
    const isLate = await reach(due)
    const mayBeBusy = isLate || (await answering)
    if (isOpen() && mayBeBusy) await reach(due + LONGER_MS)
    if (!isOpen()) return
    wire.connection.stream.destroy()
    if (!mayBeBusy || !(await answers())) leaveAll(new Error('Connection terminated: the database is silent'))
  }
  const arm = () => {
    if (timer !== undefined || state.deadline === 0) return
    const due = performance.now() + state.deadline
    const mine = setTimeout(() => void suspect(mine, due), Math.max(0, state.deadline - PROBE_MS)).unref()
    timer = mine
  }
  const query = client.query as (...given: unknown[]) => unknown
  client.query = ((...given: unknown[]) => {
    state.active = true
    arm()
    return query.apply(client, given)
  }) as typeof client.query
  // The client handled it before and may have sent its next query.
  wire.connection.on('readyForQuery', () => {
    disarm()
    if (!wire.readyForQuery) arm()
  })
  client.once('end', disarm)
}

/** Not within a transaction: PostgreSQL should end idle ones. */
function beat(client: pg.PoolClient) {
  const state = states.get(client)!
  const quiet = !state.active && (client as unknown as Wire).readyForQuery
  state.active = false
  if (quiet && client.getTransactionStatus() === 'I') client.query('select 1').catch(() => {})
}
