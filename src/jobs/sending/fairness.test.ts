import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { openPostRoom } from '../../../test/support/studios/post-room.ts'
import { until } from '../../../test/support/until.ts'
import { sql } from '../../db/database.ts'
import { sequenceAll } from '../../domain/feed/sequencer.ts'
import { due, LANES_PER_ACCOUNT } from '../../domain/sending/destinations.ts'
import { enqueueMessages } from '../../domain/webhooks/webhook-messages.ts'

const { studio, receiver, id, task, tasks, pump, subscribe, titles, settled } = openPostRoom()

/** Webhooks of the first account whose receivers accept messages and never respond. */
async function tarpits(count: number, failing = false) {
  for (let i = 0; i < count; i++) await subscribe({ url: `${receiver().url}tar`, event_types: ['task.*'] })
  if (failing) await studio().db.execute(sql`update destinations set failing_since = now() where url like '%/tar'`)
}

/** Receivers on `/tar` are silent until the test is over; the maximum number that waited at the same time. */
function silence() {
  const tar = { over: false, now: 0, most: 0 }
  receiver().answer = async ({ path }, response) => {
    if (path !== '/tar') return
    tar.most = Math.max(tar.most, ++tar.now)
    response.on('close', () => tar.now--)
    while (!tar.over && !response.destroyed) await sleep(10)
  }
  return tar
}

test('three hundred receivers of one account that never respond block no other account', async () => {
  await tarpits(300)
  await subscribe({ url: `${receiver().url}fox`, account_id: id('accounts', 'fox') })
  const tar = silence()
  pump()
  await task('for the tarpits')
  await until(() => tar.now >= LANES_PER_ACCOUNT)
  for (const title of ['one', 'two', 'three']) {
    await task(title, 'den')
    await until(() => titles('/fox').includes(title))
  }
  // A few more: the other side may notice an aborted request late.
  expect(tar.most).toBeLessThan(2 * LANES_PER_ACCOUNT)
  tar.over = true
})

test('failing receivers of one account leave lanes to its healthy ones', async () => {
  await tarpits(40, true)
  const { id: well } = await subscribe({ url: `${receiver().url}well` })
  const tar = silence()
  pump()
  await tasks('one', 'two')
  await until(() => titles('/well').includes('two'))
  await settled(well)
  expect(tar.most).toBeLessThan(LANES_PER_ACCOUNT)
  tar.over = true
})

test('failing destinations of one account get at most half of its lanes, also when some are busy', async () => {
  await tarpits(40, true)
  const { id: well } = await subscribe({ url: `${receiver().url}well` })
  await task('one')
  await sequenceAll(studio().db)
  while (await enqueueMessages(studio().db));
  const half = LANES_PER_ACCOUNT / 2
  const first = await due(studio().db, { busy: [], resting: [], free: 512 })
  expect(first).toHaveLength(half + 1)
  expect(first).toContain(well)
  const failing = first.filter((one) => one !== well)
  expect(await due(studio().db, { busy: failing, resting: [], free: 512 })).toEqual([well])
  expect(await due(studio().db, { busy: failing.slice(0, 3), resting: [well], free: 512 })).toHaveLength(half - 3)
})

test('a slow receiver does not keep its lane while others of its account wait', async () => {
  const count = LANES_PER_ACCOUNT + 4
  for (let i = 0; i < count; i++) await subscribe({ url: `${receiver().url}${i}` })
  // Longer than the limit for a slow receiver.
  receiver().answer = () => sleep(1_100)
  pump()
  await tasks(...Array.from({ length: 12 }, (_, i) => `task ${i}`))
  await until(() => Array.from({ length: count }, (_, i) => titles(`/${i}`).length).every((count) => count > 0))
  const counts = Array.from({ length: count }, (_, i) => titles(`/${i}`).length)
  expect(Math.max(...counts)).toBeLessThan(12)
})

test('events of an account with many webhooks are queued in portions', async () => {
  const { id: last } = await subscribe({ url: `${receiver().url}all`, event_types: ['task.*'] })
  await tarpits(300, true)
  const names = Array.from({ length: 30 }, (_, i) => `task ${i}`)
  await tasks(...names)
  const tar = silence()
  pump()
  await settled(last)
  expect(titles('/all')).toEqual(names)
  tar.over = true
})
