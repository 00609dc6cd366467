import { describe, expect, test } from 'vitest'
import { isGenuine, type Received } from '../../../test/support/servers/receiver.ts'
import { openPostRoom } from '../../../test/support/studios/post-room.ts'
import { until } from '../../../test/support/until.ts'
import { sql } from '../../db/database.ts'
import * as webhooks from '../../domain/webhooks/webhooks.ts'
import { allowedHosts } from '../../net/addresses.ts'

const { studio, receiver, id, task, tasks, pump, subscribe, titles, deliveries, tried, settled } = openPostRoom()

const build = (status: string, project = 'star') =>
  studio().db.execute(sql`insert into build_runs (account_id, project_id, status, ci_job_name, build_type, target_type, finished_at)
    values (${id('accounts', 'owl')}, ${id('projects', project)}, ${status}, 'Night Build', 'custom', 'development', now())`)

describe('a message', () => {
  test('is signed, and contains the event as in the feed', async () => {
    const { secret } = await subscribe()
    pump()
    await task('Paint the door')
    await receiver().until(1)
    const [message] = receiver().received as [Received]
    expect(isGenuine(message, secret)).toBe(true)
    expect(isGenuine({ ...message, text: `${message.text} ` }, secret)).toBe(false)
    expect(message.id).toMatch(/^msg_[0-9a-f]{32}$/)
    expect(message.headers['content-type']).toBe('application/json')
    const feed = await studio().ask('/api/v1/workspace/events?limit=1', { token: studio().world.tokens!.lead!.token as string })
    expect(message.body).toEqual({
      type: 'task.state_changed',
      timestamp: feed.json.events[0].timestamp,
      data: feed.json.events[0],
    })
  })

  test('is signed with the former secret too during a rotation', async () => {
    const { id, secret } = await subscribe()
    const rotated = await webhooks.rotateSecret(studio().db, studio().service.vault, id)
    expect(await webhooks.showSecret(studio().db, studio().service.vault, id)).toBe(rotated.secret)
    pump()
    await task('both')
    await receiver().until(1)
    expect([secret, rotated.secret].map((one) => isGenuine(receiver().received[0]!, one))).toEqual([true, true])
    await studio().db.execute(sql`update destinations set former_until = now() - interval '1 second'`)
    await task('one')
    await receiver().until(2)
    expect([secret, rotated.secret].map((one) => isGenuine(receiver().received[1]!, one))).toEqual([false, true])
  })

  test('is sent only to webhooks that match', async () => {
    const paths = {
      all: {},
      failed: { event_types: ['build_run.failed'] },
      builds: { event_types: ['build_run.*'] },
      moon: { project_id: id('projects', 'moon') },
      both: { event_types: ['task.*', 'build_run.completed'], project_id: id('projects', 'moon') },
      fox: { account_id: id('accounts', 'fox') },
    }
    for (const [path, fields] of Object.entries(paths)) await subscribe({ ...fields, url: receiver().url + path })
    pump()
    await build('failed')
    await build('completed', 'moon')
    await task('on the moon', 'moon')
    await task('in the den', 'den')
    const told = (path: string) =>
      receiver()
        .received.filter((one) => one.path === `/${path}`)
        .map((one) => one.body.type)
    await receiver().until(11)
    await until(async () => (await studio().db.rows(sql`select from messages where status = 'waiting'`)).length === 0)
    expect(Object.fromEntries(Object.keys(paths).map((path) => [path, told(path)]))).toEqual({
      all: ['build_run.failed', 'build_run.completed', 'task.state_changed'],
      failed: ['build_run.failed'],
      builds: ['build_run.failed', 'build_run.completed'],
      moon: ['build_run.completed', 'task.state_changed'],
      both: ['build_run.completed', 'task.state_changed'],
      fox: ['task.state_changed'],
    })
  })

  test('follows the order of commits', async () => {
    await subscribe()
    pump()
    let release = () => {}
    const held = new Promise<void>((done) => {
      release = done
    })
    const slow = studio().db.transaction(async (db) => {
      await db.execute(sql`insert into tasks (account_id, project_id, title)
        values (${id('accounts', 'owl')}, ${id('projects', 'star')}, 'began first')`)
      await held
    })
    await task('committed first')
    await receiver().until(1)
    release()
    await slow
    await receiver().until(2)
    expect(titles()).toEqual(['committed first', 'began first'])
  })
})

describe('private addresses', () => {
  test.each(['http://127.0.0.1', 'http://localhost', 'http://[::1]', 'http://2130706433'])('%s is not called', async (origin) => {
    const { port } = new URL(receiver().url)
    const { id: webhook } = await subscribe({ url: `${origin}:${port}/` })
    pump(studio().db, allowedHosts([]))
    await task('secret')
    await tried(webhook, 1)
    expect((await deliveries(webhook))[0]).toMatchObject({ status: 'waiting', answer: null })
    expect((await deliveries(webhook))[0]!.error).toContain('private address')
    expect(receiver().connections).toBe(0)
  })
})

test('a paused webhook keeps its cursor', async () => {
  const { id: webhook } = await subscribe({ url: `${receiver().url}paused` })
  await subscribe({ url: `${receiver().url}other` })
  pump()
  await task('before')
  await receiver().until(2)
  // A message that was sent but not recorded yet is correctly sent again.
  await settled(webhook)
  await webhooks.pause(studio().db, webhook)
  await tasks('meanwhile', 'and more')
  await until(() => titles('/other').includes('and more'))
  expect(titles('/paused')).toEqual(['before'])
  await webhooks.resume(studio().db, webhook)
  await receiver().until(6)
  expect(titles('/paused')).toEqual(['before', 'meanwhile', 'and more'])
})

test('an account that lost the feed gets nothing until it has it again', async () => {
  await subscribe({ url: `${receiver().url}unpaid` })
  await subscribe({ url: `${receiver().url}paid`, account_id: id('accounts', 'fox') })
  await studio().db.execute(sql`update accounts set plan = 'free' where id = ${id('accounts', 'owl')}`)
  pump()
  await task('unpaid')
  await task('paid for', 'den')
  await until(() => titles('/paid').includes('paid for'))
  expect(titles('/unpaid')).toEqual([])
  await expect(subscribe()).rejects.toMatchObject({ status: 403, code: 'plan_required' })
  await studio().db.execute(sql`update accounts set plan = 'team' where id = ${id('accounts', 'owl')}`)
  await receiver().until(2)
  expect(titles('/unpaid')).toEqual(['unpaid'])
})
