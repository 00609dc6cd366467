import { createHmac } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { deliveryTo } from '../../../../test/support/files/delivery.ts'
import { openProviderRoom, recorded } from '../../../../test/support/studios/provider-room.ts'
import type { Delivery } from '../../provider.ts'
import { Unreadable } from '../../reading.ts'
import { shortcut } from './index.ts'

const delivery = (body: unknown, more: Partial<Delivery> = {}) => deliveryTo('shortcut', body, more)
const read = (body: unknown) => shortcut.read(delivery(body))
const story = (more: object) =>
  read({
    changed_at: '2026-03-01T10:00:00Z',
    actions: [{ id: 11, entity_type: 'story', action: 'update', name: 'Moon', ...more }],
    references: [
      { id: 6, entity_type: 'project', name: 'Backend' },
      { id: 7, entity_type: 'project', name: 'Not a state' },
      { id: 7, entity_type: 'workflow-state', name: 'In Review', type: 'started' },
    ],
  })[0]

test('the signature is that of the raw body', () => {
  const raw = Buffer.from('{"id":"5b1fe334","actions":[]}')
  const value = '1d4deb1d701210c6b15f0769ebcd297c9be9fe1ebb4c7d7f278eea3236a15367'
  const verify = (signature: string | undefined, secret = 'a-secret') =>
    shortcut.verify(delivery({}, { raw, headers: { 'payload-signature': signature } }), [secret])
  expect(verify(value)).toBe(true)
  expect(verify(value, 'another')).toBe(false)
  for (const wrong of ['', undefined, value.slice(1)]) expect(verify(wrong)).toBe(false)
})

describe('a story', () => {
  test('has the name of its state from the references', () => {
    expect(story({ changes: { workflow_state_id: { new: 7, old: 5 } } })).toMatchObject({
      key: 'SC-11',
      title: 'Moon',
      state: 'In Review',
      at: '2026-03-01T10:00:00.000Z',
    })
    expect(story({ action: 'create', workflow_state_id: 7 })).toMatchObject({ state: 'In Review', deleted: false })
    expect(story({ changes: { workflow_state_id: { new: 9 } } })).toMatchObject({ state: undefined })
    expect(story({ changes: { project_id: { new: 6 } } })).toMatchObject({ state: undefined })
  })

  test('is owned by the first person who was added, or by nobody', () => {
    expect(story({ changes: { owner_ids: { adds: ['u1', 'u2'], removes: ['u0'] } } })).toMatchObject({ assignee_uid: 'u1' })
    expect(story({ changes: { owner_ids: { removes: ['u0'] } } })).toMatchObject({ assignee_uid: null })
    expect(story({})).toMatchObject({ assignee_uid: undefined })
  })

  test('that is deleted or archived is no longer shown, and is again once it is unarchived', () => {
    expect(story({ action: 'delete' })).toMatchObject({ deleted: true })
    expect(story({ changes: { archived: { new: true } } })).toMatchObject({ deleted: true })
    expect(story({ changes: { archived: { new: false } } })).toMatchObject({ deleted: false })
    expect(story({})).not.toHaveProperty('deleted')
  })
})

test('every story of a body is read, whichever comes first, and nothing else', () => {
  const keys = (name: string) => read(recorded('shortcut', name).body).map((fact) => 'key' in fact && fact.key)
  expect(keys('story_update__multiple_at_once')).toEqual(['SC-17', 'SC-26', 'SC-27', 'SC-28', 'SC-29'])
  expect(keys('story_update__add_comment')).toEqual(['SC-11'])
  expect(keys('epic_create__epic_create')).toEqual([])
})

test('a body without actions, or a story without a number, is unreadable', () => {
  for (const body of [undefined, [], {}, { actions: {} }, { actions: [{ entity_type: 'story', id: 'x' }] }])
    expect(() => read(body)).toThrow(Unreadable)
  expect(read({ actions: [] })).toEqual([])
})

describe('at its endpoint', () => {
  let room: Awaited<ReturnType<typeof openProviderRoom>>
  beforeAll(async () => {
    room = await openProviderRoom('shortcut', 'a-secret')
  })
  afterAll(() => room.close())

  const send = (body: unknown, secret = 'a-secret') =>
    room.send(body, { 'payload-signature': createHmac('sha256', secret).update(JSON.stringify(body)).digest('hex') })

  test('signed stories are recorded once', async () => {
    const { body } = recorded('shortcut', 'story_update__change_state')
    expect((await send(body, 'guessed')).status).toBe(401)
    expect((await send(body)).json.status).toBe('processed')
    expect((await send(body)).json.status).toBe('duplicate')
    expect(await room.references()).toMatchObject([{ key: 'SC-11', state: 'Ready for Review', deleted: false }])
  })

  test('a delivery that cannot be read is answered 200 and listed as failed', async () => {
    expect(await send({})).toMatchObject({ status: 200, json: { status: 'failed', message: expect.any(String) } })
  })
})
