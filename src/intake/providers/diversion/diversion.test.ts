import { createHmac } from 'node:crypto'
import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { deliveryTo } from '../../../../test/support/files/delivery.ts'
import type { ChangeFact } from '../../facts.ts'
import type { Delivery } from '../../provider.ts'
import { Unreadable } from '../../reading.ts'
import { diversion } from './index.ts'

const delivery = (body: unknown, more: Partial<Delivery> = {}) => deliveryTo('diversion', body, more)

const change = (body: unknown) => diversion.read(delivery(body))[0] as ChangeFact

interface Vector {
  headers: Record<string, string>
  secret: string
  body: string
}
const vectors: Vector[] = JSON.parse(readFileSync(new URL('fixtures/vectors/standard_webhooks.json', import.meta.url), 'utf8'))

describe.each(vectors)('the signature of $headers.webhook-id', ({ headers, secret, body }) => {
  const sent = Number(headers['webhook-timestamp']) * 1000
  const arrived = (more: Record<string, string | undefined> = {}, seconds = 0, raw = body) =>
    delivery({}, { headers: { ...headers, ...more }, raw: Buffer.from(raw), received: new Date(sent + seconds * 1000) })
  const verify = (given: Delivery, secrets = [secret]) => diversion.verify?.(given, secrets)

  test('is accepted, with or without the prefix of its secret, next to an older secret', () => {
    expect(verify(arrived())).toBe(true)
    expect(verify(arrived(), [secret.slice('whsec_'.length)])).toBe(true)
    expect(verify(arrived(), ['whsec_b2xkZXItc2VjcmV0LW9mLXRoZS1ob29r', secret])).toBe(true)
  })

  test('may be in headers of either family', () => {
    const branded = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.replace('webhook', 'svix'), value]))
    expect(verify({ ...arrived(), headers: branded })).toBe(true)
    expect(verify({ ...arrived(), headers: { ...branded, 'svix-id': undefined, 'webhook-id': headers['webhook-id'] } })).toBe(
      false,
    )
  })

  test('may be one of several, of several versions', () => {
    const signature = headers['webhook-signature']!
    expect(verify(arrived({ 'webhook-signature': `v1a,abc v1,AAAA ${signature}` }))).toBe(true)
    expect(verify(arrived({ 'webhook-signature': `v2,${signature.slice('v1,'.length)}` }))).toBe(false)
  })

  test('is valid for five minutes before and after', () => {
    for (const seconds of [300, -300]) expect(verify(arrived({}, seconds))).toBe(true)
    for (const seconds of [301, -301]) expect(verify(arrived({}, seconds))).toBe(false)
  })

  test('covers body, id and time', () => {
    expect(verify(arrived({}, 0, `${body} `))).toBe(false)
    expect(verify(arrived({ 'webhook-id': 'msg_other' }))).toBe(false)
    expect(verify(arrived({ 'webhook-timestamp': String(sent / 1000 + 1) }))).toBe(false)
    for (const name of Object.keys(headers)) expect(verify(arrived({ [name]: undefined }))).toBe(false)
  })

  test('is not required without a secret, and an empty secret signs nothing', () => {
    expect(verify(delivery({}), [])).toBe(true)
    const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`
    const forged = createHmac('sha256', '').update(signed).digest('base64')
    expect(verify(arrived({ 'webhook-signature': `v1,${forged}` }), ['whsec_'])).toBe(false)
  })
})

test('a delivery is identified by its message id', () => {
  expect(diversion.deliveryKey?.(delivery({}, { headers: { 'webhook-id': 'msg_1' } }))).toBe('msg_1')
  expect(diversion.deliveryKey?.(delivery({}, { headers: { 'svix-id': 'msg_2' } }))).toBe('msg_2')
  expect(diversion.deliveryKey?.(delivery({}))).toBeUndefined()
})

test('a commit is found inside an envelope or at the top level, under likely names', () => {
  const expected = {
    kind: 'change',
    source_type: 'GitCommit',
    identifier: 'dv.commit.12',
    author: 'Ada <ada@example.com>',
    author_uids: ['u1', 'ada@example.com'],
    description: 'Paint the dragon',
    timestamp: '2026-03-01T11:00:00.000Z',
    branch: 'main',
    repository: { id: 'dv.repo.1', name: 'dv.repo.1' },
    files: null,
  }
  const author = { id: 'u1', name: 'Ada', email: 'ada@example.com' }
  const nested = {
    id: 'dv.commit.12',
    message: 'Paint the dragon',
    author,
    created_at: '2026-03-01T11:00:00Z',
    branch: { name: 'main' },
  }
  expect(change({ type: 'commit_created', data: { commit: nested, repo: { id: 'dv.repo.1' } } })).toEqual(expected)
  const flat = {
    commit_id: 'dv.commit.12',
    commit_message: 'Paint the dragon',
    author,
    created_ts: 1772362800,
    branch_name: 'main',
    repo_id: 'dv.repo.1',
  }
  expect(change({ event: 'commit.created', id: 'evt_1', ...flat })).toEqual(expected)
  expect(change({ data: { commits: [nested], branch_name: 'main', repo: 'dv.repo.1' } })).toEqual(expected)
})

test('an author may be a plain text', () => {
  expect(change({ commit: 'dv.commit.1', author: 'ada' })).toMatchObject({ author: 'ada', author_uids: ['ada'] })
  const author = 'Ada <ada@example.com>'
  expect(change({ commit: 'dv.commit.1', author })).toMatchObject({ author, author_uids: ['ada@example.com', author] })
})

test('the page of a commit is its own URL, not that of the envelope', () => {
  const commit = { id: 'dv.commit.1', html_url: 'https://app.example/commit/1' }
  expect(change({ data: { commit, url: 'https://app.example/repo' } }).url).toBe('https://app.example/commit/1')
  expect(change({ data: { commit: { id: 'dv.commit.1' }, url: 'https://app.example/repo' } })).not.toHaveProperty('url')
})

test('files are read if they are sent', () => {
  const files = [{ path: 'Content/T_Dragon.png', action: 'add' }]
  expect(change({ commit_id: 'dv.commit.1', files }).files).toEqual(files)
})

test('another event is ignored, a commit without id is unreadable', () => {
  expect(diversion.read(delivery({ type: 'branch_created', data: { id: 'dv.branch.1' } }))).toEqual([])
  for (const body of [{ type: 'commit_created', data: {} }, {}, [], null, 'commit'])
    expect(() => change(body)).toThrow(Unreadable)
})

test('a deleted branch is reported', () => {
  const body = {
    type: 'branch_deleted',
    data: { branch: { id: 'dv.branch.2', name: 'art' }, repo: { id: 'dv.repo.1', name: 'star' } },
  }
  expect(diversion.read(delivery(body))).toEqual([
    { kind: 'branch_deleted', branch: 'art', repository: { id: 'dv.repo.1', name: 'star' } },
  ])
})

test('every body is handled', () => {
  const likely = fc.record({
    commit_id: fc.constant('dv.commit.1'),
    author: fc.jsonValue(),
    branch: fc.jsonValue(),
    files: fc.jsonValue(),
  })
  fc.assert(
    fc.property(fc.oneof(fc.jsonValue(), likely, fc.record({ data: likely })), (body) => {
      expect(typeof diversion.event(delivery(body))).toBe('string')
      try {
        diversion.read(delivery(body))
      } catch (error) {
        expect(error).toBeInstanceOf(Unreadable)
      }
    }),
  )
})
