import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createDatabase, type TestDatabase } from '../../../test/support/database.ts'
import { openUnsteadyWay } from '../../../test/support/servers/unsteady.ts'
import { openStudio, type Studio } from '../../../test/support/studio.ts'
import { until } from '../../../test/support/until.ts'
import { openDatabase, type Pool, raw, sql } from '../../db/database.ts'
import { openReadiness } from './readiness.ts'

let own: TestDatabase
beforeAll(async () => {
  own = await createDatabase()
})
afterAll(() => own.drop())

async function withNode(db: Pool, work: (node: Studio) => Promise<void>) {
  const node = await openStudio({}, { beside: own, service: { db } })
  await work(node).finally(async () => {
    await node.close()
    await db.close()
  })
}
const readyOf = async (node: Studio) => {
  const { status, json } = await node.ask('/readyz')
  return [status, json.status]
}

test('a read-only database is not ready although it responds, and the metrics show it', async () => {
  const name = new pg.Client(own.url).database
  const setReadOnly = (mode: string) => own.db.execute(sql`alter database ${raw(`"${name}"`)} ${raw(mode)}`)
  // Its connections are opened with the first query, when the database is already read-only.
  await withNode(openDatabase(own.url), async (node) => {
    await setReadOnly('set default_transaction_read_only = on')
    expect(await readyOf(node)).toEqual([503, 'unavailable'])
    expect((await node.ask('/metrics')).text).toContain('goldmaster_database_writable 0')
    await setReadOnly('reset default_transaction_read_only')
  })
  await withNode(openDatabase(own.url), async (node) => {
    await until(async () => (await node.ask('/readyz')).status === 200)
    expect(await readyOf(node)).toEqual([200, 'ready'])
    expect((await node.ask('/metrics')).text).toContain('goldmaster_database_writable 1')
  })
})

test('a database that stops responding is not ready until it responds again', async () => {
  const way = await openUnsteadyWay(own.db.url)
  try {
    await withNode(openDatabase(way.url, { statementTimeout: 3_000, connectTimeout: 3_000 }), async (node) => {
      await until(async () => (await node.ask('/readyz')).status === 200)
      way.become('silent')
      await until(async () => (await node.ask('/readyz')).status === 503)
      way.become('good')
      await until(async () => (await node.ask('/readyz')).status === 200)
    })
  } finally {
    way.close()
  }
})

describe('the probe', () => {
  /** Longer than a busy machine takes to respond. */
  const PATIENT_MS = 60_000
  /** A database whose write ends when the test says so. */
  const hanging = (db: Pool) => {
    const asked: (() => void)[] = []
    let hangs = false
    const one = (async (query: never) => {
      if (hangs) await new Promise<void>((resolve) => asked.push(resolve))
      return db.one(query)
    }) as Pool['one']
    return {
      db: { ...db, one },
      asked,
      hang(now: boolean) {
        hangs = now
        if (!now) for (const go of asked.splice(0)) go()
      },
    }
  }

  test('runs once for concurrent callers, and not again within a second', async () => {
    let now = 0
    let asked = 0
    const one = (async (query: never) => {
      asked++
      return own.db.one(query)
    }) as Pool['one']
    const readiness = openReadiness({ ...own.db, one }, () => now, PATIENT_MS)
    expect(await Promise.all(Array.from({ length: 200 }, () => readiness.ready()))).toEqual(Array(200).fill(true))
    now = 999
    await readiness.ready()
    expect(asked).toBe(1)
    now = 1_000
    await readiness.ready()
    expect(asked).toBe(2)
  })

  test('that hangs ends readiness after ten seconds, not at once, and nobody waits for it longer than two', async () => {
    let now = 0
    const stuck = hanging(own.db)
    const readiness = openReadiness(stuck.db, () => now, 10)
    await until(() => readiness.ready())
    stuck.hang(true)
    now = 5_000
    expect(await readiness.ready()).toBe(true)
    now = 10_001
    expect(await readiness.ready()).toBe(false)
    expect(stuck.asked).toHaveLength(1)
    stuck.hang(false)
    await until(() => {
      now += 1_000
      return readiness.ready()
    })
  })

  test('does not detect every full disk: failed writes of others count for ten seconds', async () => {
    let now = 0
    const readiness = openReadiness(own.db, () => now, PATIENT_MS)
    expect(await readiness.ready()).toBe(true)
    readiness.note(Object.assign(new Error('could not extend file: No space left on device'), { code: '53100' }))
    readiness.note(new Error('something else'))
    now = 10_000
    expect(await readiness.ready()).toBe(false)
    now = 10_001
    expect(await readiness.ready()).toBe(true)
  })
})
