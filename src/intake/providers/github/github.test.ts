import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { deliveryTo } from '../../../../test/support/files/delivery.ts'
import type { Delivery } from '../../provider.ts'
import { Unreadable } from '../../reading.ts'
import { github } from './index.ts'

const delivery = (event: string | undefined, body: unknown, more: Partial<Delivery> = {}) =>
  deliveryTo('github', body, {
    headers: { 'x-github-event': event, 'x-github-delivery': '0b989ba4-242f-11e5-81e1-c7b6966d2516' },
    ...more,
  })

const read = (event: string, body: unknown) => github.read(delivery(event, body))

describe('the signature', () => {
  const vector = JSON.parse(readFileSync(new URL('fixtures/vectors/github_docs.json', import.meta.url), 'utf8'))
  const signed = (body: string, signature?: string) =>
    delivery('push', {}, { raw: Buffer.from(body), headers: { 'x-hub-signature-256': signature } })

  test('of the documentation is accepted under its secret, also while a second secret is being introduced', () => {
    expect(github.verify?.(signed(vector.body, vector.header_value), [vector.secret])).toBe(true)
    expect(github.verify?.(signed(vector.body, vector.header_value), ['newer', vector.secret])).toBe(true)
  })

  test('fails for a changed byte, another secret, a bare digest or none', () => {
    expect(github.verify?.(signed('Hello, world!', vector.header_value), [vector.secret])).toBe(false)
    expect(github.verify?.(signed(vector.body, vector.header_value), ['guess'])).toBe(false)
    expect(github.verify?.(signed(vector.body, vector.header_value.slice('sha256='.length)), [vector.secret])).toBe(false)
    expect(github.verify?.(signed(vector.body), [vector.secret])).toBe(false)
  })

  test('is not required without a secret', () => {
    expect(github.verify?.(signed(vector.body), [])).toBe(true)
  })
})

test('a delivery is identified by its GUID, and by its content without one', () => {
  expect(github.deliveryKey?.(delivery('push', {}))).toBe('0b989ba4-242f-11e5-81e1-c7b6966d2516')
  expect(github.deliveryKey?.(delivery('push', {}, { headers: {} }))).toBeUndefined()
})

test('a request without an event name is unreadable, and so is one without an object', () => {
  expect(() => github.read(delivery(undefined, { zen: 'Keep it logically awesome.' }))).toThrow(Unreadable)
  for (const body of [undefined, null, [], 'push', 7]) expect(() => read('push', body)).toThrow(Unreadable)
})

test('the delivery log shows event and action', () => {
  expect(github.event(delivery('workflow_run', { action: 'completed' }))).toBe('workflow_run.completed')
  expect(github.event(delivery('push', { ref: 'refs/heads/main' }))).toBe('push')
  expect(github.event(delivery('push', { action: '<script>' }))).toBe('push')
})

test('an unsupported event is ignored', () => {
  for (const event of ['star', 'ping', 'toString', '__proto__']) expect(read(event, { action: 'created' })).toEqual([])
})

test('every example payload of Octokit is read', () => {
  const require = createRequire(import.meta.url)
  const counted = ['api.github.com', 'ghes-31', 'ghes-32', 'ghes-33', 'ghes-34', 'ghes-35'].map((edition) => {
    const events: { name: string; examples: unknown[] }[] = require(`@octokit/webhooks-examples/${edition}/index.json`)
    for (const { name, examples } of events)
      for (const example of examples) expect(() => read(name, example), `${edition} ${name}`).not.toThrow()
    return events.flatMap((event) => event.examples).length
  })
  expect(counted.reduce((sum, count) => sum + count)).toBeGreaterThan(329)
})

test('every body is handled', () => {
  const events = [
    'push',
    'pull_request',
    'issues',
    'workflow_run',
    'workflow_job',
    'check_run',
    'deployment_status',
    'release',
    'ping',
  ]
  fc.assert(
    fc.property(fc.constantFrom(...events), fc.jsonValue(), (event, body) => {
      try {
        read(event, body)
      } catch (error) {
        expect(error).toBeInstanceOf(Unreadable)
      }
    }),
  )
})
