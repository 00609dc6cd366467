import { setMaxListeners } from 'node:events'
import type { Pool } from '../db/database.ts'

/** The queues of this process: locked by a connection that ends with the process, so that others can take over at once. */
export interface Session {
  /** The given queues that no other process has. */
  take(ids: number[]): Promise<number[]>
  release(id: number): Promise<void>
  /** Aborts running work: the connection, and with it the lock, is lost, or the time to stop is up. */
  signal: AbortSignal
  breakOff(): void
  isLost(): boolean
  end(): void
}

export async function openLeases(db: Pool, kind: number): Promise<Session> {
  const client = await db.pool.connect()
  const control = new AbortController()
  // Every running message listens.
  setMaxListeners(0, control.signal)
  let lost = false
  const end = () => {
    if (lost) return
    lost = true
    control.abort()
    client.release(true)
  }
  client.on('error', end)
  // One statement at a time: a connection runs them in sequence anyway.
  let before: Promise<unknown> = Promise.resolve()
  const ask = <Row extends object>(text: string, values: unknown[]): Promise<Row[]> => {
    const answer = before.then(() => client.query<Row>(text, values)).then(({ rows }) => rows)
    before = answer.catch(end)
    return answer
  }
  // Locks of a vanished machine are free within a minute; by default the server would wait for hours.
  await ask("select set_config('tcp_keepalives_idle', '10', false), set_config('tcp_keepalives_interval', '5', false)", [])
  return {
    signal: control.signal,
    breakOff: () => control.abort(),
    isLost: () => lost,
    end,
    take: async (ids) =>
      (
        await ask<{ id: number; mine: boolean }>(
          'select id, pg_try_advisory_lock($1, id) as mine from unnest($2::integer[]) id',
          [kind, ids],
        )
      ).flatMap(({ id, mine }) => (mine ? [id] : [])),
    release: async (id) => void (await ask('select pg_advisory_unlock($1, $2)', [kind, id])),
  }
}
