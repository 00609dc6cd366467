import { afterAll, beforeAll, expect, test } from 'vitest'
import { admin } from '../../test/support/admin.ts'
import { openStudio, type Studio } from '../../test/support/studio.ts'
import { visitor, workshop } from '../../test/support/studios/workshop.ts'
import { sql } from '../db/database.ts'

let studio: Studio
beforeAll(async () => {
  studio = await openStudio(workshop)
})
afterAll(() => studio.close())
const { id } = visitor(() => studio)

const run = (...words: string[]) => admin({ db: studio.db, vault: studio.service.vault }, 'webhook', ...words)
const json = async (...words: string[]) => JSON.parse(await run(...words, '--json'))

test('add, show, set, pause, resume, rotate, list and remove', async () => {
  const account = id('accounts', 'owl')
  const made = await json('add', '--account', `acct_${account}`, '--url', 'https://hooks.example.com/', '--events', 'build_run.*')
  expect(made).toMatchObject({
    status: 'active',
    event_types: ['build_run.*'],
    project_id: null,
    secret: expect.stringMatching(/^whsec_/),
  })
  const { secret, ...shown } = made
  const webhook = String(made.id)
  expect(await json('show', webhook)).toEqual(shown)
  expect(await json('show', webhook, '--secret')).toEqual(made)
  expect(await json('set', webhook, '--events', 'none', '--project', id('projects', 'star'))).toMatchObject({
    event_types: [],
    project_id: Number(id('projects', 'star')),
  })
  expect(await json('set', webhook, '--project', 'none')).toMatchObject({ project_id: null })
  expect(await json('pause', webhook)).toMatchObject({ status: 'paused' })
  expect(await run('list', '--account', account)).toMatch(/^\d+\t\d+\t\tpaused\t/)
  expect(await json('resume', webhook)).toMatchObject({ status: 'active' })
  expect((await json('rotate', webhook)).secret).not.toBe(secret)
  expect(await json('remove', webhook)).toEqual({ id: made.id, removed: true })
  expect(await json('list')).toEqual([])
})

test('log and replay', async () => {
  const { id: webhook } = await json('add', '--account', id('accounts', 'owl'), '--url', 'https://hooks.example.com/')
  await studio.db.execute(sql`
    insert into messages (account_id, destination_id, event_id, position, event_type, payload, status, finished_at)
    select ${Number(id('accounts', 'owl'))}, ${webhook}, 'msg_' || i, i, 'build_run.failed', '{"type": "build_run.failed"}', 'failed', now() from generate_series(1, 3) i`)
  await studio.db.execute(sql`
    insert into attempts (account_id, message_id, action, at, status, milliseconds, response)
    select account_id, id, 'post', now(), 500, 12, 'on fire' from messages where event_id = 'msg_1'`)
  const deliveries = await json('log', String(webhook), '--status', 'failed', '--limit', '2')
  expect(deliveries.map((one: { id: string }) => one.id)).toEqual(['msg_3', 'msg_2'])
  const older = await json('log', String(webhook), '--before', String(deliveries.at(-1).position))
  expect(older.map((one: { id: string }) => one.id)).toEqual(['msg_1'])
  expect(await run('log', String(webhook), 'msg_1')).toMatch(/\t500\t12\t\ton fire\n$/)
  expect(await json('log', String(webhook), 'msg_1')).toMatchObject({
    payload: { type: 'build_run.failed' },
    attempts: [{ status: 500 }],
  })
  const long = 'msg_0198c2f0b7d54e6f8890aa17c3e2d4f5'
  await studio.db.execute(sql`update messages set event_id = ${long} where event_id = 'msg_3'`)
  expect(await json('log', String(webhook), 'c3e2d4f5')).toEqual(await json('log', String(webhook), long))
  expect(await json('replay', String(webhook), 'msg_2')).toEqual({ id: webhook, replayed: 1 })
  expect(await json('replay', String(webhook), '--failed-since', '2026-01-01')).toEqual({ id: webhook, replayed: 2 })
  expect((await json('show', String(webhook))).waiting).toBe(3)
  await expect(run('log', String(webhook), 'msg_9')).rejects.toThrow('Delivery not found.')
  await expect(run('log', '999')).rejects.toThrow('Webhook not found.')
})
