import { afterAll, beforeAll, expect, test } from 'vitest'
import { openStudio, type Studio } from '../../../test/support/studio.ts'
import { visitor, workshop } from '../../../test/support/workshop.ts'
import { sql } from '../../db/database.ts'
import * as subscriptions from './subscriptions.ts'

let studio: Studio
beforeAll(async () => {
  studio = await openStudio(workshop)
})
afterAll(() => studio.close())
const { id } = visitor(() => studio)

const create = (fields: Partial<subscriptions.SubscriptionFields> = {}) =>
  subscriptions.create(studio.db, studio.service.vault, {
    account_id: Number(id('accounts', 'owl')),
    url: 'https://hooks.example.com/gold',
    ...fields,
  })

test('filters are kept as written and checked like those of the feed', async () => {
  const { event_types } = await create({ event_types: ['build_run.*', 'task.state_changed', 'build_run.*'] })
  expect(event_types).toEqual(['build_run.*', 'task.state_changed'])
  for (const word of ['build', '.*', '*', 'build_run.', ''])
    await expect(create({ event_types: [word] })).rejects.toMatchObject({ status: 422, code: 'invalid_event_type' })
})

test('an address must be one of the web, without a password', async () => {
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
  await expect(subscriptions.edit(studio.db, made.id, { project_id })).rejects.toMatchObject({ status: 404 })
  expect(await subscriptions.edit(studio.db, made.id, { project_id: null })).toMatchObject({ project_id: null, url: made.url })
})

test('the secret is sealed in the table and can be shown again', async () => {
  const { id, secret } = await create()
  expect(secret).toMatch(/^whsec_/)
  expect(await subscriptions.showSecret(studio.db, studio.service.vault, id)).toBe(secret)
  const row = await studio.db.one<object>(sql`select * from subscriptions where id = ${id}`)
  expect(JSON.stringify(row)).not.toContain(secret.slice(6))
  expect(await subscriptions.find(studio.db, id)).not.toHaveProperty('secret_sealed')
})

test('an account sees its own', async () => {
  const fox = Number(id('accounts', 'fox'))
  const made = await subscriptions.create(studio.db, studio.service.vault, { account_id: fox, url: 'https://fox.example.com/' })
  expect((await subscriptions.list(studio.db, fox)).map((one) => one.id)).toEqual([made.id])
  await subscriptions.remove(studio.db, made.id)
  expect(await subscriptions.list(studio.db, fox)).toEqual([])
  await expect(subscriptions.remove(studio.db, made.id)).rejects.toMatchObject({ status: 404 })
})
