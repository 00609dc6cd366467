import { createHmac } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { deliveryTo } from '../../../../test/support/files/delivery.ts'
import { openProviderRoom, recorded } from '../../../../test/support/studios/provider-room.ts'
import type { Delivery } from '../../provider.ts'
import { Unreadable } from '../../reading.ts'
import { clickup } from './index.ts'

const delivery = (body: unknown, more: Partial<Delivery> = {}) => deliveryTo('clickup', body, more)
const read = (body: unknown) => clickup.read(delivery(body))
const event = (name: string, ...history_items: object[]) =>
  read({ event: name, task_id: '86abc1', webhook_id: 'w', history_items })[0]

test('the signature is that of the raw body', () => {
  const secret = 'O94IM25S7PXBPYTMNXLLET230SRP0S89COR7B1YOJ2ZIE8WQNK5UUKEF26W0Z5GA'
  const raw = Buffer.from('{"event":"taskStatusUpdated","task_id":"1vj38vv","webhook_id":"7fa3ec74-69a8-4530-a251-8a13730bd204"}')
  const value = 'c4383bf01f90ff2d4388c9db8a41cba9f1203b1a84836b4ea7183b9da8f1e2e4'
  const verify = (signature: string | undefined, by = secret) =>
    clickup.verify(delivery({}, { raw, headers: { 'x-signature': signature } }), [by])
  expect(verify(value)).toBe(true)
  expect(verify(value, 'another')).toBe(false)
  for (const wrong of ['', undefined, value.slice(1), `sha256=${value}`]) expect(verify(wrong)).toBe(false)
})

test('a delivery is identified by webhook, event and history, because one change is reported by several events', () => {
  const key = (body: object) => clickup.deliveryKey?.(delivery(body))
  const history_items = [{ id: '1' }]
  expect(key({ webhook_id: 'w', event: 'taskUpdated', history_items })).toBe('w:taskUpdated:1')
  expect(key({ webhook_id: 'w', event: 'taskStatusUpdated', history_items })).toBe('w:taskStatusUpdated:1')
  expect(key({ webhook_id: 'w', event: 'taskDeleted' })).toBeUndefined()
})

describe('a task', () => {
  test('has the title, the state and the time of its last change', () => {
    const status = { field: 'status', date: '1642736073330', after: { status: 'in progress', type: 'custom' } }
    expect(event('taskUpdated', { field: 'name', date: '1642736073000', after: 'Moon' }, status)).toEqual({
      kind: 'reference',
      key: '86abc1',
      title: 'Moon',
      state: 'in progress',
      url: 'https://app.clickup.com/t/86abc1',
      assignee_uid: undefined,
      deleted: false,
      at: '2022-01-21T03:34:33.330Z',
    })
  })

  test('that is new has an id as its state, which is not shown', () => {
    expect(event('taskCreated', { field: 'status', after: '90040005586783' })).toMatchObject({ state: undefined })
  })

  test('is assigned to the last person who was added, or to nobody', () => {
    const [add, rem] = [
      { field: 'assignee_add', after: { id: 184 } },
      { field: 'assignee_rem', before: { id: 183 } },
    ]
    expect(event('taskUpdated', rem, add)).toMatchObject({ assignee_uid: '184' })
    expect(event('taskUpdated', rem)).toMatchObject({ assignee_uid: null })
  })

  test('that is deleted has no history, and is deleted when that arrives', () => {
    expect(event('taskDeleted')).toMatchObject({ deleted: true, at: '2026-03-01T12:00:00.000Z' })
  })
})

test('lists have no facts, and a body of an automation or without a task is unreadable', () => {
  expect(read({ event: 'listCreated', list_id: '9' })).toEqual([])
  for (const body of [undefined, [], { id: '86abc1' }, { event: 'taskUpdated' }, { event: 'taskUpdated', task_id: 'a/b' }])
    expect(() => read(body)).toThrow(Unreadable)
})

describe('at its endpoint', () => {
  let room: Awaited<ReturnType<typeof openProviderRoom>>
  beforeAll(async () => {
    room = await openProviderRoom('clickup', 'its secret')
  })
  afterAll(() => room.close())

  const send = (body: unknown, secret = 'its secret') =>
    room.send(body, { 'x-signature': createHmac('sha256', secret).update(JSON.stringify(body)).digest('hex') })

  test('events about one change are both recorded, and their repeats are not', async () => {
    const { body } = recorded('clickup', 'task_status_updated__activepieces') as { body: object }
    expect((await send(body)).json.status).toBe('processed')
    expect((await send({ ...body, event: 'taskUpdated' })).json.status).toBe('processed')
    expect((await send(body)).json.status).toBe('duplicate')
    expect((await send(body, 'guessed')).status).toBe(401)
    expect(await room.references()).toMatchObject([{ key: '1vj38vv', state: 'in progress', deleted: false }])
  })

  test('a late report of an edit does not restore a deleted task', async () => {
    await send({ event: 'taskDeleted', task_id: '1vj38vv', webhook_id: 'w' })
    await send({
      event: 'taskUpdated',
      task_id: '1vj38vv',
      webhook_id: 'w',
      history_items: [{ id: '9', date: '1642736073999', field: 'name', after: 'Late' }],
    })
    expect(await room.references()).toMatchObject([{ title: 'Late', deleted: true }])
  })

  test('a delivery that cannot be read is answered 200, because failures suspend the webhook', async () => {
    expect(await send({ payload: {} })).toMatchObject({ status: 200, json: { status: 'failed', message: expect.any(String) } })
  })
})
