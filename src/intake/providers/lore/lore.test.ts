import fc from 'fast-check'
import { expect, test } from 'vitest'
import { deliveryTo } from '../../../../test/support/files/delivery.ts'
import type { ChangeFact } from '../../facts.ts'
import type { Delivery } from '../../provider.ts'
import { Unreadable } from '../../reading.ts'
import { lore } from './index.ts'

const delivery = (body: unknown, raw = JSON.stringify(body) ?? '') => deliveryTo('lore', body, { raw: Buffer.from(raw) })

const [first, second] = ['ab'.repeat(32), 'cd'.repeat(32)]
const identifiers = (given: Delivery) => (lore.read(given) as ChangeFact[]).map((fact) => fact.identifier)
const key = (body: unknown, raw?: string) => lore.deliveryKey?.(delivery(body, raw))
const pushed = (revision: string) => ({
  tagName: 'notificationBranchPushed',
  data: { revision, revisionNumber: 1, branch: '01', userId: 'ada' },
})
const locked = { tagName: 'notificationResourceLocked', data: { path: 'T_Dragon.png' } }

test('a revision has author, text, branch and files', () => {
  const revision = {
    revision: first,
    repository: 'starfall',
    branch: 'main',
    author: { name: 'Ada', email: 'ada@example.com' },
    user_id: 'ada',
    message: 'Paint the dragon',
    timestamp: '2026-03-01T11:00:00Z',
    files: [{ path: 'Art/T_Dragon.png', action: 'add', size: 2048 }],
  }
  expect(lore.read(delivery(revision))).toEqual([
    {
      kind: 'change',
      source_type: 'AssetCommit',
      identifier: first,
      author: 'Ada <ada@example.com>',
      author_uids: ['ada', 'ada@example.com'],
      description: 'Paint the dragon',
      timestamp: '2026-03-01T11:00:00.000Z',
      branch: 'main',
      repository: { id: 'starfall', name: 'starfall' },
      files: [{ path: 'Art/T_Dragon.png', action: 'add', size_bytes: 2048 }],
    },
  ])
})

test('a revision has a page if its relay sends one', () => {
  const [told, other] = ['https://lore.example/r/1', 'javascript:alert(1)'].map((url) =>
    lore.read(delivery({ revision: first, url })),
  )
  expect(told).toMatchObject([{ url: 'https://lore.example/r/1' }])
  expect(other![0]).not.toHaveProperty('url')
})

test('an author with an address is identified by it', () => {
  const author = 'Ada <ada@example.com>'
  expect(lore.read(delivery({ revision: first, author }))).toMatchObject([{ author, author_uids: ['ada@example.com', author] }])
})

test('several revisions may be a list, bare or wrapped, of objects or of hashes', () => {
  const both = [{ revision: first }, { revision: second }]
  for (const body of [both, { revisions: both }, { events: both }, { revisions: [first, second] }])
    expect(identifiers(delivery(body))).toEqual([first, second])
  expect(lore.read(delivery([]))).toEqual([])
})

test('repository and branch of a list apply to each of its revisions', () => {
  const facts = lore.read(
    delivery({ repository: 'starfall', branch: 'main', revisions: [{ revision: first }, { revision: second, branch: 'art' }] }),
  )
  expect(facts).toMatchObject([{ branch: 'main' }, { branch: 'art' }])
})

test('lines of a subscription are read with any content type', () => {
  const lines = `${JSON.stringify(pushed(first))}\n${JSON.stringify(locked)}\r\n\n${JSON.stringify(pushed(second))}\n`
  for (const body of [undefined, lines, { [lines]: '' }]) expect(identifiers(delivery(body, lines))).toEqual([first, second])
  expect(lore.event(delivery(undefined, lines))).toBe('notificationBranchPushed')
})

test('a notification without a push is ignored', () => {
  expect(lore.read(delivery(locked))).toEqual([])
  expect(key(locked)).toBeUndefined()
})

test('unchanged files are not reported as changed', () => {
  const files = [
    { path: 'a.png', action: 'keep' },
    { path: 'b.png', action: 'keep', flagModify: true },
    { path: 'c.png', action: 'delete' },
  ]
  expect(lore.read(delivery({ revision: first, files }))).toMatchObject([
    {
      files: [
        { path: 'b.png', action: 'edit' },
        { path: 'c.png', action: 'delete' },
      ],
    },
  ])
})

test('the same revisions of the same repository are the same delivery, however they are reported', () => {
  expect(key({ revision: first, repository: 'starfall' })).toBe(
    key({ repository: 'starfall', revisions: [{ revision: first, message: 'again' }] }),
  )
  expect(key({ revision: first, repository: 'starfall' })).not.toBe(key({ revision: first, repository: 'moonfall' }))
  expect(key({ revision: first })).not.toBe(key({ revision: second }))
  expect(key([first, second])).not.toBe(key([first]))
})

test('a body without a revision is unreadable', () => {
  for (const body of [undefined, null, {}, 'text', 7, { revision: '' }, [{ revision: first }, {}], [7]])
    expect(() => lore.read(delivery(body)), JSON.stringify(body)).toThrow(Unreadable)
  expect(() => lore.read(delivery(undefined, `${JSON.stringify(pushed(first))}\n{"tagName":`))).toThrow(Unreadable)
})

test('every body is handled', () => {
  const likely = fc.record({
    revision: fc.constant(first),
    author: fc.jsonValue(),
    files: fc.jsonValue(),
    tagName: fc.jsonValue(),
  })
  fc.assert(
    fc.property(fc.oneof(fc.jsonValue(), likely, fc.array(likely)), (body) => {
      key(body)
      expect(typeof lore.event(delivery(body))).toBe('string')
      try {
        lore.read(delivery(body))
      } catch (error) {
        expect(error).toBeInstanceOf(Unreadable)
      }
    }),
  )
})

test('a deleted branch is reported without its revisions', () => {
  const gone = { tagName: 'notificationBranchDeleted', data: { branch: '01', userId: 'ada' } }
  expect(lore.read(delivery({ repository: 'starfall', events: [gone] }))).toEqual([
    { kind: 'branch_deleted', branch: '01', repository: { id: 'starfall', name: 'starfall' } },
  ])
})
