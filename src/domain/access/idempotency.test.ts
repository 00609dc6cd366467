import { afterAll, beforeAll, expect, test } from 'vitest'
import { openStudio, type Studio } from '../../../test/support/studio.ts'
import { visitor, workshop } from '../../../test/support/studios/workshop.ts'
import { sql } from '../../db/database.ts'
import { purgeExpired } from '../retention/retention.ts'

let studio: Studio
beforeAll(async () => {
  studio = await openStudio(workshop)
})
afterAll(() => studio.close())

const { id, inside } = visitor(() => studio)
let keys = 0
const newKey = () => `key ${++keys}`
const create = (key: string, title: string, more: { as?: string; project?: string; task?: object } = {}) =>
  inside('/tasks', {
    method: 'POST',
    body: { task: { title, ...more.task } },
    headers: { 'idempotency-key': key },
    ...more,
  })
const titled = async (title: string) =>
  (await studio.db.one<{ n: number }>(sql`select count(*) as n from tasks where title = ${title}`))!.n

test('the same key returns the first reply again, even after the task has changed', async () => {
  const key = newKey()
  const first = await create(key, 'Once')
  expect(first.status).toBe(201)
  await inside(`/tasks/${first.json.id}`, { method: 'PATCH', body: { task: { state: 'completed' } } })
  const again = await create(key, 'Once')
  expect(again.status).toBe(201)
  expect(again.text).toBe(first.text)
  expect(await titled('Once')).toBe(1)
})

test('another body or another project with the same key is refused', async () => {
  const key = newKey()
  await create(key, 'Mine')
  for (const answer of [await create(key, 'Changed'), await create(key, 'Mine', { project: 'moon' })])
    expect(answer).toMatchObject({
      status: 422,
      json: { error: 'invalid_parameter', message: expect.stringContaining('Idempotency-Key') },
    })
  expect([await titled('Mine'), await titled('Changed')]).toEqual([1, 0])
})

test('twenty requests with one key at once create one task and get one reply', async () => {
  const key = newKey()
  const answers = await Promise.all(Array.from({ length: 20 }, () => create(key, 'Together')))
  expect(answers.map((answer) => answer.status)).toEqual(Array(20).fill(201))
  expect(new Set(answers.map((answer) => answer.text)).size).toBe(1)
  expect(await titled('Together')).toBe(1)
})

test('different keys at once create one task each', async () => {
  const answers = await Promise.all(Array.from({ length: 20 }, () => create(newKey(), 'Apart')))
  expect(new Set(answers.map((answer) => answer.json.id)).size).toBe(20)
})

test('a key belongs to its token', async () => {
  const key = newKey()
  const mine = await create(key, 'Shared key')
  const theirs = await create(key, 'Shared key, other words', { as: 'artist' })
  expect(theirs.status).toBe(201)
  expect(theirs.json.id).not.toBe(mine.json.id)
})

test('a refused request does not consume its key', async () => {
  const key = newKey()
  const stranger = Number(id('users', 'rival'))
  expect((await create(key, '')).status).toBe(422)
  expect((await create(key, 'Retry', { task: { user_id: stranger } })).status).toBe(422)
  expect((await create(key, 'Retry')).status).toBe(201)
  expect(await titled('Retry')).toBe(1)
})

test('a key can be used again after a day', async () => {
  const key = newKey()
  const first = await create(key, 'Daily')
  const age = (hours: number) =>
    studio.db.execute(sql`update idempotency_keys set created_at = now() - make_interval(hours => ${hours}) where key = ${key}`)
  await age(23)
  expect((await create(key, 'Daily')).json.id).toBe(first.json.id)
  await age(25)
  const second = await create(key, 'Daily, with other words')
  expect(second.status).toBe(201)
  expect(second.json.id).not.toBe(first.json.id)
  expect((await create(key, 'Daily, with other words')).json.id).toBe(second.json.id)
})

test('old keys are purged and new ones kept', async () => {
  const [young, old] = [newKey(), newKey()]
  await create(young, 'Young')
  await create(old, 'Old')
  await studio.db.execute(sql`update idempotency_keys set created_at = now() - interval '25 hours' where key = ${old}`)
  expect(await purgeExpired(studio.db)).toBe(1)
  expect((await create(young, 'Young')).status).toBe(201)
  expect(await titled('Young')).toBe(1)
})

test('requests without a key create a task each', async () => {
  const post = () => inside('/tasks', { method: 'POST', body: { task: { title: 'Twice' } } })
  expect((await post()).json.id).not.toBe((await post()).json.id)
})

test('a key that is empty or too long is refused', async () => {
  for (const key of ['', 'x'.repeat(256)]) expect((await create(key, 'Bad key')).json.error).toBe('invalid_parameter')
  expect((await create('x'.repeat(255), 'Long key')).status).toBe(201)
  expect(await titled('Bad key')).toBe(0)
})

test('an edit accepts no key', async () => {
  const { id: taskId } = (await create(newKey(), 'Edited')).json
  const key = newKey()
  const edit = (state: string) =>
    inside(`/tasks/${taskId}`, { method: 'PATCH', body: { task: { state } }, headers: { 'idempotency-key': key } })
  expect((await edit('blocked')).json.state).toBe('blocked')
  expect((await edit('completed')).json.state).toBe('completed')
})
