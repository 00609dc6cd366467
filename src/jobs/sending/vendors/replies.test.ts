import { afterEach, expect, test, vi } from 'vitest'
import type { VendorReply } from '../vendor.ts'
import { failureOf, jsonOf, retryAfter, waitOf } from './replies.ts'

const reply = (status: number, headers: VendorReply['headers'] = {}, body = ''): VendorReply => ({ status, headers, body })

afterEach(() => vi.useRealTimers())

test('the time to wait is given in seconds or as a date', () => {
  vi.useFakeTimers({ now: Date.UTC(2026, 9, 1, 12) })
  expect(retryAfter(reply(429, { 'retry-after': '1.2' }))).toBe(2)
  expect(retryAfter(reply(429, { 'retry-after': 'Thu, 01 Oct 2026 12:01:30 GMT' }))).toBe(90)
  expect(retryAfter(reply(429, { 'retry-after': 'Thu, 01 Oct 2026 11:00:00 GMT' }))).toBe(0)
  for (const headers of [{}, { 'retry-after': '' }, { 'retry-after': 'soon' }]) expect(retryAfter(reply(429, headers))).toBe(0)
})

test('nobody waits longer than a day', () => {
  expect(waitOf(100_000)).toBe(86_400)
  expect(waitOf(-1)).toBe(0)
  expect(waitOf('x')).toBe(0)
})

test.each([
  [200, undefined],
  [204, undefined],
  [302, 'gone'],
  [400, 'refused'],
  [404, 'gone'],
  [408, 'later'],
  [429, 'later'],
  [500, 'later'],
  [504, 'unknown'],
])('status %i means %s', (status, kind) => {
  const outcome = failureOf(reply(status, {}, 'https://hooks.example/the-secret'), 'Connect it again.')
  expect(outcome?.kind).toBe(kind)
  expect(JSON.stringify(outcome ?? '')).not.toContain('the-secret')
})

test('a body that is no JSON object has no fields', () => {
  expect(jsonOf(reply(200, {}, '{"ok":true}'))).toEqual({ ok: true })
  for (const body of ['', 'ok', '1', 'null', '{']) expect(jsonOf(reply(200, {}, body))).toBeUndefined()
})
