import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { deliveryTo } from '../../../../test/support/files/delivery.ts'
import type { Delivery } from '../../provider.ts'
import { Unreadable } from '../../reading.ts'
import { trello } from './index.ts'

const delivery = (body: unknown, more: Partial<Delivery> = {}) => deliveryTo('trello', body, more)

test('the signature covers the body and the URL it was sent to', () => {
  const vector = JSON.parse(readFileSync(new URL('fixtures/vectors/trello_computed.json', import.meta.url), 'utf8'))
  const signed = delivery(undefined, {
    raw: Buffer.from(vector.body),
    url: vector.callback_url,
    headers: { 'x-trello-webhook': vector.header_value },
  })
  expect(trello.verify?.(signed, [vector.secret])).toBe(true)
  expect(trello.verify?.(signed, ['another'])).toBe(false)
  expect(trello.verify?.({ ...signed, raw: Buffer.from(`${vector.body} `) }, [vector.secret])).toBe(false)
  expect(trello.verify?.({ ...signed, url: vector.callback_url.replace('abab', 'abac') }, [vector.secret])).toBe(false)
  expect(trello.verify?.({ ...signed, headers: {} }, [vector.secret])).toBe(false)
})

test('the signature is not required without a secret', () => {
  expect(trello.verify?.(delivery({}), [])).toBe(true)
})

test('a deleted card is removed', () => {
  const data = { card: { id: '5682ad87', idShort: 45, shortLink: 'Rwk4EVy0' }, list: { name: 'Backlog' } }
  expect(trello.read(delivery({ action: { type: 'deleteCard', data } }))).toEqual([
    { kind: 'reference', key: 'Rwk4EVy0', state: 'Backlog', url: 'https://trello.com/c/Rwk4EVy0', deleted: true },
  ])
})

test('an archived card has that state, whatever its list', () => {
  const data = { card: { shortLink: 'Rwk4EVy0', closed: true }, list: { name: 'Backlog' } }
  expect(trello.read(delivery({ action: { type: 'updateCard', data } }))).toMatchObject([{ state: 'Archived' }])
})

test('two deliveries of one action are the same', () => {
  expect(trello.deliveryKey?.(delivery({ action: { id: '572b6d46' } }))).toBe('572b6d46')
  expect(trello.deliveryKey?.(delivery({ action: {} }))).toBeUndefined()
})

test('a short link with unsafe characters makes no reference', () => {
  for (const shortLink of ['../login', 'a?b', '', 7, null]) {
    expect(trello.read(delivery({ action: { type: 'createCard', data: { card: { shortLink } } } }))).toEqual([])
  }
})

test('a body that is not an object is unreadable', () => {
  for (const body of [undefined, null, [], 'text', 1]) expect(() => trello.read(delivery(body))).toThrow(Unreadable)
})
