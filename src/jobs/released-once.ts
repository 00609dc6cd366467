import type pg from 'pg'

/**
 * The queue's library gives the connection it listens on back twice when that is lost while the worker stops, and the error of the
 * second time, which nobody catches, would end the process. Here the second time does nothing.
 */
export const releasedOnce = (pool: pg.Pool): pg.Pool =>
  new Proxy(pool, {
    get(target, name) {
      if (name === 'connect') return (connected?: Connected) => (connected ? connect(target, connected) : target.connect())
      const value: unknown = Reflect.get(target, name, target)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })

type Connected = Parameters<pg.Pool['connect']>[0]

const connect = (pool: pg.Pool, connected: Connected) =>
  pool.connect((error, client, release) => {
    let released = false
    connected(error, client, (reason) => {
      if (released) return
      released = true
      release(reason)
    })
  })
