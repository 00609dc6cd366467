import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { deliveryTo } from '../../../../test/support/files/delivery.ts'
import type { Delivery } from '../../provider.ts'
import { Unreadable } from '../../reading.ts'
import { jira } from './index.ts'

const delivery = (body: unknown, more: Partial<Delivery> = {}) => deliveryTo('jira', body, more)

describe('the signature', () => {
  describe.each(['jira_docs', 'jira_computed'])('%s', (name) => {
    const vector = JSON.parse(readFileSync(new URL(`fixtures/vectors/${name}.json`, import.meta.url), 'utf8'))
    const signed = delivery(undefined, { raw: Buffer.from(vector.body), headers: { 'x-hub-signature': vector.header_value } })

    test('is accepted with its secret, also next to others', () => {
      expect(jira.verify?.(signed, [vector.secret])).toBe(true)
      expect(jira.verify?.(signed, ['another', vector.secret])).toBe(true)
    })

    test('fails for another secret, one changed byte, no header and another method', () => {
      expect(jira.verify?.(signed, ['another'])).toBe(false)
      expect(jira.verify?.({ ...signed, raw: Buffer.from(`${vector.body} `) }, [vector.secret])).toBe(false)
      expect(jira.verify?.({ ...signed, headers: {} }, [vector.secret])).toBe(false)
      const other = vector.header_value.replace('sha256', 'md5')
      expect(jira.verify?.({ ...signed, headers: { 'x-hub-signature': other } }, [vector.secret])).toBe(false)
    })
  })

  test('is not required without a secret', () => {
    expect(jira.verify?.(delivery({}), [])).toBe(true)
  })
})

describe('an automation rule', () => {
  const body = {
    key: 'GAME-12',
    url: 'https://studio.atlassian.net/browse/GAME-12',
    fields: { summary: 'The boss falls through the floor', status: { name: 'In Review' }, assignee: { accountId: '5b10' } },
  }
  const fact = {
    kind: 'reference',
    key: 'GAME-12',
    title: 'The boss falls through the floor',
    state: 'In Review',
    url: 'https://studio.atlassian.net/browse/GAME-12',
    assignee_uid: '5b10',
  }

  test('may send the bare issue, or the issue below `issue`', () => {
    expect(jira.read(delivery(body))).toEqual([fact])
    expect(jira.read(delivery({ issue: body }))).toEqual([fact])
    expect(jira.event(delivery(body))).toBe('automation')
  })

  test('may send the status as plain text, and an empty account for nobody', () => {
    const fields = { status: 'Done', assignee: { accountId: '' } }
    expect(jira.read(delivery({ key: 'GAME-12', fields }))).toMatchObject([{ state: 'Done', assignee_uid: null }])
  })

  test('leaves out an assignee that it does not send', () => {
    expect(jira.read(delivery({ key: 'GAME-12', fields: {} }))).toEqual([{ kind: 'reference', key: 'GAME-12' }])
  })

  test('may send the same twice: only simultaneous deliveries are duplicates', () => {
    const later = delivery(body, { received: new Date('2026-03-01T12:05:00Z') })
    expect(jira.deliveryKey?.(delivery(body))).toBe(jira.deliveryKey?.(delivery(body)))
    expect(jira.deliveryKey?.(later)).not.toBe(jira.deliveryKey?.(delivery(body)))
  })
})

test("a retry is identified by Jira's repeated identifier", () => {
  const headers = { 'x-atlassian-webhook-identifier': 'a1b2', 'x-atlassian-webhook-retry': '1' }
  expect(jira.deliveryKey?.(delivery({ webhookEvent: 'jira:issue_updated' }, { headers }))).toBe('a1b2')
  expect(jira.deliveryKey?.(delivery({ webhookEvent: 'jira:issue_updated' }))).toBeUndefined()
})

test('a status without a name falls back to the changelog, whose items own a `toString`, then to its category', () => {
  const changelog = {
    items: [
      { field: 'resolution', toString: null },
      { field: 'status', fromString: 'To Do', toString: 'Blocked' },
    ],
  }
  const issue = { key: 'GAME-12', fields: { status: { statusCategory: { key: 'indeterminate', name: 'In Progress' } } } }
  const event = { webhookEvent: 'jira:issue_updated', changelog }
  expect(jira.read(delivery({ ...event, issue: { key: 'GAME-12' } }))).toMatchObject([{ state: 'Blocked' }])
  expect(jira.read(delivery({ webhookEvent: 'jira:issue_updated', issue }))).toMatchObject([{ state: 'In Progress' }])
})

test('a Data Center below a path keeps that path in its links, and other schemes make none', () => {
  const read = (self: string) => jira.read(delivery({ webhookEvent: 'jira:issue_created', issue: { key: 'GAME-12', self } }))
  expect(read('https://tools.example/jira/rest/api/2/issue/1')).toMatchObject([
    { url: 'https://tools.example/jira/browse/GAME-12' },
  ])
  expect(read('javascript:alert(1)/rest/api/2/issue/1')).toEqual([{ kind: 'reference', key: 'GAME-12', deleted: false }])
})

test('a deletion has the time of the event, not of the last edit, and a comment does not show whether its issue exists', () => {
  const issue = { key: 'GAME-12', fields: { updated: '2026-03-01T10:00:00.000+0000' } }
  const read = (webhookEvent: string, timestamp?: number) => jira.read(delivery({ webhookEvent, timestamp, issue }))
  const at = '2026-03-01T11:00:00.000Z'
  expect(read('jira:issue_deleted', Date.parse(at))).toMatchObject([{ deleted: true, at }])
  expect(read('jira:issue_updated')).toMatchObject([{ deleted: false, at: '2026-03-01T10:00:00.000Z' }])
  expect(read('comment_deleted', Date.parse(at))).toEqual([{ kind: 'reference', key: 'GAME-12', at }])
})

test('an invalid issue key makes no reference', () => {
  for (const key of ['12', 'GAME', 'GAME-', '-12', 'GAME-12 <b>', 12, null])
    expect(jira.read(delivery({ key, fields: {} }))).toEqual([])
})

test('a body that is not an object is unreadable', () => {
  for (const body of [undefined, null, [], 'text', 1]) expect(() => jira.read(delivery(body))).toThrow(Unreadable)
})
