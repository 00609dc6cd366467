import { createHmac } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { deliveryTo } from '../../../../test/support/files/delivery.ts'
import { Unreadable } from '../../reading.ts'
import { monday } from './index.ts'

const NOW = Date.parse('2026-03-01T12:00:00Z') / 1000

const delivery = (body: unknown, headers: Record<string, string> = {}) =>
  deliveryTo('monday', body, { headers, received: new Date(NOW * 1000) })

const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')

const token = (claims: object, { alg = 'HS256', secret = 'signing' } = {}) => {
  const content = `${part({ alg, typ: 'JWT' })}.${part(claims)}`
  return `${content}.${createHmac('sha256', secret).update(content).digest('base64url')}`
}

test('a challenge is returned', () => {
  expect(monday.handshake?.(delivery({ challenge: '3eZbrw1a' }))).toEqual({ body: { challenge: '3eZbrw1a' } })
  expect(monday.handshake?.(delivery({ event: {} }))).toBeUndefined()
  expect(monday.handshake?.(delivery({ challenge: { no: 'text' } }))).toBeUndefined()
})

describe('the signed token', () => {
  const verify = (authorization: string, secrets = ['signing']) =>
    monday.verify?.(delivery({ event: {} }, { authorization }), secrets)

  test('is accepted with and without `Bearer`', () => {
    expect(verify(token({ accountId: 1 }))).toBe(true)
    expect(verify(`Bearer ${token({ accountId: 1, exp: NOW + 300 })}`)).toBe(true)
  })

  // The example of jwt.io; not produced by our code.
  test('matches a published example', () => {
    const example =
      'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG9lIiwiaWF0IjoxNTE2MjM5MDIyfQ.SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c'
    expect(verify(example, ['your-256-bit-secret'])).toBe(true)
    expect(verify(example.replace('SflK', 'SflL'), ['your-256-bit-secret'])).toBe(false)
  })

  test('is refused with another secret, changed, expired, or without HS256', () => {
    const good = token({ accountId: 1 })
    expect(verify(good, ['another'])).toBe(false)
    expect(verify(good.replace(/\.[^.]+\./, `.${part({ accountId: 2 })}.`))).toBe(false)
    expect(verify(token({ exp: NOW - 61 }))).toBe(false)
    expect(verify(token({ nbf: NOW + 61 }))).toBe(false)
    expect(verify(token({}, { alg: 'none' }))).toBe(false)
    expect(verify(`${part({ alg: 'none' })}.${part({})}.`)).toBe(false)
    for (const junk of ['', 'Bearer ', 'a.b', 'a.b.c', `${good}.d`, 'Basic dXNlcjpwYXNz']) expect(verify(junk)).toBe(false)
  })

  test('is required once a secret is stored, and not without one', () => {
    expect(monday.verify?.(delivery({ event: {} }), ['signing'])).toBe(false)
    expect(monday.verify?.(delivery({ event: {} }), [])).toBe(true)
    expect(verify(token({}, { secret: 'of another app' }), [])).toBe(true)
  })
})

describe('an item', () => {
  const read = (event: object) => monday.read(delivery({ event }))

  test('is renamed', () => {
    expect(read({ type: 'update_name', pulseId: 41, value: { name: 'Boss fight' }, previousValue: { name: 'Boss' } })).toEqual([
      { kind: 'reference', key: '41', title: 'Boss fight' },
    ])
  })

  test('is archived, restored, deleted', () => {
    const event = { itemId: 41, itemName: 'Boss fight' }
    const fact = { kind: 'reference', key: '41', title: 'Boss fight' }
    expect(read({ type: 'archive_pulse', ...event })).toEqual([{ ...fact, state: 'Archived' }])
    expect(read({ type: 'restore_pulse', ...event, value: { state: 1 } })).toEqual([{ ...fact, deleted: false }])
    expect(read({ type: 'delete_pulse', ...event })).toEqual([{ ...fact, deleted: true }])
  })

  test('takes its state only from a status column, not from a priority of the same type', () => {
    const column = { type: 'update_column_value', pulseId: 41, columnType: 'color', value: { label: { index: 1, text: 'High' } } }
    expect(read({ ...column, columnId: 'status_1', columnTitle: 'Priority' })).toEqual([{ kind: 'reference', key: '41' }])
    expect(read({ ...column, columnId: 'color_mk1', columnTitle: 'Art status' })).toMatchObject([{ state: 'High' }])
    expect(read({ ...column, columnId: 'status', columnTitle: 'Estado' })).toMatchObject([{ state: 'High' }])
  })

  test('is assigned to a person, not to a team, and to nobody', () => {
    const column = { type: 'update_column_value', pulseId: 41, columnType: 'multiple-person' }
    const team = { id: 5, kind: 'team' }
    const given = (...personsAndTeams: object[]) => read({ ...column, value: { personsAndTeams } })
    expect(given(team, { id: 67, kind: 'person' })).toMatchObject([{ assignee_uid: '67' }])
    expect(given(team)).toMatchObject([{ assignee_uid: null }])
    expect(read({ ...column, value: null })).toMatchObject([{ assignee_uid: null }])
  })

  test('needs a number', () => {
    for (const pulseId of ['*****', -1, 1.5, null, {}]) expect(read({ type: 'create_pulse', pulseId })).toEqual([])
    expect(read({ type: 'create_column', columnId: 'text' })).toEqual([])
  })
})

test('a retry is identified by its trigger', () => {
  expect(monday.deliveryKey?.(delivery({ event: { triggerUuid: '504b2eb7', isRetry: true } }))).toBe('504b2eb7')
})

test('a body that is not an object is unreadable', () => {
  for (const body of [undefined, null, [], 'text', 1]) expect(() => monday.read(delivery(body))).toThrow(Unreadable)
})
