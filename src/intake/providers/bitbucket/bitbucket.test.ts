import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { deliveryTo } from '../../../../test/support/files/delivery.ts'
import { recorded } from '../../../../test/support/studios/provider-room.ts'
import type { BuildFact, ChangeFact } from '../../facts.ts'
import type { Delivery } from '../../provider.ts'
import { Unreadable } from '../../reading.ts'
import { bitbucket } from './index.ts'

const delivery = (event: string, body: unknown, more: Partial<Delivery> = {}) =>
  deliveryTo('bitbucket', body, { headers: { 'x-event-key': event }, ...more })
const read = (event: string, body: unknown) => bitbucket.read(delivery(event, body))

describe('the signature', () => {
  const place = (name: string) => new URL(`fixtures/vectors/${name}`, import.meta.url)
  const vector = JSON.parse(readFileSync(place('signature.json'), 'utf8'))
  const raw = readFileSync(place(vector.body_file))
  const verify = (value: string | undefined, secret = vector.secret, bytes = raw) =>
    bitbucket.verify(delivery('repo:push', {}, { raw: bytes, headers: { 'x-hub-signature': value } }), [secret])

  test('is that of the raw body', () => {
    expect(verify(vector.value)).toBe(true)
    expect(verify(vector.value, 'another')).toBe(false)
    expect(verify(vector.value, vector.secret, Buffer.concat([raw, Buffer.from(' ')]))).toBe(false)
  })

  test('must not be empty, missing or without its prefix', () => {
    for (const value of ['', 'sha256=', vector.value.slice(7), undefined]) expect(verify(value)).toBe(false)
  })
})

test('a delivery is identified by its request, at Cloud and at Data Center', () => {
  const key = (headers: Record<string, string>) => bitbucket.deliveryKey?.(delivery('', {}, { headers }))
  expect(key({ 'x-request-uuid': 'a', 'x-hook-uuid': 'same for all' })).toBe('a')
  expect(key({ 'x-request-id': 'b' })).toBe('b')
  expect(key({ 'x-hook-uuid': 'same for all' })).toBeUndefined()
})

test('the event is in the header, or in the body of Data Center', () => {
  expect(bitbucket.event(delivery('repo:push', { eventKey: 'other' }))).toBe('repo:push')
  expect(bitbucket.event(delivery('', { eventKey: 'pr:opened' }, { headers: {} }))).toBe('pr:opened')
  expect(bitbucket.event(delivery('a\nb', {}))).toBe('unknown')
  expect(() => bitbucket.read(delivery('', {}, { headers: {} }))).toThrow(Unreadable)
  expect(() => read('repo:push', [])).toThrow(Unreadable)
  expect(read('repo:fork', {})).toEqual([])
})

describe('a push to Cloud', () => {
  const commits = ['c3', 'c2', 'c1'].map((hash) => ({
    hash,
    message: hash,
    author: { raw: 'Kim <kim@example.com>', user: { account_id: 'a1', uuid: '{u1}', nickname: 'kim' } },
  }))
  const main = (hash: string) => ({ type: 'branch', name: 'main', target: { hash } })
  const repository = { full_name: 'owl/star', uuid: '{r1}', links: { html: { href: 'https://bitbucket.org/owl/star' } } }
  const push = (...changes: object[]) => read('repo:push', { repository, push: { changes } }) as ChangeFact[]

  test('lists its commits newest first, without files', () => {
    expect(push({ old: main('b0'), new: main('c3'), commits })).toMatchObject([
      { identifier: 'c1', follows: 'b0', files: null, branch: 'main', url: 'https://bitbucket.org/owl/star/commits/c1' },
      { identifier: 'c2', follows: 'c1' },
      { identifier: 'c3', follows: 'c2', author: 'Kim <kim@example.com>', author_uids: ['a1', '{u1}', 'kim@example.com'] },
    ])
  })

  test('of more than five commits does not claim what the first of them follows', () => {
    const facts = push({ old: main('b0'), new: main('c3'), commits, truncated: true })
    expect(facts.map(({ follows }) => follows)).toEqual([undefined, 'c1', 'c2'])
  })

  test('that was forced leaves the previous head behind', () => {
    expect(push({ old: main('b0'), new: main('c3'), commits, forced: true })[0]).toEqual({
      kind: 'orphan',
      source_type: 'GitCommit',
      identifier: 'b0',
      branch: 'main',
      repository: { id: '{r1}', name: 'owl/star' },
      after: 'c3',
    })
  })

  test('may move several branches and tags', () => {
    const tag = { type: 'tag', name: 'v1', target: { hash: 'c3' } }
    const release = { type: 'branch', name: 'rel', target: { hash: 'd1' } }
    const facts = push(
      { old: null, new: tag },
      { old: release, new: null },
      { old: null, new: main('c1'), commits: [commits[2]] },
    )
    expect(facts).toMatchObject([
      { kind: 'branch_deleted', branch: 'rel', head: 'd1' },
      { kind: 'branch_created', branch: 'main', head: 'c1' },
      { kind: 'change', identifier: 'c1', branch: 'main' },
    ])
    expect(facts[2]!.follows).toBeUndefined()
  })

  test('may have no changes, but must list them', () => {
    expect(push()).toEqual([])
    expect(() => read('repo:push', { repository })).toThrow(Unreadable)
    expect(() => push({ old: null, new: main('c1'), commits: [{}] })).toThrow(Unreadable)
  })
})

describe('a push to Data Center', () => {
  const ref = { id: 'refs/heads/main', displayId: 'main', type: 'BRANCH' }
  const change = { ref, fromHash: 'b0', toHash: 'c2', type: 'UPDATE' }
  const commits = [
    {
      id: 'c2',
      message: 'Two',
      author: { name: 'Kim L', emailAddress: 'kim@example.com' },
      authorTimestamp: 1537538960000,
      parents: [{ id: 'c1' }],
    },
    {
      id: 'c1',
      author: { name: 'kim', slug: 'kim', displayName: 'Kim' },
      authorTimestamp: '2018-09-21T14:09:20.000Z',
      parents: [{ id: 'b0' }],
    },
  ]
  const links = { self: [{ href: 'https://git.example/projects/OWL/repos/star/browse' }] }
  const repository = { id: 4, slug: 'star', project: { key: 'OWL' }, links }
  const push = (changes: object[], more: object = { commits }) =>
    read('repo:refs_changed', { repository, changes, ...more }) as ChangeFact[]

  test('lists its commits newest first, with times as numbers or texts', () => {
    expect(push([change])).toMatchObject([
      { identifier: 'c1', follows: 'b0', author: 'Kim', author_uids: ['kim'], timestamp: '2018-09-21T14:09:20.000Z' },
      {
        identifier: 'c2',
        follows: 'c1',
        author: 'Kim L <kim@example.com>',
        author_uids: ['kim@example.com'],
        timestamp: '2018-09-21T14:09:20.000Z',
        url: 'https://git.example/projects/OWL/repos/star/commits/c2',
        repository: { id: 'bitbucket:4', name: 'OWL/star' },
      },
    ])
  })

  test('whose list does not reach back to the previous head does not claim what its first commit follows', () => {
    expect(push([change], { commits: commits.slice(0, 1) }).map(({ follows }) => follows)).toEqual([undefined])
  })

  test('to several branches does not say which commits are on which', () => {
    const facts = push([change, { ...change, ref: { ...ref, displayId: 'rel' } }])
    expect(facts.map(({ branch, follows }) => [branch, follows])).toEqual([
      ['', undefined],
      ['', undefined],
    ])
  })

  test('of an old version reports only the newest commit, and of a new branch none', () => {
    expect(push([change], {})).toMatchObject([{ kind: 'change', identifier: 'c2', author: '', description: '', branch: 'main' }])
    expect(push([change], {})[0]).not.toHaveProperty('follows')
    expect(push([{ ...change, fromHash: '0'.repeat(40), type: 'ADD' }], {})).toMatchObject([
      { kind: 'branch_created', branch: 'main', head: 'c2' },
    ])
  })

  test('deletes branches and ignores tags', () => {
    const gone = { ...change, toHash: '0'.repeat(40), type: 'DELETE' }
    expect(push([gone])).toMatchObject([{ kind: 'branch_deleted', branch: 'main', head: 'b0' }])
    expect(push([{ ...change, ref: { ...ref, type: 'TAG' } }])).toEqual([])
  })
})

describe('a pull request', () => {
  test('of Data Center that was deleted still says that it is open', () => {
    expect(read('pr:deleted', recorded('bitbucket', 'pr_deleted__server_pr_deleted').body)).toMatchObject([
      { key: '~gopher/webhook-test!2', state: 'open', deleted: true, at: '2019-03-01T09:17:10.000Z' },
    ])
  })

  test('of Data Center belongs to the repository it is merged into', () => {
    const { body } = recorded('bitbucket', 'pr_opened__server_hookpullrequestopenedfromfork')
    expect(read('pr:opened', body)).toMatchObject([{ key: 'DEV/deployment-automation!114' }])
  })

  test('can be a draft, and comments change nothing', () => {
    const pullrequest = { id: 7, title: 'Moon', state: 'OPEN', draft: true }
    const body = { repository: { full_name: 'owl/star' }, pullrequest }
    expect(read('pullrequest:updated', body)).toMatchObject([{ key: 'owl/star!7', state: 'draft' }])
    expect(read('pullrequest:fulfilled', { ...body, pullrequest: { ...pullrequest, state: 'MERGED' } })).toMatchObject([
      { state: 'merged' },
    ])
    expect(read('pullrequest:comment_created', body)).toEqual([])
    expect(() => read('pullrequest:created', {})).toThrow(Unreadable)
  })
})

describe('an issue', () => {
  const issue = (assignee?: unknown) =>
    read('issue:updated', { repository: { full_name: 'owl/star' }, issue: { id: 7, state: 'on hold', assignee } })

  test('is assigned to an account or to nobody', () => {
    expect(issue({ account_id: 'a1' })).toMatchObject([{ key: 'owl/star#7', state: 'on hold', assignee_uid: 'a1' }])
    expect(issue(null)).toMatchObject([{ assignee_uid: null }])
    expect(issue()[0]).not.toHaveProperty('assignee_uid')
  })
})

describe('a commit status', () => {
  const status = (more: object) =>
    read('repo:commit_status_updated', {
      repository: { full_name: 'owl/star', uuid: '{r1}' },
      commit_status: {
        state: 'FAILED',
        key: '3343801',
        name: 'Pipeline #4 for main',
        refname: 'main',
        url: 'https://bitbucket.org/owl/star/addon/pipelines/home#!/results/4',
        commit: { hash: 'a'.repeat(40) },
        created_on: '2026-03-01T10:00:00+00:00',
        updated_on: '2026-03-01T10:01:00+00:00',
        ...more,
      },
    }) as BuildFact[]

  test('of Pipelines is a build', () => {
    expect(status({})).toMatchObject([
      {
        build: { external_id: 'pipeline:{r1}:4', job: 'owl/star', number: '4' },
        status: 'failed',
        branch: 'main',
        commit_hash: 'a'.repeat(40),
        duration_seconds: 60,
      },
    ])
    expect(status({ url: 'https://bitbucket.org/owl/star/pipelines/results/4' })[0]?.build.number).toBe('4')
  })

  test.each([
    ['INPROGRESS', 'building', 'running'],
    ['SUCCESSFUL', 'completed', 'completed'],
    ['STOPPED', 'cancelled', 'cancelled'],
  ])('that is %s is a build that is %s, or a step that is %s', (state, build, step) => {
    expect(status({ state })[0]?.status).toBe(build)
    expect(status({ state, url: 'https://ci.example/4' })[0]?.steps?.[0]?.status).toBe(step)
  })

  test('that runs has no end, whatever its last update says', () => {
    expect(status({ state: 'INPROGRESS' })[0]?.finished_at).toBeUndefined()
  })

  test('of another CI is a step of the build of the commit', () => {
    for (const url of ['https://ci.example/job/4', 'https://bitbucket.org/other/star/pipelines/results/4'])
      expect(status({ url })).toMatchObject([
        { build: { commit: 'a'.repeat(40) }, anywhere: true, existing: true, steps: [{ name: 'Pipeline #4 for main' }] },
      ])
  })

  test('of ours, of an unknown state or without a commit is ignored', () => {
    expect(status({ key: 'goldmaster/Cook', url: '' })).toEqual([])
    expect(status({ name: 'goldmaster/Cook', url: '' })).toEqual([])
    expect(status({ state: 'ODD' })).toEqual([])
    expect(status({ commit: null })).toEqual([])
  })
})
