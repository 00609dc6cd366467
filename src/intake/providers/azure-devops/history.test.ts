import { expect, test } from 'vitest'
import type { Asked, HistoryReply } from '../../history/history.ts'
import type { Json } from '../../reading.ts'
import { listedDeployment } from './deployments.ts'
import { history } from './history.ts'

const part = (name: string) => history.parts.find((one) => one.name === name)!
const asked = (cursor: Json = {}, about: Json = {}): Asked => ({
  cursor,
  about,
  since: '2026-09-01T00:00:00.000Z',
  until: '2026-10-01T00:00:00.000Z',
  config: { server: 'https://dev.azure.com/owl/Game' },
  jobs: [],
})
const reply = (body: unknown, details: [string, unknown][] = []): HistoryReply => ({
  headers: {},
  body,
  details: new Map(details),
})

test('work items are read by their ids, pull requests after the last of them', () => {
  const { page, details, read } = part('issues')
  const workItems = Array.from({ length: 200 }, (_, at) => ({ id: 500 - at }))
  const [batch] = details!(reply({ workItems }), asked())
  expect(batch!.body).toMatchObject({ ids: workItems.map(({ id }) => id), errorPolicy: 'omit' })
  const { next } = read(reply({ workItems }), asked())
  expect(next).toEqual({ before: 301 })
  expect((page(asked(next)).body as { query: string }).query).toContain(
    "[System.ChangedDate] >= '2026-09-01T00:00:00.000Z' and [System.Id] < 301 order by [System.Id] desc",
  )
  expect(read(reply({ workItems: [] }), asked(next))).toEqual({ facts: [], next: { list: 'pull_requests' } })
  // A batch without ids is refused.
  expect(details!(reply({ workItems: [] }), asked(next))).toEqual([])
})

test('pull requests are read until a page is not full, with the page of their repository', () => {
  const { page, read } = part('issues')
  const listed = (count: number) => ({
    value: Array.from({ length: count }, (_, at) => ({
      pullRequestId: at,
      title: 'Moon',
      status: at === 0 ? 'completed' : 'active',
      creationDate: '2026-09-02T00:00:00Z',
      ...(at === 0 && { closedDate: '2026-09-03T00:00:00Z' }),
      repository: { id: 'r1', name: 'star', project: { name: 'Game' } },
    })),
  })
  const cursor = { list: 'pull_requests', skip: 100 }
  const about = { repositories: [{ id: 'r1', remoteUrl: 'https://owl@dev.azure.com/owl/Game/_git/star' }] }
  expect(page(asked(cursor)).path).toContain('%24skip=100')
  const { facts, next } = read(reply(listed(100)), asked(cursor, about))
  expect(next).toEqual({ list: 'pull_requests', skip: 200 })
  const url = 'https://dev.azure.com/owl/Game/_git/star/pullrequest/0'
  expect(facts[0]).toMatchObject({ key: 'Game/star!0', state: 'merged', url, at: '2026-09-03T00:00:00.000Z' })
  expect(read(reply(listed(99)), asked(cursor, about)).next).toBeUndefined()
})

test.each([
  ['https://dev.azure.com/owl/Game', 'https://vsrm.dev.azure.com/owl/Game'],
  ['https://owl.visualstudio.com/Game', 'https://owl.vsrm.visualstudio.com/Game'],
  ['https://azure.owl.example/tfs/Collection/Game', 'https://azure.owl.example/tfs/Collection/Game'],
])('releases of %s are at %s', (server, releases) => {
  expect(part('deployments').page({ ...asked(), config: { server } })).toMatchObject({ server: releases })
})

test('a listed deployment has the state and the time of its last change', () => {
  const listed = (more: object) =>
    listedDeployment({
      release: { id: 55, name: 'Release-2' },
      releaseEnvironment: { id: 118, name: 'production' },
      completedOn: '0001-01-01T00:00:00',
      startedOn: '2026-09-02T10:00:00Z',
      lastModifiedOn: '2026-09-02T10:05:00Z',
      ...more,
    })
  const done = { deploymentStatus: 'succeeded', completedOn: '2026-09-02T10:04:00Z' }
  expect(listed(done)).toMatchObject([{ key: 'release:55:118', status: 'live', at: '2026-09-02T10:04:00.000Z' }])
  expect(listed({ deploymentStatus: 'inProgress' })).toMatchObject([{ status: 'uploading', at: '2026-09-02T10:00:00.000Z' }])
  // As in the example of the documentation.
  const stopped = { deploymentStatus: 'notDeployed', operationStatus: 'PhaseFailed' }
  expect(listed(stopped)).toMatchObject([{ status: 'rejected', at: '2026-09-02T10:05:00.000Z' }])
  expect(listed({ deploymentStatus: 'notDeployed', operationStatus: 'Pending' })).toEqual([])
})
