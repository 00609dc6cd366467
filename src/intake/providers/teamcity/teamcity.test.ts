import { describe, expect, test } from 'vitest'
import { deliveryTo } from '../../../../test/support/files/delivery.ts'
import { recorded } from '../../../../test/support/studios/provider-room.ts'
import type { BuildFact } from '../../facts.ts'
import { Unreadable } from '../../reading.ts'
import { teamcity } from './index.ts'

const read = (body: unknown) => teamcity.read(deliveryTo('teamcity', body)) as BuildFact[]

/** A payload in the shape that TeamCity sends by default. */
const builtin = (eventType: string, more: object = {}) =>
  read({
    eventType,
    payload: {
      id: 901,
      buildTypeId: 'Star_Win64',
      number: '2031',
      status: 'SUCCESS',
      state: 'finished',
      webUrl: 'http://teamcity.example/buildConfiguration/Star_Win64/901',
      buildType: { id: 'Star_Win64', name: 'Win64', projectName: 'Star' },
      queuedDate: '20250812T000010-0300',
      startDate: '20250812T000012-0300',
      finishDate: '20250812T003411-0300',
      agent: { id: 11, name: 'farm-7' },
      ...more,
    },
  })[0]

describe("TeamCity's own webhook", () => {
  test('reports the build with its times and its agent', () => {
    expect(builtin('BUILD_FINISHED')).toMatchObject({
      build: { external_id: 'build:901', job: 'Star/Win64', number: '2031' },
      status: 'completed',
      agent: 'farm-7',
      started_at: '2025-08-12T03:00:12.000Z',
      finished_at: '2025-08-12T03:34:11.000Z',
      duration_seconds: 2039,
      url: 'http://teamcity.example/buildConfiguration/Star_Win64/901',
    })
  })

  test('reports a running build as running, although its status is SUCCESS', () => {
    const running = { state: 'running', finishDate: undefined }
    expect(builtin('BUILD_STARTED', running)).toMatchObject({ status: 'building', finished_at: undefined })
    expect(builtin('BUILD_PROBLEMS_CHANGED', { ...running, status: 'FAILURE' })?.status).toBe('building')
    expect(builtin('CHANGES_LOADED', { ...running, 'running-info': { currentStageText: 'Updating sources' } })?.phase).toBe(
      'Updating sources',
    )
  })

  test.each([
    ['FAILURE', {}, 'failed'],
    ['ERROR', {}, 'failed'],
    ['UNKNOWN', {}, 'cancelled'],
    ['UNKNOWN', { failedToStart: true }, 'failed'],
    ['FAILURE', { canceledInfo: { timestamp: '20250812T003400-0300' } }, 'cancelled'],
    ['ODD', {}, undefined],
  ])('reads a build that ended with %s %j as %s', (status, more, read) => {
    expect(builtin('BUILD_FINISHED', { status, ...more })?.status).toBe(read)
  })

  test('reports an interrupted build as cancelled, although it still says running', () => {
    const fact = builtin('BUILD_INTERRUPTED', {
      state: 'running',
      status: 'UNKNOWN',
      finishDate: undefined,
      canceledInfo: { timestamp: '20250812T200028-0300', user: { username: 'admin' } },
    })
    expect(fact).toMatchObject({ status: 'cancelled', finished_at: '2025-08-12T23:00:28.000Z' })
  })

  test('reports a queued build without a number', () => {
    expect(builtin('BUILD_TYPE_ADDED_TO_QUEUE', { state: 'queued', number: undefined, startDate: undefined })).toMatchObject({
      build: { external_id: 'build:901', job: 'Star/Win64', number: undefined },
      status: 'queued',
    })
  })

  test('says nothing about agents, and about builds that left the queue', () => {
    for (const event of ['AGENT_REGISTRED', 'BUILD_REMOVED_FROM_QUEUE']) expect(builtin(event)).toBeUndefined()
  })

  test('with reduced fields only updates a build', () => {
    expect(read(recorded('teamcity', 'build_interrupted__builtin_fields').body)).toMatchObject([
      { build: { job: 'GhAppMaven_Build', number: '43' }, existing: true, status: 'cancelled' },
    ])
    expect(builtin('BUILD_FINISHED')).not.toHaveProperty('existing')
  })

  describe('names what was built', () => {
    const SHA = 'd1a9f4773431d60bb53d9a9c5476c6813c266775'
    const revisions = (...versions: string[]) => ({
      revisions: { count: versions.length, revision: versions.map((version) => ({ version, vcsBranchName: 'refs/heads/dev' })) },
    })
    const built = (more: object) => {
      const { commit_hash, changelist } = builtin('BUILD_FINISHED', more)!
      return [commit_hash, changelist]
    }

    test('by the shape of its revision', () => {
      expect(built(revisions(SHA))).toEqual([SHA, undefined])
      expect(built(revisions('65'))).toEqual([undefined, '65'])
      expect(built(revisions(SHA, '65'))).toEqual([SHA, '65'])
    })

    test('not if several VCS roots have one', () => {
      expect(built(revisions('65', '66'))).toEqual([undefined, undefined])
      expect(built(revisions('65', '65'))).toEqual([undefined, '65'])
    })

    test('by the last change before sources are fetched, or by the build number', () => {
      expect(built({ revisions: { count: 0 }, lastChanges: { change: [{ version: '64' }] } })).toEqual([undefined, '64'])
      expect(built({ ...revisions('65'), lastChanges: { change: [{ version: '64' }] } })).toEqual([undefined, '65'])
      expect(built({ number: '2031 - CL 123456' })).toEqual([undefined, '123456'])
      expect(built({ number: '2031 - PCL 1' })).toEqual([undefined, undefined])
    })

    test('with the branch of the build, or of its revision', () => {
      const branch = (more: object) => builtin('BUILD_FINISHED', more)!.branch
      expect(branch({ branchName: 'refs/heads/main' })).toBe('main')
      expect(branch({ branchName: '<default>', ...revisions(SHA) })).toBe('dev')
      expect(branch({ branchName: '<default>' })).toBeUndefined()
    })
  })

  test('marks builds of people, shelves and pull requests as preflights', () => {
    expect(builtin('BUILD_FINISHED', { personal: true })).toMatchObject({ build_kind: 'preflight' })
    const property = [{ name: 'vcsRoot.Star_Depot.shelvedChangelist', value: '812' }]
    expect(builtin('BUILD_FINISHED', { properties: { property } })).toMatchObject({ build_kind: 'preflight', shelf: '812' })
    expect(builtin('BUILD_FINISHED', { branchName: 'pull/16' })).toMatchObject({ build_kind: 'preflight', pull_request: '16' })
    expect(builtin('BUILD_FINISHED')).not.toHaveProperty('build_kind')
  })

  test('leaves all other properties out', () => {
    const property = [{ name: 'env.PASSWORD', value: 'sesame' }]
    expect(JSON.stringify(builtin('BUILD_FINISHED', { properties: { property } }))).not.toContain('sesame')
  })
})

describe('the plugin', () => {
  const { build } = recorded('teamcity', 'buildfinished__success').body as { build: object }
  const status = (more: object) => read({ build: { ...build, ...more } })[0]?.status

  test.each([
    ['buildAddedToQueue', 'queued'],
    ['buildStarted', 'building'],
    ['beforeBuildFinish', 'building'],
    ['buildInterrupted', 'cancelled'],
    ['buildSuccessful', 'completed'],
    ['buildBroken', 'failed'],
    ['responsibilityChanged', undefined],
    ['buildPinned', undefined],
  ])('reports %s as %s', (notifyType, read) => expect(status({ notifyType })).toBe(read))

  test('reports a result that it does not know as nothing', () => expect(status({ buildResult: 'odd' })).toBeUndefined())

  test('marks personal builds as preflights, and keeps no property', () => {
    const [fact] = read(recorded('teamcity', 'buildfinished__personal').body)
    expect(fact).toMatchObject({ build_kind: 'preflight', changelist: '123456', agent: 'agent123' })
    expect(JSON.stringify(fact)).not.toContain('iago')
  })
})

test('a body in another format is ignored, and one without an object is unreadable', () => {
  expect(read({ text: 'Build failed' })).toEqual([])
  for (const body of [undefined, null, [], 'x']) expect(() => read(body)).toThrow(Unreadable)
})
