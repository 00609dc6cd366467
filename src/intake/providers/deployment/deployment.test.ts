import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { deliveryTo } from '../../../../test/support/files/delivery.ts'
import type { DeploymentFact } from '../../facts.ts'
import { Unreadable } from '../../reading.ts'
import { deployment } from './index.ts'

const delivery = (body: unknown, headers: Record<string, string> = {}) => deliveryTo('deployment', body, { headers })

const read = (body: object) => deployment.read(delivery(body))[0] as DeploymentFact
const steam = { platform: 'steam', event: 'upload_started', build_number: 42 }

describe('a report of a script', () => {
  test('has store, build and its known fields', () => {
    const body = {
      ...steam,
      platform: 'Steamworks',
      steam_app_id: '480',
      branch: 'beta',
      version: '1.4',
      commit: 'abc',
      build_run_id: '9',
    }
    expect(read({ ...body, external_build_id: 25520824, timestamp: '2026-03-01T11:00:00+01:00' })).toEqual({
      kind: 'deployment',
      platform: 'steam',
      key: '42',
      status: 'uploading',
      build_number: '42',
      branch: 'beta',
      version: '1.4',
      external_id: '480',
      external_build_id: '25520824',
      commit: 'abc',
      build_run_id: 9,
      at: '2026-03-01T10:00:00.000Z',
    })
  })

  test.each([
    ['created', 'pending'],
    ['queued', 'pending'],
    ['submitted', 'submitted'],
    ['processing', 'uploading'],
    ['review_started', 'in_review'],
    ['in_review', 'in_review'],
    ['approved', 'approved'],
    ['failed', 'rejected'],
    ['released', 'live'],
    ['published', 'live'],
    ['deployed', 'live'],
    ['live', 'live'],
    ['rolled_back', 'rolled_back'],
    ['Upload Started', 'uploading'],
    ['deployment.released', 'live'],
    ['build-failed', 'rejected'],
  ])('reads %s as %s', (event, status) => {
    const fact = read({ ...steam, event })
    expect(fact).toMatchObject({ status })
    expect(fact.warnings).toBeUndefined()
    expect(fact.uploaded).toBeUndefined()
  })

  test.each([
    ['ios', 'in_review'],
    ['android', 'in_review'],
    ['epic', 'in_review'],
    ['devvit', 'in_review'],
    ['playables', 'in_review'],
    ['steam', 'approved'],
    ['unity', 'approved'],
    ['itch.io', 'approved'],
  ])('uploaded to %s is %s', (platform, status) => {
    expect(read({ ...steam, platform, event: 'uploaded' })).toMatchObject({ status, uploaded: true })
  })

  test.each(['glitched', '__proto__', '', undefined])('stores a deployment with the event %j, with a warning', (event) => {
    const fact = read({ ...steam, event })
    expect(fact.status).toBeUndefined()
    expect(fact.warnings?.[0]).toContain(JSON.stringify(event || null))
    expect(fact.key).toBe('42')
  })

  test('is identified by its external id if it has one', () => {
    expect(read({ ...steam, external_id: 'own', steam_app_id: 480 }).external_id).toBe('own')
    expect(read({ ...steam, steam_app_id: 480 }).external_id).toBe('480')
    expect(read(steam).external_id).toBeUndefined()
  })

  test("without a build number is identified by its version, or by the store's name for it", () => {
    const { build_number: _, ...bare } = steam
    expect(read({ ...bare, version: '1.4', external_build_id: 'x' }).key).toBe('1.4')
    expect(read({ ...bare, external_build_id: 'x', external_id: 'y' }).key).toBe('x')
    expect(read({ ...bare, steam_app_id: '480' }).key).toBe('480')
    expect(() => read(bare)).toThrow(Unreadable)
  })

  test('keeps unknown stores apart', () => {
    const [one, other] = [read({ ...steam, platform: 'Itch.io' }), read({ ...steam, platform: 'GOG' })]
    expect([one.platform, other.platform]).toEqual(['custom', 'custom'])
    expect(one.key).not.toBe(other.key)
  })

  test.each([{ event: 'live', build_number: 1 }, { ...steam, platform: '' }, { ...steam, platform: 5 }, null, 'steam', []])(
    'is unreadable as %j',
    (body) => {
      expect(() => deployment.read(delivery(body))).toThrow(Unreadable)
    },
  )

  test('needs no signature, even if a secret is set', () => {
    expect(deployment.verify!(delivery(steam), ['secret'])).toBe(true)
  })
})

describe('App Store Connect', () => {
  const event = (type: string, attributes: object, id = 'event-1') => ({
    data: { type, id, version: 1, attributes, relationships: { instance: { data: { type: 'x', id: 'instance-1' } } } },
  })
  const version = (newValue: string) => event('appStoreVersionAppVersionStateUpdated', { newValue })

  test.each([
    ['WAITING_FOR_REVIEW', 'submitted'],
    ['IN_REVIEW', 'in_review'],
    ['PENDING_DEVELOPER_RELEASE', 'approved'],
    ['METADATA_REJECTED', 'rejected'],
    ['READY_FOR_DISTRIBUTION', 'live'],
    ['READY_FOR_SALE', 'live'],
  ])('%s is %s', (state, status) => {
    expect(read(version(state))).toMatchObject({ platform: 'apple_app_store', key: 'instance-1', status })
  })

  test('stores an unknown state with a warning, and a replaced version without one', () => {
    expect(read(version('ON_THE_MOON'))).toMatchObject({ warnings: [expect.stringContaining('ON_THE_MOON')] })
    const replaced = read(version('REPLACED_WITH_NEW_VERSION'))
    expect([replaced.status, replaced.warnings]).toEqual([undefined, undefined])
  })

  test('ignores pings and other events', () => {
    for (const type of ['webhookPingCreated', 'betaFeedbackScreenshotSubmissionCreated'])
      expect(deployment.read(delivery(event(type, { ping: true })))).toEqual([])
  })

  test('is one delivery for each event and state', () => {
    const key = (state: string) =>
      deployment.deliveryKey!(delivery(event('buildUploadStateUpdated', { newState: state }, 'same')))
    expect(key('PROCESSING')).toBe(key('PROCESSING'))
    expect(key('PROCESSING')).not.toBe(key('COMPLETE'))
  })

  test('has its signature checked if it sends one', () => {
    const raw = '{"zażółć":"gęślą","n":1}'
    const signature = 'hmacsha256=ea64b5ee78f88dc3d94836265dda41f8ec788302d11d1223efc932b8c28557cb'
    const verify = (bytes: string, secrets: string[]) =>
      deployment.verify!({ ...delivery({}, { 'x-apple-signature': signature }), raw: Buffer.from(bytes) }, secrets)
    expect(verify(raw, ['test-secret-123'])).toBe(true)
    expect(verify(raw.replace('1', '2'), ['test-secret-123'])).toBe(false)
    expect(verify(raw, ['other'])).toBe(false)
    expect(verify(raw, [])).toBe(true)
  })
})

test('a Unity signature is checked if present', () => {
  const headers = { 'x-unitycloudbuild-event': 'ProjectBuildSuccess', 'x-unitycloudbuild-signature': '00' }
  expect(deployment.verify!(delivery({}, headers), ['secret'])).toBe(false)
  expect(deployment.verify!(delivery({}, headers), [])).toBe(true)
})

test('every JSON throws nothing but Unreadable', () => {
  const names = ['platform', 'event', 'build_number', 'version', 'external_id', 'timestamp', 'data', 'buildNumber']
  const body = fc.oneof(fc.jsonValue(), fc.record(Object.fromEntries(names.map((name) => [name, fc.jsonValue()]))))
  fc.assert(
    fc.property(body, (value) => {
      try {
        deployment.read(delivery(value))
      } catch (error) {
        expect(error).toBeInstanceOf(Unreadable)
      }
    }),
  )
})
