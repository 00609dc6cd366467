import { readdirSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { deliveryTo } from '../../../../test/support/files/delivery.ts'
import { recorded } from '../../../../test/support/studios/provider-room.ts'
import type { BuildFact, ChangeFact } from '../../facts.ts'
import { Unreadable } from '../../reading.ts'
import { azureDevops } from './index.ts'

const delivery = (body: unknown) => deliveryTo('azure_devops', body)
const read = (body: unknown) => azureDevops.read(delivery(body))
const event = (eventType: string, resource: unknown, more: object = {}) =>
  read({ eventType, resource, createdDate: '2026-03-01T10:00:00Z', ...more })

/** The examples of the documentation, about another company. */
const renamed = (name: string) =>
  JSON.parse(
    JSON.stringify(recorded('azure_devops', name).body)
      .replaceAll(/fabrikam/gi, 'starfall')
      .replaceAll('codedev.ms', 'azure.example')
      .replaceAll('project-name', 'Starfall'),
  )

const names = readdirSync(new URL('fixtures/', import.meta.url)).flatMap(
  (file) => /^(.+?)(?<!\.facts)\.json$/.exec(file)?.[1] ?? [],
)

test('the Test button sends an example, which is ignored', () => {
  const examples = names.filter((name) => /fabrikam|codedev\.ms/i.test(JSON.stringify(recorded('azure_devops', name).body)))
  expect(examples.length).toBeGreaterThan(20)
  for (const name of examples) expect(read(recorded('azure_devops', name).body), name).toEqual([])
})

test.each([
  ['git_push__docs', ['change']],
  ['git_pullrequest_created__docs', ['reference']],
  ['git_pullrequest_merged__docs', ['reference']],
  ['build_complete__2', ['build']],
  ['build_complete__v1', ['build']],
  ['pipelines_run_state_changed__event', ['build']],
  ['workitem_created__docs', ['reference']],
  ['workitem_deleted__docs', ['reference']],
  ['release_deployment_completed__event', ['deployment']],
  ['release_deployment_started__event', ['deployment']],
  ['pipelines_job_state_changed__event', []],
  ['pipelinechecks_events_approval_pending__docs', []],
  ['tfvc_checkin__docs', []],
])('the example %s of another company is read as %j', (name, kinds) => {
  expect(read(renamed(name)).map(({ kind }) => kind)).toEqual(kinds)
})

test('a delivery is identified by its subscription and its number', () => {
  const key = (body: unknown) => azureDevops.deliveryKey?.(delivery(body))
  expect(key({ subscriptionId: 'a', notificationId: 4 })).toBe('a:4')
  expect(key({ subscriptionId: 'a' })).toBeUndefined()
})

test('an event without details says what to change, and one without a type is unreadable', () => {
  expect(() => event('git.push', { id: 1, url: 'https://x' })).toThrow('Resource details to send')
  expect(() => event('build.complete', null)).toThrow(Unreadable)
  for (const body of [undefined, [], {}, { resource: {} }]) expect(() => read(body)).toThrow(Unreadable)
  expect(event('message.posted', null)).toEqual([])
})

describe('a push', () => {
  const ZERO = '0'.repeat(40)
  const commits = ['c2', 'c1'].map((commitId) => ({
    commitId,
    comment: commitId,
    author: { name: 'Kim', email: 'kim@example.com' },
  }))
  const repository = {
    id: 'r1',
    name: 'star',
    project: { name: 'Owl' },
    remoteUrl: 'https://kim@dev.azure.com/owl/Owl/_git/star',
  }
  const push = (refUpdates: object[], more: object = {}) =>
    event('git.push', { refUpdates, commits, repository, ...more }) as ChangeFact[]
  const main = { name: 'refs/heads/main', oldObjectId: 'b0', newObjectId: 'c2' }

  test('lists its commits newest first, without files', () => {
    expect(push([main])).toMatchObject([
      { identifier: 'c1', follows: 'b0', branch: 'main', files: null },
      { identifier: 'c2', follows: 'c1', url: 'https://dev.azure.com/owl/Owl/_git/star/commit/c2' },
    ])
  })

  test('to several branches does not say which commits are on which', () => {
    const facts = push([main, { ...main, name: 'refs/heads/rel' }])
    expect(facts.map(({ branch, follows }) => [branch, follows])).toEqual([
      ['', undefined],
      ['', undefined],
    ])
  })

  test('creates and deletes branches, and ignores tags', () => {
    expect(push([{ ...main, oldObjectId: ZERO }])[0]).toMatchObject({ kind: 'branch_created', branch: 'main', head: 'c2' })
    expect(push([{ ...main, newObjectId: ZERO }], { commits: undefined })).toMatchObject([
      { kind: 'branch_deleted', branch: 'main', head: 'b0' },
    ])
    expect(push([{ ...main, name: 'refs/tags/v1' }])).toEqual([])
  })
})

describe('a build', () => {
  const build = (more: object) =>
    (
      event('build.complete', {
        id: 7,
        buildNumber: '20260301.1',
        status: 'completed',
        result: 'succeeded',
        definition: { name: 'Win64', path: '\\Game\\Nightly' },
        sourceBranch: 'refs/heads/main',
        sourceVersion: 'a'.repeat(40),
        ...more,
      }) as BuildFact[]
    )[0]

  test('is of its definition with the folder', () => {
    expect(build({})).toMatchObject({
      build: { external_id: 'build:7', job: 'Game/Nightly/Win64', number: '20260301.1' },
      status: 'completed',
      branch: 'main',
      commit_hash: 'a'.repeat(40),
    })
    expect(build({ definition: { name: 'Win64', path: '\\' } })?.build.job).toBe('Win64')
  })

  test.each([
    ['partiallySucceeded', 'completed'],
    ['failed', 'failed'],
    ['canceled', 'cancelled'],
    ['odd', undefined],
  ])('that %s is %s', (result, status) => expect(build({ result })?.status).toBe(status))

  test('of a pull request is a preflight and of no branch', () => {
    expect(build({ reason: 'pullRequest', sourceBranch: 'refs/pull/16/merge' })).toMatchObject({
      build_kind: 'preflight',
      pull_request: '16',
      branch: undefined,
    })
  })

  test('of TFVC has no changelist', () => {
    const fact = build({ sourceVersion: '18', sourceBranch: '$/Game' })
    expect(fact).not.toHaveProperty('changelist')
    expect(fact).not.toHaveProperty('commit_hash')
  })

  test('of the old version has its result and source elsewhere', () => {
    expect(read(renamed('build_complete__v1'))).toMatchObject([
      { status: 'completed', branch: 'master', commit_hash: '600c52d2d5b655caa111abfd863e5a9bd304bb0e' },
    ])
  })
})

describe('a run', () => {
  const run = (more: object) =>
    (
      event('ms.vss-pipelines.run-state-changed-event', {
        run: { id: 7, name: '20260301.1', pipeline: { name: 'Win64' }, ...more },
      }) as BuildFact[]
    )[0]

  test('starts the build with the same id', () => {
    expect(run({ state: 'inProgress' })).toMatchObject({ build: { external_id: 'build:7', job: 'Win64' }, status: 'building' })
    expect(run({ state: 'completed', result: 'failed' })?.status).toBe('failed')
  })

  test('may have its id only in the URL', () => {
    const _links = { web: { href: 'https://dev.azure.com/owl/_build/results?view=x&buildId=9' } }
    expect(run({ id: undefined, _links, state: 'inProgress' })?.build.external_id).toBe('build:9')
  })

  test('has stages and jobs as steps, except those without a name', () => {
    const step = (resource: object) =>
      (event('ms.vss-pipelines.job-state-changed-event', { run: { id: 7 }, ...resource }) as BuildFact[])[0]?.steps?.[0]
    const failed = { state: 'completed', result: 'failed' }
    expect(step({ stage: { name: 'build', displayName: 'Build', ...failed } })).toMatchObject({ name: 'Build', status: 'failed' })
    expect(step({ stage: { name: 'build' }, job: { name: 'cook', state: 'running' } })).toMatchObject({
      name: 'build / cook',
      status: 'running',
    })
    expect(step({ stage: { name: '__default' }, job: { name: 'cook', ...failed } })?.name).toBe('cook')
    expect(step({ stage: { name: 'build' }, job: { name: '__default', ...failed } })).toBeUndefined()
    expect(step({ stage: { name: '__default', ...failed } })).toBeUndefined()
  })
})

describe('a pull request', () => {
  const state = (more: object) => {
    const repository = { id: 'r1', name: 'star', project: { name: 'Owl' } }
    return event('git.pullrequest.merged', { pullRequestId: 7, repository, ...more }) as { key: string; state?: string }[]
  }

  test('is merged only once it is completed', () => {
    expect(state({ status: 'active', mergeStatus: 'conflicts' })).toMatchObject([{ key: 'Owl/star!7', state: 'active' }])
    expect(state({ status: 'completed' })[0]!.state).toBe('merged')
    expect(state({ status: 'abandoned' })[0]!.state).toBe('closed')
    expect(state({ status: 'active', isDraft: true })[0]!.state).toBe('draft')
  })
})

describe('a work item', () => {
  const item = (type: string, resource: object) => event(`workitem.${type}`, resource)[0]

  test('is named by its own id, not by that of the update', () => {
    const revision = { id: 13, fields: { 'System.Title': 'Mend the moon', 'System.State': 'Approved' } }
    expect(item('updated', { id: 2, workItemId: 13, fields: { 'System.Rev': { newValue: 2 } }, revision })).toMatchObject({
      key: 'AB#13',
      title: 'Mend the moon',
      state: 'Approved',
      assignee_uid: null,
    })
  })

  test('of which only the changes are known keeps the rest', () => {
    const fields = { 'System.State': { oldValue: 'New', newValue: 'Done' } }
    expect(item('updated', { workItemId: 13, fields })).toMatchObject({
      state: 'Done',
      title: undefined,
      assignee_uid: undefined,
    })
  })

  test.each([
    ['Kim <kim@example.com>', 'kim@example.com'],
    ['Kim <OWL\\kim>', 'OWL\\kim'],
    [{ displayName: 'Kim', uniqueName: 'kim@example.com' }, 'kim@example.com'],
  ])('that is assigned to %j names them', (told, uid) => {
    const fields = { 'System.Title': 'x', 'System.AssignedTo': told }
    expect(item('created', { id: 5, fields })).toMatchObject({ assignee_uid: uid })
  })

  test('is deleted and restored', () => {
    expect(item('deleted', { id: 5, fields: {} })).toMatchObject({ key: 'AB#5', deleted: true, at: '2026-03-01T10:00:00.000Z' })
    expect(item('restored', { id: 5, fields: {} })).toMatchObject({ deleted: false })
  })

  test('has the URL of its page', () => {
    const url = 'https://dev.azure.com/owl/p1/_apis/wit/workItems/13/updates/2'
    expect(item('updated', { workItemId: 13, url, fields: {} })).toMatchObject({
      url: 'https://dev.azure.com/owl/p1/_workitems/edit/13',
    })
  })
})
