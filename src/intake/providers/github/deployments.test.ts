import { expect, test } from 'vitest'
import { Unreadable } from '../../reading.ts'
import { deploymentStatus, release } from './deployments.ts'

const published = (action: string, more: object = {}) =>
  release({
    action,
    release: { tag_name: 'v1.2', published_at: '2026-03-01T11:00:00Z', created_at: '2026-02-27T11:00:00Z', ...more },
  })

test('a release is live once it is not a draft, however often GitHub reports it', () => {
  for (const action of ['created', 'published', 'released', 'prereleased', 'edited'])
    expect(published(action)).toMatchObject([{ key: 'release:v1.2', version: 'v1.2', platform: 'custom', status: 'live' }])
  expect(published('created', { draft: true })).toMatchObject([{ status: 'pending', at: '2026-02-27T11:00:00.000Z' }])
})

test('a withdrawn release is rolled back', () => {
  for (const action of ['deleted', 'unpublished']) expect(published(action)).toMatchObject([{ status: 'rolled_back' }])
})

test('a release points at a branch or at a commit', () => {
  expect(published('published', { target_commitish: 'main' })).toMatchObject([{ branch: 'main', commit: undefined }])
  expect(published('published', { target_commitish: 'a'.repeat(40) })).toMatchObject([
    { branch: undefined, commit: 'a'.repeat(40) },
  ])
})

test('a release with an unknown action is ignored, without a tag it is unreadable', () => {
  expect(published('bewitched')).toEqual([])
  expect(() => published('published', { tag_name: null })).toThrow(Unreadable)
})

const deployed = (state: string, deployment: object = {}, more: object = {}) =>
  deploymentStatus({ deployment: { id: 5, sha: 'a1', ref: 'main', ...deployment }, deployment_status: { state, ...more } })

test.each([
  ['pending', 'pending'],
  ['queued', 'pending'],
  ['waiting', 'pending'],
  ['in_progress', 'uploading'],
  ['success', 'live'],
  ['failure', 'rejected'],
  ['error', 'rejected'],
])('a deployment in state %s is %s', (state, status) => {
  expect(deployed(state)).toMatchObject([{ key: 'deployment:5', commit: 'a1', branch: 'main', status }])
})

test('a superseded deployment keeps its state', () => {
  expect(deployed('inactive')).toEqual([])
})

test.each([
  ['production', 'custom'],
  ['Steam', 'steam'],
  ['steam/beta', 'steam'],
  ['Google Play', 'google_play'],
  ['google-play-internal', 'google_play'],
  ['google-cloud', 'custom'],
  ['ios', 'apple_app_store'],
  ['steamship', 'custom'],
])('the environment %s means the store %s', (environment, platform) => {
  expect(deployed('success', { environment })).toMatchObject([{ platform }])
  expect(deployed('success', { environment: 'production' }, { environment })).toMatchObject([{ platform }])
})

test('the payload of a deployment names store, build and version with priority over the environment', () => {
  const payload = { platform: 'steamworks', build_number: 812, version: '1.2' }
  expect(deployed('success', { payload, environment: 'ios' })).toMatchObject([
    { platform: 'steam', build_number: '812', version: '1.2' },
  ])
})

test('a deployment of a bare commit has no branch', () => {
  expect(deployed('success', { ref: 'a1' })).toMatchObject([{ commit: 'a1', branch: undefined }])
})
