import pg from 'pg'
import { serviceBusy } from '../contract/errors.ts'
import { openProbe } from './probe.ts'

/** How long a request waits for a connection while the database answers others. */
const PATIENCE_MS = 15_000
/** It answered so recently that it is not away: our own processor, or its, is busy. */
const RECENT_MS = 2_000
const CONNECTIONS_IN_USE = 'timeout exceeded when trying to connect'
const NO_CONNECTION = /timeout expired|Connection terminated due to connection timeout/

export interface PatientPool {
  pool: pg.Pool
  /** Whether the database answers, on a connection of this pool or another one. */
  answers(): Promise<boolean>
  /** The database is silent: fail everything that waits for a connection now. */
  leaveAll(error: Error): void
}

/**
 * A pool that tells a silent database, which is found out soon, from one that is busy: then waiting helps. An impatient one takes a busy
 * database for a silent one.
 */
export function openPatientPool(
  url: string,
  config: pg.PoolConfig & { Client: typeof pg.Client },
  { connectTimeout, impatient }: { connectTimeout: number; impatient: boolean },
): PatientPool {
  const patience = impatient ? connectTimeout : PATIENCE_MS
  class Client extends (config.Client as new (given?: pg.ClientConfig) => pg.Client) {
    constructor(given?: pg.ClientConfig) {
      super({ ...given, connectionTimeoutMillis: connectTimeout })
    }
  }
  const pool = new pg.Pool({ ...config, Client, connectionTimeoutMillis: patience } as pg.PoolConfig)
  let answeredAt = Number.NEGATIVE_INFINITY
  pool.on('connect', (client) =>
    (client as unknown as { connection: NodeJS.EventEmitter }).connection.on('readyForQuery', () => {
      answeredAt = performance.now()
    }),
  )
  const probe = openProbe(url)
  const answers = async () => !impatient && (performance.now() - answeredAt < RECENT_MS || probe())
  const waiting = new Set<(error: Error) => void>()
  const leaveAll = (error: Error) => {
    for (const leave of waiting) leave(error)
  }

  const connectOnce = pool.connect.bind(pool) as () => Promise<pg.PoolClient>
  /** A busy database takes longer to accept a connection than a silent one has. */
  const connectInTime = async (until: number): Promise<pg.PoolClient> => {
    try {
      return await connectOnce()
    } catch (error) {
      const { message } = error as Error
      if (message === CONNECTIONS_IN_USE) throw serviceBusy()
      if (!NO_CONNECTION.test(message)) throw error
      if (!(await answers())) {
        leaveAll(error as Error)
        throw error
      }
      if (performance.now() > until) throw serviceBusy()
      return connectInTime(until)
    }
  }
  const patient = async (): Promise<pg.PoolClient> => {
    const { promise: silence, reject: leave } = withReject()
    waiting.add(leave)
    const connecting = connectInTime(performance.now() + patience - connectTimeout)
    try {
      return await Promise.race([connecting, silence])
    } catch (error) {
      connecting.then(
        (client) => client.release(),
        () => {},
      )
      throw error
    } finally {
      waiting.delete(leave)
    }
  }
  type Done = (error: Error | undefined, client: pg.PoolClient | undefined, release: () => void) => void
  const connect = (done?: Done) => {
    const client = patient()
    if (done === undefined) return client
    client.then(
      (client) => done(undefined, client, () => client.release()),
      (error: Error) => done(error, undefined, () => {}),
    )
  }
  pool.connect = connect as typeof pool.connect
  return { pool, answers, leaveAll }
}

function withReject() {
  let reject!: (error: Error) => void
  const promise = new Promise<never>((_, fail) => {
    reject = fail
  })
  promise.catch(() => {})
  return { promise, reject }
}
