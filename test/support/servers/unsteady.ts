import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'

/** How a network behaves: normal, slow, silent, or disconnecting. */
export type Mood = 'good' | 'slow' | 'silent' | 'hangs up'

/** A proxy to PostgreSQL whose behavior can be changed at any time, also for open connections. */
export async function openUnsteadyWay(databaseUrl: string, delay = 100) {
  const { host, port, user, database } = new pg.Client(databaseUrl)
  const callers = new Set<Socket>()
  let mood: Mood = 'good'
  let vanished = new Set<Socket>()
  const carry = (from: Socket, to: Socket, near: Socket) => {
    let before: Promise<unknown> = Promise.resolve()
    from.on('data', (bytes) => {
      const came = vanished.has(near) ? 'silent' : mood
      // In sequence, or slow bytes would be overtaken.
      before = before.then(async () => {
        if (came === 'slow') await sleep(delay)
        if (came !== 'silent' && !to.destroyed) to.write(bytes)
      })
    })
    from.on('error', () => {}).on('close', () => to.destroy())
  }
  const server = createServer((near) => {
    if (mood === 'hangs up') return near.resetAndDestroy()
    const far = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host)
    callers.add(near.on('close', () => callers.delete(near)))
    carry(near, far, near)
    carry(far, near, near)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `postgres://${user}@127.0.0.1:${(server.address() as AddressInfo).port}/${database}?sslmode=disable`,
    become(next: Mood) {
      mood = next
      if (mood === 'hangs up') for (const caller of callers) caller.resetAndDestroy()
    },
    /** The machine of the open connections vanishes silently; new connections reach another one. */
    vanish() {
      vanished = new Set(callers)
    },
    close() {
      server.close()
      for (const caller of callers) caller.destroy()
    },
  }
}
