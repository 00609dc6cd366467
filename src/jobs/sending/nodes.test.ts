import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { openUnsteadyWay } from '../../../test/support/servers/unsteady.ts'
import { firsts, openPostRoom } from '../../../test/support/studios/post-room.ts'
import { until } from '../../../test/support/until.ts'
import { openDatabase, sql } from '../../db/database.ts'

const { studio, receiver, task, tasks, pump, pool, subscribe, titles, settled } = openPostRoom()

test('nodes that start and stop lose nothing, repeat nothing that was recorded, and keep the order', async () => {
  const webhooks = await Promise.all(['a', 'b', 'c'].map((path) => subscribe({ url: receiver().url + path })))
  const nodes = [studio().db, pool(), pool()]
  receiver().answer = () => sleep(2)
  const names = Array.from({ length: 200 }, (_, i) => `task ${i}`)
  let writing = true
  const churn = (async () => {
    for (let turn = 0; writing; turn++) {
      const node = pump(nodes[turn % nodes.length]!)
      await sleep(150)
      await node.stop()
    }
  })()
  pump(nodes[0]!)
  pump(nodes[1]!)
  for (const name of names) await task(name)
  writing = false
  await churn
  for (const { id } of webhooks) await settled(id)
  for (const path of ['/a', '/b', '/c']) expect(titles(path)).toEqual(names)
})

test('events without subscribers get a position too, and can be purged later', async () => {
  pump()
  await tasks('heard by nobody')
  await until(async () => (await studio().db.execute(sql`select from outbox where position is null`)) === 0)
})

test('a node that loses its connection stops sending, and another continues', async () => {
  const { id: webhook } = await subscribe()
  let hang = true
  receiver().answer = async () => {
    while (hang) await sleep(10)
  }
  pump(pool())
  await tasks('one', 'two')
  await receiver().until(1)
  await studio().db.execute(sql`
    select pg_terminate_backend(l.pid) from pg_locks l
    where l.locktype = 'advisory' and l.classid = ${0x706f7374} and l.database = (select oid from pg_database where datname = current_database())`)
  await receiver().until(2)
  hang = false
  await settled(webhook)
  expect(titles()).toEqual(['one', 'one', 'two'])
})

test('a node whose database vanishes silently continues with the next one by itself', async () => {
  const { id: webhook } = await subscribe()
  const way = await openUnsteadyWay(studio().url)
  const db = openDatabase(way.url, { max: 4, statementTimeout: 8_000 })
  const node = pump(db)
  try {
    await task('before')
    await receiver().until(1)
    way.vanish()
    await task('after')
    await until(() => titles().includes('after'))
    await settled(webhook)
    // A message that was sent but not recorded yet is correctly sent again.
    expect(firsts(titles())).toEqual(['before', 'after'])
  } finally {
    await node.stop()
    way.close()
    await db.close()
  }
})
