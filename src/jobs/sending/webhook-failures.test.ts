import { describe, expect, test } from 'vitest'
import { moveTimes } from '../../../test/support/aging.ts'
import { firsts, openPostRoom } from '../../../test/support/studios/post-room.ts'
import { until } from '../../../test/support/until.ts'
import { sql } from '../../db/database.ts'
import * as log from '../../domain/webhooks/webhook-log.ts'
import * as webhooks from '../../domain/webhooks/webhooks.ts'
import { delayAfter } from './transport.ts'

const { studio, receiver, id, task, tasks, pump, subscribe, titles, deliveries, tried, settled, hurry } = openPostRoom()
const statusOf = async (subscriptionId: number) => (await webhooks.find(studio().db, subscriptionId)).status

describe('a receiver that fails', () => {
  test("gets the same message again, which blocks its own later ones and nobody else's", async () => {
    const failing = await subscribe({ url: `${receiver().url}failing` })
    await subscribe({ url: `${receiver().url}well` })
    let broken = true
    receiver().answer = ({ path }, response) => {
      if (broken && path === '/failing') response.writeHead(500).end('on fire')
    }
    pump()
    await tasks('one', 'two', 'three')
    await until(() => receiver().received.filter(({ path }) => path === '/well').length === 3)
    await tried(failing.id, 2)
    expect(firsts(titles('/failing'))).toEqual(['one'])
    expect(titles('/well')).toEqual(['one', 'two', 'three'])
    broken = false
    await hurry(failing.id)
    await settled(failing.id)
    expect(firsts(titles('/failing'))).toEqual(['one', 'two', 'three'])
    expect(
      new Set(
        receiver()
          .received.filter((one) => one.path === '/failing')
          .map((one) => one.id),
      ).size,
    ).toBe(3)
    const { attempts } = await log.find(studio().db, failing.id, receiver().received.find((one) => one.path === '/failing')!.id)
    expect(attempts[0]).toMatchObject({ status: 500, response: 'on fire', error: '', milliseconds: expect.any(Number) })
    expect(attempts.at(-1)).toMatchObject({ status: 204 })
    expect(await webhooks.find(studio().db, failing.id)).toMatchObject({ status: 'active', failing_since: null, waiting: 0 })
  })

  test('is retried with growing delays or as it asks, and no longer than a day per message', async () => {
    const { id: webhook } = await subscribe()
    receiver().answer = (_, response) => void response.writeHead(503, { 'retry-after': '40' }).end()
    pump()
    await tasks('given up', 'next')
    await tried(webhook, 1)
    const wait = async () =>
      (await studio().db.one<{ seconds: string }>(sql`
        select extract(epoch from not_before - now())::integer as seconds from messages order by queue_order limit 1`))!
    expect(Number((await wait()).seconds)).toBeGreaterThan(35)
    receiver().answer = (_, response) => void response.writeHead(500).end()
    await studio().db.execute(sql`
      update messages set tries = 20, first_tried_at = now() - interval '23 hours 50 minutes' where tries > 0`)
    await hurry(webhook)
    await until(async () => (await deliveries(webhook)).at(-1)?.tries === 21)
    // The pause would be half an hour; the day ends before.
    expect(Number((await wait()).seconds)).toBeLessThanOrEqual(600)
    await moveTimes(studio().db, 'messages', ['first_tried_at'], sql`interval '-10 minutes'`, sql`t.tries > 0`)
    await hurry(webhook)
    await until(async () => (await deliveries(webhook)).at(-1)?.status === 'failed')
    await until(() => titles().includes('next'))
    receiver().answer = () => {}
    await hurry(webhook)
    await until(async () => (await deliveries(webhook))[0]?.status === 'delivered')
    expect((await deliveries(webhook)).map((one) => one.status)).toEqual(['delivered', 'failed'])
    expect(firsts(titles())).toEqual(['given up', 'next'])
  })

  test('is never called again after 410, until somebody resumes it', async () => {
    const { id: webhook } = await subscribe({ url: `${receiver().url}gone` })
    await subscribe({ url: `${receiver().url}well` })
    receiver().answer = ({ path }, response) => void response.writeHead(path === '/gone' ? 410 : 204).end()
    pump()
    await tasks('one', 'two')
    await until(async () => (await statusOf(webhook)) === 'gone')
    await task('three')
    await until(() => titles('/well').includes('three'))
    expect(titles('/gone')).toEqual(['one'])
    receiver().answer = () => {}
    await webhooks.resume(studio().db, webhook)
    await until(() => titles('/gone').length === 4)
    expect(titles('/gone')).toEqual(['one', 'one', 'two', 'three'])
  })

  test('is disabled after five days without a success, and its owners get an email', async () => {
    const { id: webhook } = await subscribe({ url: `${receiver().url}hook?key=hidden` })
    receiver().answer = (_, response) => void response.writeHead(502).end()
    pump()
    await task('one')
    await tried(webhook, 1)
    await studio().db.execute(sql`update destinations set failing_since = now() - interval '4 days 23 hours 59 minutes'`)
    await hurry(webhook)
    await tried(webhook, 2)
    expect(await statusOf(webhook)).toBe('active')
    await studio().db.execute(sql`update destinations set failing_since = now() - interval '5 days'`)
    await hurry(webhook)
    await until(async () => (await statusOf(webhook)) === 'failing')
    const mails = await studio().db.rows<{ to_user_id: number; text: string; sent_at: null }>(sql`select * from mails`)
    expect(mails).toMatchObject([{ to_user_id: id('users', 'lead'), sent_at: null }])
    expect(mails[0]!.text).toContain(`${receiver().url}hook)`)
    expect(mails[0]!.text).not.toContain('hidden')
    receiver().answer = () => {}
    await webhooks.resume(studio().db, webhook)
    await settled(webhook)
    expect(await webhooks.find(studio().db, webhook)).toMatchObject({ status: 'active', failing_since: null })
  })

  test('waits longer after each attempt, up to half an hour', () => {
    const delays = Array.from({ length: 12 }, (_, tries) => delayAfter(tries, 0.5))
    expect(delays).toEqual([1, 5, 15, 30, 60, 120, 300, 600, 1200, 1800, 1800, 1800])
    expect([delayAfter(1, 0), delayAfter(1, 1)]).toEqual([4.5, 5.5])
  })
})

describe('a replay', () => {
  test('of one delivery sends it again with the same id, after all waiting ones', async () => {
    const { id: webhook } = await subscribe()
    pump()
    await tasks('one', 'two')
    await receiver().until(2)
    await settled(webhook)
    expect(await log.replay(studio().db, webhook, receiver().received[0]!.id)).toBe(1)
    await receiver().until(3)
    expect(titles()).toEqual(['one', 'two', 'one'])
    expect(receiver().received[2]).toMatchObject({ id: receiver().received[0]!.id, text: receiver().received[0]!.text })
    await settled(webhook)
    expect((await log.find(studio().db, webhook, receiver().received[0]!.id)).attempts).toHaveLength(2)
    const other = await subscribe()
    await expect(log.replay(studio().db, other.id, receiver().received[0]!.id)).rejects.toMatchObject({ status: 404 })
  })

  test('of failed deliveries since a time sends them in the order in which they happened', async () => {
    const { id: webhook } = await subscribe()
    const halted = pump()
    await tasks('one', 'two', 'three', 'four')
    await receiver().until(4)
    await settled(webhook)
    await halted.stop()
    for (const [title, hours] of [
      ['one', 5],
      ['four', 3],
      ['two', 2],
    ] as const)
      await studio().db.execute(sql`
        update messages set status = 'failed', finished_at = now() - make_interval(hours => ${hours})
        where payload ->> 'data' like ${`%${title}” is to do%`}`)
    const since = new Date(Date.now() - 4 * 3_600_000).toISOString()
    expect(await log.replayFailed(studio().db, webhook, since)).toBe(2)
    expect(await log.replayFailed(studio().db, webhook, since)).toBe(0)
    pump()
    await receiver().until(6)
    expect(titles().slice(4)).toEqual(['two', 'four'])
  })
})
