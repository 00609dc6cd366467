import { createHmac } from 'node:crypto'
import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { deliveryTo } from '../../../../test/support/files/delivery.ts'
import { Unreadable } from '../../reading.ts'
import { buildkite } from './index.ts'

const vector = JSON.parse(readFileSync(new URL('fixtures/vectors/buildkite_ping.json', import.meta.url), 'utf8'))
const SENT = 1642080837

const delivery = (body: unknown, headers: Record<string, string> = {}) =>
  deliveryTo('buildkite', body, { headers, received: new Date(SENT * 1000) })

const build = { id: 'b', number: 7, state: 'running', blocked: false, commit: 'abc', branch: 'main' }
const pipeline = { slug: 'game-win64', name: 'Game Win64' }
const read = (event: string, changes: object = {}, job?: object) =>
  buildkite.read(delivery({ event, build: { ...build, ...changes }, pipeline, job }))

describe('the signature', () => {
  const verify = (value: string | undefined, secrets = [vector.secret], raw = vector.body, seconds = SENT) =>
    buildkite.verify!(
      {
        ...delivery({}, value === undefined ? {} : { 'x-buildkite-signature': value }),
        raw: Buffer.from(raw),
        received: new Date(seconds * 1000),
      },
      secrets,
    )

  test('of a published example is accepted', () => {
    expect(verify(vector.header_value)).toBe(true)
    expect(verify(vector.header_value, ['another', vector.secret])).toBe(true)
    expect(verify(vector.header_value.split(',').reverse().join(', '))).toBe(true)
  })

  test('covers every byte and the timestamp', () => {
    expect(verify(vector.header_value, [vector.secret], vector.body.replace('ping', 'pong'))).toBe(false)
    expect(verify(vector.header_value.replace(String(SENT), String(SENT + 1)))).toBe(false)
    expect(verify(vector.header_value, ['wrong'])).toBe(false)
  })

  test('is stale after five minutes, in either direction', () => {
    for (const off of [300, -300]) expect(verify(vector.header_value, [vector.secret], vector.body, SENT + off)).toBe(true)
    for (const off of [301, -301]) expect(verify(vector.header_value, [vector.secret], vector.body, SENT + off)).toBe(false)
  })

  test('must not be missing, empty or made without a secret', () => {
    const bare = createHmac('sha256', vector.secret).update(`.${vector.body}`).digest('hex')
    for (const value of [undefined, '', 'timestamp=,signature=', `signature=${bare}`, `timestamp=,signature=${bare}`])
      expect(verify(value)).toBe(false)
    expect(verify(vector.header_value, [])).toBe(false)
  })
})

describe('a build', () => {
  test.each([
    ['build.scheduled', 'scheduled', 'queued'],
    ['build.running', 'running', 'building'],
    ['build.failing', 'failing', 'building'],
    ['build.finished', 'passed', 'completed'],
    ['build.finished', 'failed', 'failed'],
    ['build.finished', 'canceled', 'cancelled'],
    ['build.finished', 'not_run', 'cancelled'],
    ['build.skipped', 'skipped', 'cancelled'],
  ])('of %s in state %s is %s', (event, state, status) => {
    expect(read(event, { state })).toMatchObject([{ build: { job: 'game-win64', number: '7' }, status, commit_hash: 'abc' }])
  })

  test('waits for its CI when blocked, unless it failed before the block', () => {
    const held = { status: 'passed_pending_approval', held: true }
    expect(read('build.finished', { state: 'passed', blocked: true })).toMatchObject([held])
    expect(read('build.finished', { state: 'blocked' })).toMatchObject([held])
    expect(read('build.finished', { state: 'failed', blocked: true })).toMatchObject([{ status: 'failed' }])
  })

  test('may have the tail of its log and a changelist in its meta-data', () => {
    const [fact] = read('build.finished', { state: 'failed', meta_data: { logs_tail: 'LogCook: Error', changelist: '812' } })
    expect(fact).toMatchObject({ log: 'LogCook: Error', changelist: '812', commit_hash: 'abc' })
  })

  test('with an unknown state or event is ignored', () => {
    expect(read('build.finished', { state: 'purple' })).toEqual([])
    expect(read('agent.connected')).toEqual([])
    expect(buildkite.read(delivery({}))).toEqual([])
  })

  test('without a number or a pipeline is unreadable', () => {
    expect(() => read('build.running', { number: null })).toThrow(Unreadable)
    expect(() => buildkite.read(delivery({ event: 'build.running', build }))).toThrow(Unreadable)
  })
})

describe('a job', () => {
  const times = { started_at: '2026-07-27T14:20:05.000Z', finished_at: '2026-07-27T14:22:30.000Z' }
  const cook = { type: 'script', name: ':unreal: Cook', state: 'failed', exit_status: 8, agent: { name: 'win-3' }, ...times }

  test('is a step of its build', () => {
    expect(read('job.finished', {}, cook)).toMatchObject([
      {
        status: 'building',
        at: times.finished_at,
        steps: [{ name: ':unreal: Cook', status: 'failed', detail: 'exit status 8, on win-3', duration_seconds: 145, ...times }],
      },
    ])
  })

  test.each([
    [{ state: 'scheduled', exit_status: null }, 'queued'],
    [{ state: 'running', exit_status: null }, 'running'],
    [{ state: 'passed', exit_status: 0 }, 'completed'],
    [{ state: 'finished', exit_status: 1 }, 'failed'],
    [{ state: 'timed_out' }, 'failed'],
    [{ state: 'canceled' }, 'cancelled'],
  ])('%j is %s', (state, status) => {
    expect(read('job.finished', {}, { ...cook, ...state })).toMatchObject([{ steps: [{ status }] }])
  })

  test('is named by its position in a parallel step, or by its command', () => {
    const parallel = { ...cook, parallel_group_index: 1, parallel_group_total: 4 }
    expect(read('job.started', {}, parallel)).toMatchObject([{ steps: [{ name: ':unreal: Cook 2/4' }] }])
    const nameless = { ...cook, name: null, command: 'make cook\nmake package' }
    expect(read('job.started', {}, nameless)).toMatchObject([{ steps: [{ name: 'make cook' }] }])
  })

  test('that only waits is ignored', () => {
    expect(read('job.finished', {}, { ...cook, type: 'waiter' })).toEqual([])
  })
})

test('deliveries are identified by their request id', () => {
  expect(buildkite.deliveryKey!(delivery({}, { 'x-buildkite-request': 'r-1' }))).toBe('r-1')
})

test('every JSON throws nothing but Unreadable', () => {
  const body = fc.oneof(
    fc.jsonValue(),
    fc.record({ event: fc.constantFrom('build.finished', 'job.finished'), build: fc.jsonValue() }),
  )
  fc.assert(
    fc.property(body, (value) => {
      try {
        buildkite.read(delivery(value))
      } catch (error) {
        expect(error).toBeInstanceOf(Unreadable)
      }
    }),
  )
})

test('the log of a failed build is fetched, unless a step left its end in the meta-data', () => {
  const jobOf = (changes: object) => buildkite.followUp!(read('build.finished', changes)[0]!, 5, 1)
  expect(jobOf({ state: 'failed' })).toMatchObject({ kind: 'read_buildkite_log', payload: { account_id: 1, build_run_id: 5 } })
  expect(jobOf({ state: 'failed', meta_data: { logs_tail: 'boom' } })).toBeUndefined()
  expect(jobOf({ state: 'passed' })).toBeUndefined()
})
