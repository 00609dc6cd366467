import { createHmac } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { deliveryTo } from '../../../../test/support/files/delivery.ts'
import type { Delivery } from '../../provider.ts'
import { Unreadable } from '../../reading.ts'
import { linear } from './index.ts'

const SENT = Date.parse('2026-03-01T12:00:00Z')

const delivery = (body: unknown, more: Partial<Delivery> = {}) =>
  deliveryTo('linear', body, { received: new Date(SENT), ...more })

const signed = (body: unknown, received = SENT): Delivery => {
  const raw = Buffer.from(JSON.stringify(body))
  const signature = createHmac('sha256', 'lin_wh_1').update(raw).digest('hex')
  return delivery(body, { raw, headers: { 'linear-signature': signature }, received: new Date(received) })
}

describe('the signature', () => {
  const body = { action: 'update', type: 'Issue', data: { title: 'gęślą' }, webhookTimestamp: SENT + 0.25 }

  test('is accepted with its secret and fails for another, a changed byte or none', () => {
    expect(linear.verify?.(signed(body), ['lin_wh_1'])).toBe(true)
    expect(linear.verify?.(signed(body), ['lin_wh_2'])).toBe(false)
    expect(linear.verify?.({ ...signed(body), raw: Buffer.from(JSON.stringify(body).replace('ę', 'e')) }, ['lin_wh_1'])).toBe(
      false,
    )
    expect(linear.verify?.(delivery(body), ['lin_wh_1'])).toBe(false)
  })

  test('is valid for 60 seconds around the time inside the body', () => {
    expect(linear.isFresh?.(signed(body, SENT + 60_000))).toBe(true)
    expect(linear.isFresh?.(signed(body, SENT + 60_001))).toBe(false)
    expect(linear.isFresh?.(signed(body, SENT - 60_001))).toBe(false)
  })

  test('is refused over a body without a time, even if correct', () => {
    const vector = JSON.parse(readFileSync(new URL('fixtures/vectors/linear_computed.json', import.meta.url), 'utf8'))
    const raw = Buffer.from(vector.body)
    const headers = { 'linear-signature': vector.header_value, 'linear-timestamp': String(SENT) }
    const untimed = delivery(JSON.parse(vector.body), { raw, headers })
    expect(linear.verify?.(untimed, [vector.secret])).toBe(true)
    expect(linear.isFresh?.(untimed)).toBe(false)
    expect(linear.isFresh?.({ ...untimed, body: { webhookTimestamp: SENT } })).toBe(true)
  })

  test('is not required without a secret', () => {
    expect(linear.verify?.(delivery({ webhookTimestamp: 0 }), [])).toBe(true)
  })
})

test('an issue is identified by its identifier, else by team and number, else by its URL', () => {
  const key = (data: object, url?: string) => linear.read(delivery({ action: 'create', type: 'Issue', data, url }))
  const url = 'https://linear.app/studio/issue/ART-9/paint-the-dragon'
  expect(key({ identifier: 'GAME-7', team: { key: 'ART' }, number: 9 }, url)).toMatchObject([{ key: 'GAME-7' }])
  expect(key({ team: { key: 'ART' }, number: 8 }, url)).toMatchObject([{ key: 'ART-8' }])
  expect(key({ number: 8 }, url)).toMatchObject([{ key: 'ART-9', url }])
  expect(key({ number: 8 }, 'https://linear.app/studio/project/game-1')).toEqual([])
})

test('a removed issue is deleted, a removed comment deletes nothing', () => {
  const data = { identifier: 'GAME-7', issue: { identifier: 'GAME-7' } }
  expect(linear.read(delivery({ action: 'remove', type: 'Issue', data }))).toMatchObject([{ key: 'GAME-7', deleted: true }])
  expect(linear.read(delivery({ action: 'remove', type: 'Comment', data }))).toEqual([{ kind: 'reference', key: 'GAME-7' }])
})

test('unknown actions and types are ignored', () => {
  const data = { identifier: 'GAME-7' }
  expect(linear.read(delivery({ action: 'breached', type: 'Issue', data }))).toEqual([])
  expect(linear.read(delivery({ action: 'create', type: 'Cycle', data }))).toEqual([])
  expect(linear.read(delivery({}))).toEqual([])
})

test('deliveries are identified by the delivery header, not by the webhook id', () => {
  const body = { webhookId: '000042e3' }
  expect(linear.deliveryKey?.(delivery(body, { headers: { 'linear-delivery': '234d1a4e' } }))).toBe('234d1a4e')
  expect(linear.deliveryKey?.(delivery(body))).toBeUndefined()
})

test('a body that is not an object is unreadable', () => {
  for (const body of [undefined, null, [], 'text', 1]) expect(() => linear.read(delivery(body))).toThrow(Unreadable)
})
