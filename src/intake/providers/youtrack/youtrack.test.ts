import { createHmac } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { deliveryTo } from '../../../../test/support/files/delivery.ts'
import { openProviderRoom } from '../../../../test/support/studios/provider-room.ts'
import { Unreadable } from '../../reading.ts'
import { youtrack } from './index.ts'

const read = (body: unknown) => youtrack.read(deliveryTo('youtrack', body))
const issue = (more: object, event = 'issueUpdated') => read({ event, id: 'GAME-12', summary: 'Moon', ...more })[0]
const changed = (name: string, value: unknown) => issue({ changedFields: [{ name, oldValue: 'x', value }] })

test.each([
  [{ id: 'GAME-12' }, 'GAME-12'],
  [{ id: 'game-12' }, 'GAME-12'],
  [{ id: '2-123', numberInProject: 7, project: { shortName: 'GAME' } }, 'GAME-7'],
  [{ id: '2-123', numberInProject: '7', project: { shortName: '...', key: 'GM' } }, 'GM-7'],
])('an issue with %j is %s', (body, key) => expect(issue(body)).toMatchObject({ key }))

test('an issue without a readable id, or a body without an event, is unreadable', () => {
  for (const body of [{ id: '2-123' }, { id: undefined }, { id: '2-1', numberInProject: 'x', project: { shortName: 'GAME' } }])
    expect(() => issue(body)).toThrow(Unreadable)
  for (const body of [undefined, [], {}, { id: 'GAME-12' }]) expect(() => read(body)).toThrow(Unreadable)
})

describe('an issue', () => {
  test('has a state only if that changed, as a text or an object', () => {
    expect(issue({})).toMatchObject({ title: 'Moon', state: undefined, deleted: false })
    expect(changed('State', 'Fixed')).toMatchObject({ state: 'Fixed' })
    expect(changed('Stage', { name: 'Review' })).toMatchObject({ state: 'Review' })
    expect(changed('Priority', 'Major')).toMatchObject({ state: undefined })
  })

  test('is assigned to a login or to nobody', () => {
    expect(changed('Assignee', { login: 'kim', fullName: 'Kim' })).toMatchObject({ assignee_uid: 'kim' })
    expect(changed('Assignee', null)).toMatchObject({ assignee_uid: null })
    expect(issue({})).toMatchObject({ assignee_uid: undefined })
  })

  test('is deleted by its own event only', () => {
    expect(issue({}, 'issueDeleted')).toMatchObject({ deleted: true })
    expect(issue({}, 'commentDeleted')).not.toHaveProperty('deleted')
  })
})

describe('at its endpoint', () => {
  let room: Awaited<ReturnType<typeof openProviderRoom>>
  beforeAll(async () => {
    room = await openProviderRoom('youtrack')
  })
  afterAll(() => room.close())

  test('the word that the app sends as its token opens nothing', async () => {
    const send = (token: string) =>
      room.studio.ask('/webhooks/youtrack', {
        method: 'POST',
        body: { event: 'issueCreated', id: 'A-1' },
        headers: { 'x-service-token': token },
      })
    expect((await send('secret')).status).toBe(401)
    expect((await send(room.studio.world.integrations.tool!.webhook_token as string)).status).toBe(200)
  })

  test('issues are recorded as last reported', async () => {
    const tell = (event: string, timestamp: string, more: object = {}) =>
      room.send({ event, timestamp, id: 'GAME-12', summary: 'Moon', ...more })
    await tell('issueUpdated', '2026-03-01T10:01:00Z', { changedFields: [{ name: 'State', value: 'Fixed' }] })
    await tell('issueUpdated', '2026-03-01T10:00:00Z', { changedFields: [{ name: 'State', value: 'Open' }] })
    const find = async () => (await room.references()).find(({ key }) => key === 'GAME-12')
    expect(await find()).toMatchObject({ title: 'Moon', state: 'Fixed', deleted: false })
    expect(
      (await tell('issueUpdated', '2026-03-01T10:00:00Z', { changedFields: [{ name: 'State', value: 'Open' }] })).json.status,
    ).toBe('duplicate')
    await tell('issueDeleted', '2026-03-01T10:02:00Z')
    expect(await find()).toMatchObject({ deleted: true })
    expect((await room.send([])).status).toBe(422)
  })
})

test('a workflow script may sign, and a wrong signature is refused', async () => {
  const signed = await openProviderRoom('youtrack', 'of the script')
  try {
    const body = { event: 'issueCreated', id: 'GAME-1', summary: 'Moon' }
    const hex = createHmac('sha256', 'of the script').update(JSON.stringify(body)).digest('hex')
    expect((await signed.send(body, { 'x-webhook-signature': `sha256=${hex.replace(/^./, 'x')}` })).status).toBe(401)
    expect((await signed.send(body, { 'x-webhook-signature': `sha256=${hex}` })).json.status).toBe('processed')
  } finally {
    await signed.close()
  }
})
