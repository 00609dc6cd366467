import { setMaxListeners } from 'node:events'
import type { Pool } from '../../db/database.ts'

/** Our own kind of advisory lock. */
const KIND = 0x706f7374

/** Which webhooks this process works for: held by a connection that ends with the process, so that others can take over at once. */
export interface Session {
  /** Those of the webhooks named that nobody else works for. */
  take(subscriptionIds: number[]): Promise<number[]>
  release(subscriptionId: number): Promise<void>
  /** Whatever is under way must be broken off: the connection is gone, and with it the right to go on, or time is up. */
  signal: AbortSignal
  breakOff(): void
  isLost(): boolean
  end(): void
}

export async function openLeases(db: Pool): Promise<Session> {
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
          [KIND, ids],
        )
      ).flatMap(({ id, mine }) => (mine ? [id] : [])),
    release: async (id) => void (await ask('select pg_advisory_unlock($1, $2)', [KIND, id])),
  }
}
