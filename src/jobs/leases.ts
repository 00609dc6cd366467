import { setMaxListeners } from 'node:events'
import type { Pool } from '../db/database.ts'

/** Which queues this process works off: held by a connection that ends with the process, so that others can take over at once. */
export interface Session {
  /** Those of the queues named that nobody else works off. */
  take(ids: number[]): Promise<number[]>
  release(id: number): Promise<void>
  /** Whatever is under way must be broken off: the connection is gone, and with it the right to go on, or time is up. */
  signal: AbortSignal
  breakOff(): void
  isLost(): boolean
  end(): void
}

export async function openLeases(db: Pool, kind: number): Promise<Session> {
  const client = await db.pool.connect()
  const control = new AbortController()
  // Every message under way listens.
  setMaxListeners(0, control.signal)
  let lost = false
  const end = () => {
    if (lost) return
    lost = true
    control.abort()
    client.release(true)
  }
  client.on('error', end)
  // One question at a time: a connection answers in turn anyway.
  let before: Promise<unknown> = Promise.resolve()
  const ask = <Row extends object>(text: string, values: unknown[]): Promise<Row[]> => {
    const answer = before.then(() => client.query<Row>(text, values)).then(({ rows }) => rows)
    before = answer.catch(end)
    return answer
  }
  // What a vanished machine held is free within a minute; by default the server would wait for hours.
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
