import { createHmac } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { deliveryTo } from '../../../../test/support/files/delivery.ts'
import { Unreadable } from '../../reading.ts'
import { jenkins } from './index.ts'
import { KNOWN_WORDS } from './status.ts'

const delivery = (path: string, body: unknown, headers: Record<string, string> = {}) => deliveryTo(path, body, { headers })

const read = (path: string, body: unknown, headers?: Record<string, string>) => jenkins.read(delivery(path, body, headers))

const flat = { job_name: 'studio/Game-Win64', build_number: 42, status: 'SUCCESS', build_url: 'https://ci.example.com/job/42/' }

describe('the flat report', () => {
  test('has the build, its state, its code and its log', () => {
    const body = { ...flat, changelist: 81234, branch: 'origin/main', console: 'Result: Succeeded', duration_seconds: 61.4 }
    expect(read('ci', body)).toEqual([
      {
        kind: 'build',
        build: { job: 'studio/Game-Win64', number: '42' },
        status: 'completed',
        url: 'https://ci.example.com/job/42/',
        changelist: '81234',
        branch: 'main',
        log: 'Result: Succeeded',
        duration_seconds: 61,
      },
    ])
  })

  test.each([
    ['Success', 'completed'],
    ['STABLE', 'completed'],
    ['unstable', 'failed'],
    ['Timed_Out', 'failed'],
    ['NOT_BUILT', 'cancelled'],
    ['canceled', 'cancelled'],
    ['waiting', 'queued'],
    ['IN_PROGRESS', 'building'],
  ])('reads %s as %s', (word, status) => {
    expect(read('jenkins', { ...flat, status: word })).toMatchObject([{ status }])
  })

  test('holds a build that its CI reports as blocked', () => {
    expect(read('ci', { ...flat, status: 'blocked' })).toMatchObject([{ status: 'passed_pending_approval', held: true }])
  })

  test.each(['NULL', 'completed', 'toString', '', null, 7, undefined])(
    'refuses the status %j and lists the known ones',
    (status) => {
      expect(() => read('jenkins', { ...flat, status })).toThrow(Unreadable)
      for (const word of KNOWN_WORDS) expect(() => read('jenkins', { ...flat, status })).toThrow(word)
    },
  )

  test.each(['job_name', 'build_number'])('refuses a report without %s', (name) => {
    expect(() => read('jenkins', { ...flat, [name]: null })).toThrow(Unreadable)
  })

  test('prefers logs_tail over log over console, skipping empty ones, and joins lines', () => {
    expect(read('ci', { ...flat, logs_tail: 'a', log: 'b', console: 'c' })).toMatchObject([{ log: 'a' }])
    expect(read('ci', { ...flat, logs_tail: '', log: ['b', 'b2'], console: 'c' })).toMatchObject([{ log: 'b\nb2' }])
  })

  test('reads artifacts with names, sizes and links, and no executable links', () => {
    const artifacts = [
      { name: 'Game.zip', size_bytes: 10, url: 'https://x.example/Game.zip' },
      'https://x.example/a/Game.pdb?x=1',
    ]
    expect(
      read('ci', { ...flat, artifacts: [...artifacts, { name: 'odd', url: 'javascript:alert(1)', size: -1 }] }),
    ).toMatchObject([
      {
        artifacts: [
          { name: 'Game.zip', size_bytes: 10, url: 'https://x.example/Game.zip' },
          { name: 'Game.pdb', size_bytes: null, url: 'https://x.example/a/Game.pdb?x=1' },
          { name: 'odd', size_bytes: null, url: '' },
        ],
      },
    ])
  })

  test('needs no signature, even if a secret is set', () => {
    expect(jenkins.verify!(delivery('ci', flat), ['secret'])).toBe(true)
  })

  test('is identified by its bytes alone', () => {
    expect(jenkins.deliveryKey!(delivery('ci', flat))).toBeUndefined()
  })
})

const run = { number: 12, timestamp: 1_700_000_100_000, duration: 90_000, url: 'job/studio/job/Game%20Win64/12/' }
const notification = (build: object) => ({ name: 'Game Win64', url: 'job/studio/job/Game%20Win64/', build: { ...run, ...build } })

describe('the Notification plugin', () => {
  test.each([
    ['QUEUED', undefined, 'queued'],
    ['STARTED', 'SUCCESS', 'building'],
    ['COMPLETED', 'FAILURE', 'failed'],
    ['FINALIZED', 'ABORTED', 'cancelled'],
    ['FINALIZED', 'UNSTABLE', 'failed'],
  ])('reads the phase %s with the result %s as %s', (phase, status, expected) => {
    expect(read('jenkins', notification({ phase, status }))).toMatchObject([{ status: expected }])
  })

  test('gives job folders, times, changelist, log and artifacts', () => {
    const archive = 'https://ci.example.com/job/studio/job/Game%20Win64/12/artifact/out/Game.zip'
    const body = notification({
      phase: 'COMPLETED',
      status: 'FAILURE',
      scm: { branch: 'origin/main', commit: '' },
      parameters: { PLATFORM: 'Win64', P4_CHANGELIST: '81234', CL: 'now' },
      log: 'LogCook: Error: no\n',
      artifacts: { 'out/Game.zip': { archive } },
    })
    expect(read('jenkins/build_notification', body)).toEqual([
      {
        kind: 'build',
        build: { job: 'studio/Game Win64', number: '12' },
        status: 'failed',
        changelist: '81234',
        branch: 'main',
        log: 'LogCook: Error: no\n',
        artifacts: [{ name: 'out/Game.zip', size_bytes: null, url: archive }],
        started_at: '2023-11-14T22:13:30.000Z',
        finished_at: '2023-11-14T22:15:00.000Z',
        duration_seconds: 90,
        at: '2023-11-14T22:15:00.000Z',
      },
    ])
  })

  test('ignores unknown phases and results', () => {
    expect(read('jenkins', notification({ phase: 'NONE', status: 'SUCCESS' }))).toEqual([])
    expect(read('jenkins', notification({ phase: 'COMPLETED', status: 'PURPLE' }))).toEqual([])
  })

  test('is one delivery for each name, number and phase', () => {
    const key = (build: object) => jenkins.deliveryKey!(delivery('jenkins', notification(build)))
    expect(key({ phase: 'STARTED', duration: 1 })).toBe(key({ phase: 'STARTED', duration: 2 }))
    expect(new Set([key({ phase: 'STARTED' }), key({ phase: 'COMPLETED' }), key({ phase: 'STARTED', number: 13 })]).size).toBe(3)
  })

  test('must be signed at build_notification, and is never accepted without a secret', () => {
    const body = notification({ phase: 'STARTED' })
    const sign = (bytes: string) => `sha256=${createHmac('sha256', 'secret').update(bytes).digest('hex')}`
    const good = sign(JSON.stringify(body))
    const verify = (signature: string | undefined, secrets: string[], path = 'ci/build_notification') =>
      jenkins.verify!(delivery(path, body, signature === undefined ? {} : { 'x-jenkins-signature': signature }), secrets)
    expect(verify(good, ['other', 'secret'])).toBe(true)
    expect(verify(good, ['secret'], 'jenkins/build_notification')).toBe(true)
    expect(verify(sign(`${JSON.stringify(body)} `), ['secret'])).toBe(false)
    expect(verify(good.slice('sha256='.length), ['secret'])).toBe(false)
    expect(verify(undefined, ['secret'])).toBe(false)
    expect(verify(good, [])).toBe(false)
    expect(verify(undefined, [])).toBe(false)
  })
})

describe('the commit trigger', () => {
  test('requests a queued build without a number', () => {
    const body = { job_name: 'Game-Win64', commit: 'abc123', branch: 'main', build_type: 'unreal', target_type: 'Shipping' }
    expect(read('ci/commit_trigger', body)).toEqual([
      {
        kind: 'build',
        build: { job: 'Game-Win64' },
        status: 'queued',
        start: true,
        commit_hash: 'abc123',
        branch: 'main',
        build_type: 'unreal',
        target_type: 'shipping',
        configuration: 'Shipping',
      },
    ])
    expect(read('jenkins/commit_trigger', { job_name: 'Game-Win64', changelist: 7 })).toMatchObject([{ changelist: '7' }])
  })

  test.each([{ job_name: 'Game' }, { commit: 'abc' }, [], null, 'job'])('refuses %j', (body) => {
    expect(() => read('jenkins/commit_trigger', body)).toThrow(Unreadable)
  })
})

describe('Unity Build Automation', () => {
  const vector = '{"zażółć":"gęślą","n":1}'
  const signature = 'ea64b5ee78f88dc3d94836265dda41f8ec788302d11d1223efc932b8c28557cb'
  const signed = (bytes: string, secrets: string[]) =>
    jenkins.verify!({ ...delivery('ci', {}, { 'x-unitycloudbuild-signature': signature }), raw: Buffer.from(bytes) }, secrets)

  test('has its signature checked if it sends one', () => {
    expect(signed(vector, ['test-secret-123'])).toBe(true)
    expect(signed(vector.replace('1', '2'), ['test-secret-123'])).toBe(false)
    expect(signed(vector, [])).toBe(true)
  })

  test('is identified by its delivery id', () => {
    const headers = { 'x-unitycloudbuild-event': 'ProjectBuildStarted', 'x-unitycloudbuild-deliveryid': 'd-1' }
    expect(jenkins.deliveryKey!(delivery('ci', { buildNumber: 1, buildTargetName: 'WebGL' }, headers))).toBe('d-1')
  })

  test('reads a Perforce revision as a changelist', () => {
    const body = { buildNumber: 3, buildTargetName: 'WebGL', buildStatus: 'started', lastBuiltRevision: '81234' }
    expect(read('ci', body)).toMatchObject([{ status: 'building', changelist: '81234', build: { job: 'WebGL', number: '3' } }])
  })
})

test('every JSON throws nothing but Unreadable on any path', () => {
  const value = fc.oneof(fc.jsonValue(), fc.record(Object.fromEntries(Object.keys(flat).map((key) => [key, fc.jsonValue()]))))
  fc.assert(
    fc.property(fc.constantFrom(...jenkins.paths), value, (path, body) => {
      try {
        read(path, body)
      } catch (error) {
        expect(error).toBeInstanceOf(Unreadable)
      }
    }),
  )
})
