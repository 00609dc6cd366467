import { expect, test } from 'vitest'
import { openPostRoom } from '../../../test/support/studios/post-room.ts'
import * as log from '../../domain/webhooks/webhook-log.ts'

const { studio, receiver, pump, subscribe, settled, tasks, titles, task, deliveries, hurry } = openPostRoom()

test('a replayed delivery goes behind waiting ones, although it happened before them', async () => {
  const { id: webhook } = await subscribe()
  const halted = pump()
  await tasks('one', 'two')
  await receiver().until(2)
  await settled(webhook)
  await halted.stop()
  // Queued and not sent: the receiver refuses for the moment.
  receiver().answer = (_, response) => void response.writeHead(503, { 'retry-after': '3600' }).end()
  const refused = pump()
  await task('three')
  await receiver().until(3)
  await refused.stop()
  expect((await deliveries(webhook)).filter((one) => one.status === 'waiting')).toHaveLength(1)
  expect(await log.replay(studio().db, webhook, receiver().received[0]!.id)).toBe(1)
  receiver().answer = () => {}
  await hurry(webhook)
  pump()
  await receiver().until(5)
  expect(titles().slice(3)).toEqual(['three', 'one'])
})
