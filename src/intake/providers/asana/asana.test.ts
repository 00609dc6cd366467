import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { deliveryTo } from '../../../../test/support/files/delivery.ts'
import type { Delivery } from '../../provider.ts'
import { Unreadable } from '../../reading.ts'
import { asana } from './index.ts'

const delivery = (body: unknown, more: Partial<Delivery> = {}) => deliveryTo('asana', body, more)

describe.each(['asana_fusebit', 'asana_computed'])('the signature of %s', (name) => {
  const vector = JSON.parse(readFileSync(new URL(`fixtures/vectors/${name}.json`, import.meta.url), 'utf8'))
  const signed = delivery(undefined, { raw: Buffer.from(vector.body), headers: { 'x-hook-signature': vector.header_value } })

  test('is accepted with any of the secrets, and only with those', () => {
    expect(asana.verify?.(signed, ['of an older webhook', vector.secret])).toBe(true)
    expect(asana.verify?.(signed, ['of an older webhook'])).toBe(false)
    expect(asana.verify?.({ ...signed, raw: Buffer.from(`${vector.body} `) }, [vector.secret])).toBe(false)
    expect(asana.verify?.({ ...signed, headers: {} }, [vector.secret])).toBe(false)
  })
})

test('the handshake returns the secret and stores it, with or without a body', () => {
  const headers = { 'x-hook-secret': 'cfecd97ea57de2b5' }
  const answer = { headers, secret: 'cfecd97ea57de2b5' }
  expect(asana.handshake?.(delivery({ events: [] }, { headers }))).toEqual(answer)
  expect(asana.handshake?.(delivery(undefined, { headers }))).toEqual(answer)
  expect(asana.handshake?.(delivery({ events: [] }))).toBeUndefined()
})

test('a heartbeat has no facts', () => {
  expect(asana.read(delivery({ events: [] }))).toEqual([])
  expect(asana.read(delivery(undefined))).toEqual([])
  expect(asana.event(delivery({ events: [] }))).toBe('heartbeat')
})

describe('events', () => {
  const task = (gid: string, action: string, more: object = {}) => ({ action, resource: { gid, resource_type: 'task' }, ...more })
  const read = (...events: unknown[]) => asana.read(delivery({ events }))
  const fact = (key: string) => ({ kind: 'reference', key, url: `https://app.asana.com/0/0/${key}` })

  test('about one task are one fact', () => {
    const project = { parent: { gid: '7', resource_type: 'project' } }
    const section = { parent: { gid: '8', resource_type: 'section' } }
    expect(read(task('1', 'added', project), task('2', 'added', project), task('1', 'added', section))).toEqual([
      fact('1'),
      fact('2'),
    ])
  })

  test('contain the assignee, or that there is none, and otherwise leave it out', () => {
    const given = (value?: unknown) =>
      task('1', 'changed', { change: { field: 'assignee', action: 'changed', new_value: value } })
    expect(read(given({ gid: '67', resource_type: 'user' }))).toEqual([{ ...fact('1'), assignee_uid: '67' }])
    expect(read(given({ gid: '67' }), given(null))).toEqual([{ ...fact('1'), assignee_uid: null }])
    expect(read(given())).toEqual([fact('1')])
  })

  test('delete a task, whatever else it is removed from, until it is restored', () => {
    expect(read(task('1', 'deleted'), task('1', 'removed'))).toEqual([{ ...fact('1'), deleted: true }])
    expect(read(task('1', 'deleted'), task('1', 'undeleted'))).toEqual([{ ...fact('1'), deleted: false }])
    expect(read(task('1', 'removed'))).toEqual([fact('1')])
  })

  test('about anything but tasks are ignored', () => {
    expect(
      read({ action: 'added', resource: { gid: '1', resource_type: 'story' } }, null, 'text', task('../1', 'added')),
    ).toEqual([])
  })
})

test('a body that is not an object is unreadable', () => {
  for (const body of [null, [], 'text', 1]) expect(() => asana.read(delivery(body))).toThrow(Unreadable)
})
