import { afterAll, beforeAll, expect, test } from 'vitest'
import { openStudio, type Studio } from '../../../test/support/studio.ts'
import { visitor, workshop } from '../../../test/support/studios/workshop.ts'
import { sql } from '../../db/database.ts'
import * as channels from '../channels/channels.ts'
import * as webhooks from './webhooks.ts'

let studio: Studio
beforeAll(async () => {
  studio = await openStudio(workshop)
})
afterAll(() => studio.close())
const { id } = visitor(() => studio)

const create = (fields: Partial<webhooks.WebhookFields> = {}) =>
  webhooks.create(studio.db, studio.service.vault, {
    account_id: Number(id('accounts', 'owl')),
    url: 'https://hooks.example.com/gold',
    ...fields,
  })

test('filters are stored as written and validated like those of the feed', async () => {
  const { event_types } = await create({ event_types: ['build_run.*', 'task.state_changed', 'build_run.*'] })
  expect(event_types).toEqual(['build_run.*', 'task.state_changed'])
  for (const word of ['build', '.*', '*', 'build_run.', ''])
    await expect(create({ event_types: [word] })).rejects.toMatchObject({ status: 422, code: 'invalid_event_type' })
})

test('a URL must be an absolute web URL without a password and not too long', async () => {
  for (const url of [
    'ftp://example.com',
    'hooks.example.com',
    'https://user:word@example.com/',
    `https://example.com/${'x'.repeat(2000)}`,
  ])
    await expect(create({ url })).rejects.toMatchObject({ status: 422, code: 'invalid_parameter' })
})

test("another account's project is not found", async () => {
  const project_id = Number(id('projects', 'den'))
  await expect(create({ project_id })).rejects.toMatchObject({ status: 404 })
  const made = await create({ project_id: Number(id('projects', 'star')) })
  await expect(webhooks.edit(studio.db, made.id, { project_id })).rejects.toMatchObject({ status: 404 })
  expect(await webhooks.edit(studio.db, made.id, { project_id: null })).toMatchObject({ project_id: null, url: made.url })
})

test('the secret is encrypted in the table and can be shown again', async () => {
  const { id, secret } = await create()
  expect(secret).toMatch(/^whsec_/)
  expect(await webhooks.showSecret(studio.db, studio.service.vault, id)).toBe(secret)
  const row = await studio.db.one<object>(sql`select * from destinations where id = ${id}`)
  expect(JSON.stringify(row)).not.toContain(secret.slice(6))
  expect(await webhooks.find(studio.db, id)).not.toHaveProperty('secret_sealed')
})

test('an account sees only its own webhooks', async () => {
  const fox = Number(id('accounts', 'fox'))
  const made = await webhooks.create(studio.db, studio.service.vault, { account_id: fox, url: 'https://fox.example.com/' })
  expect((await webhooks.list(studio.db, fox)).map((one) => one.id)).toEqual([made.id])
  await webhooks.remove(studio.db, made.id)
  expect(await webhooks.list(studio.db, fox)).toEqual([])
  await expect(webhooks.remove(studio.db, made.id)).rejects.toMatchObject({ status: 404 })
})

test('the id of a chat channel is not a webhook, and that of a webhook not a channel', async () => {
  const account = Number(id('accounts', 'owl'))
  const { db, service } = studio
  const channel = await channels.create(db, service.vault, account, {
    kind: 'discord',
    name: 'builds',
    secret: 'https://discord.example/x',
  })
  const webhook = await create()
  for (const act of [webhooks.find, webhooks.pause, webhooks.resume, webhooks.remove])
    await expect(act(db, channel.id)).rejects.toMatchObject({ status: 404 })
  await expect(webhooks.showSecret(db, service.vault, channel.id)).rejects.toMatchObject({ status: 404 })
  await expect(webhooks.rotateSecret(db, service.vault, channel.id)).rejects.toMatchObject({ status: 404 })
  expect(await channels.find(db, account, channel.id)).toEqual(channel)
  await expect(channels.find(db, account, webhook.id)).rejects.toMatchObject({ status: 404 })
  await expect(channels.remove(db, account, webhook.id)).rejects.toMatchObject({ status: 404 })
  expect((await channels.list(db, account)).map((one) => one.id)).toEqual([channel.id])
  expect((await webhooks.list(db, account)).map((one) => one.id)).not.toContain(channel.id)
})
