import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { deliveryTo } from '../../../../test/support/files/delivery.ts'
import { recorded } from '../../../../test/support/studios/provider-room.ts'
import type { BuildFact, ChangeFact } from '../../facts.ts'
import type { Delivery } from '../../provider.ts'
import { Unreadable } from '../../reading.ts'
import { gitlab } from './index.ts'

const delivery = (body: unknown, more: Partial<Delivery> = {}) => deliveryTo('gitlab', body, more)
const read = (body: unknown) => gitlab.read(delivery(body))

describe('the signature', () => {
  const vector = JSON.parse(readFileSync(new URL('fixtures/vectors/signing_token.json', import.meta.url), 'utf8'))
  const lower = Object.fromEntries(Object.entries<string>(vector.headers).map(([name, value]) => [name.toLowerCase(), value]))
  const signed = (headers: Record<string, string | undefined> = {}, body = vector.body, seconds = 0) =>
    delivery(undefined, {
      raw: Buffer.from(body),
      headers: { ...lower, ...headers },
      received: new Date((Number(lower['webhook-timestamp']) + seconds) * 1000),
    })
  const verify = (one: Delivery, ...secrets: string[]) => gitlab.verify(one, secrets)

  test('of a signing token is accepted, also next to that of another token', () => {
    expect(verify(signed(), vector.signing_token)).toBe(true)
    expect(verify(signed(), 'whsec_b2xk', vector.signing_token)).toBe(true)
    expect(verify(signed({ 'webhook-signature': `v1,AAAA ${lower['webhook-signature']}` }), vector.signing_token)).toBe(true)
  })

  test('fails for a changed byte, another token, another id, and after five minutes', () => {
    expect(verify(signed({}, `${vector.body} `), vector.signing_token)).toBe(false)
    expect(verify(signed(), 'whsec_b3RoZXI=')).toBe(false)
    expect(verify(signed({ 'webhook-id': 'other' }), vector.signing_token)).toBe(false)
    expect(verify(signed({}, vector.body, 300), vector.signing_token)).toBe(true)
    expect(verify(signed({}, vector.body, 301), vector.signing_token)).toBe(false)
    expect(verify(signed({}, vector.body, -301), vector.signing_token)).toBe(false)
  })

  test('that is wrong is not made good by the secret token', () => {
    expect(verify(signed({ 'webhook-signature': 'v1,AAAA', 'x-gitlab-token': 'sesame' }), 'sesame')).toBe(false)
  })

  test('may be missing if the secret token matches', () => {
    const told = (token: string | undefined) => delivery({}, { headers: { 'x-gitlab-token': token } })
    expect(verify(told('sesame'), 'newer', 'sesame')).toBe(true)
    for (const wrong of ['Sesame', '', undefined]) expect(verify(told(wrong), 'sesame')).toBe(false)
    expect(verify(told(undefined))).toBe(true)
  })
})

test('a delivery is identified by its idempotency key, not by the UUID of a chain of hooks', () => {
  const headers = { 'x-gitlab-event-uuid': 'a', 'x-gitlab-webhook-uuid': 'b' }
  expect(gitlab.deliveryKey?.(delivery({}, { headers: { ...headers, 'idempotency-key': 'c' } }))).toBe('c')
  expect(gitlab.deliveryKey?.(delivery({}, { headers }))).toBeUndefined()
})

test('a body of a custom template is unreadable, and so is one without an object', () => {
  expect(() => read({ text: 'Kim pushed' })).toThrow('custom webhook template')
  for (const body of [undefined, null, [], 'push', 7]) expect(() => read(body)).toThrow(Unreadable)
  for (const kind of ['toString', '__proto__', 'member']) expect(read({ object_kind: kind })).toEqual([])
})

describe('a push', () => {
  const commit = (id: string, email = 'kim@example.com') => ({ id, message: id, author: { name: 'Kim', email } })
  const push = (body: object) =>
    read({ object_kind: 'push', ref: 'refs/heads/main', before: 'b0', after: 'a9', commits: [], ...body }) as ChangeFact[]

  test('has its commits in order, each after the one before', () => {
    const facts = push({ commits: [commit('a1'), commit('a2')], total_commits_count: 2 })
    expect(facts.map(({ identifier, follows }) => [identifier, follows])).toEqual([
      ['a1', 'b0'],
      ['a2', 'a1'],
    ])
  })

  test('of more commits than GitLab lists does not claim what the first of them follows', () => {
    const facts = push({ commits: [commit('a1'), commit('a2')], total_commits_count: 21 })
    expect(facts.map(({ follows }) => follows)).toEqual([undefined, 'a1'])
  })

  test('names the login of the pusher for their own commits only', () => {
    const facts = push({
      commits: [commit('a1', 'Kim@example.com'), commit('a2', 'lee@example.com'), commit('a3', '[REDACTED]')],
      user_username: 'kim',
      user_email: 'kim@example.com',
    })
    expect(facts.map(({ author_uids }) => author_uids)).toEqual([['kim', 'Kim@example.com'], ['lee@example.com'], []])
    expect(facts[2]!.author).toBe('Kim')
  })

  test('of hidden addresses does not take the pusher for the author', () => {
    const [fact] = push({ commits: [commit('a1', '[REDACTED]')], user_username: 'kim', user_email: '[REDACTED]' })
    expect(fact!.author_uids).toEqual([])
  })

  test('without a list of commits is unreadable', () => {
    expect(() => push({ commits: undefined })).toThrow(Unreadable)
    expect(() => push({ commits: [{ message: 'x' }] })).toThrow(Unreadable)
  })
})

describe('a pipeline', () => {
  const pipeline = (attributes: object, more: object = {}) => {
    const facts = read({
      object_kind: 'pipeline',
      object_attributes: { id: 31, iid: 3, ref: 'main', sha: 'a'.repeat(40), source: 'push', status: 'running', ...attributes },
      project: { id: 5, path_with_namespace: 'owl/games/star', web_url: 'https://gitlab.example/owl/games/star' },
      ...more,
    }) as BuildFact[]
    return facts[0]
  }

  test.each([
    ['created', 'queued'],
    ['waiting_for_resource', 'queued'],
    ['preparing', 'preparing'],
    ['running', 'building'],
    ['canceling', 'building'],
    ['success', 'completed'],
    ['failed', 'failed'],
    ['canceled', 'cancelled'],
    ['skipped', 'cancelled'],
    ['odd', undefined],
  ])('that is %s is %s', (told, status) => expect(pipeline({ status: told })?.status).toBe(status))

  test('that waits for a person is held', () => {
    expect(pipeline({ status: 'manual' })).toMatchObject({ status: 'passed_pending_approval', held: true })
  })

  test('has the job of its project, with its name if that is not one of this run', () => {
    const jobOf = (name: string | undefined, more: object = {}) => pipeline({ name }, more)?.build.job
    expect(jobOf(undefined)).toBe('owl/games/star')
    expect(jobOf('Nightly')).toBe('owl/games/star / Nightly')
    expect(jobOf('Build of main')).toBe('owl/games/star')
    expect(jobOf('MR: Paint the sky', { merge_request: { iid: 4, title: 'Paint the sky' } })).toBe('owl/games/star')
    expect(jobOf('Mend the moon', { commit: { message: 'Mend the moon\n\nIt was flat.' } })).toBe('owl/games/star')
    expect(jobOf(`Build ${'a'.repeat(8)}`)).toBe('owl/games/star')
  })

  test('of a tag is not one of a branch', () => {
    expect(pipeline({ tag: true, ref: 'v1.0' })?.branch).toBeUndefined()
    expect(pipeline({})?.branch).toBe('main')
  })

  test('of a merge request is a preflight of its target', () => {
    expect(pipeline({}, { merge_request: { iid: 4, target_branch: 'rel' } })).toMatchObject({
      build_kind: 'preflight',
      pull_request: '4',
      target_branch: 'rel',
    })
    expect(pipeline({ source: 'merge_request_event' })).toMatchObject({ build_kind: 'preflight' })
    expect(pipeline({})).not.toHaveProperty('build_kind')
  })

  test('that only mirrors the statuses of another CI is no build', () => {
    expect(pipeline({ source: 'external' })).toBeUndefined()
  })

  test('of a child has its jobs in the build of its parent', () => {
    const builds = [{ id: 1, name: 'cook', status: 'failed' }]
    const child = { source_pipeline: { pipeline_id: 30 }, builds }
    expect(pipeline({ source: 'parent_pipeline', status: 'failed' }, child)).toEqual({
      kind: 'build',
      build: { external_id: 'pipeline:30' },
      existing: true,
      steps: [expect.objectContaining({ name: 'cook', status: 'failed' })],
    })
  })

  test('has platform, configuration and changelist of its variables, and no others', () => {
    const variables = [
      { key: 'PLATFORM', value: 'Win64' },
      { key: 'Configuration', value: 'Shipping' },
      { key: 'CHANGELIST', value: '81234' },
      { key: 'AGENT', value: 'secret' },
    ]
    const fact = pipeline({ variables })
    expect(fact).toMatchObject({ platform: 'Win64', configuration: 'Shipping', changelist: '81234' })
    expect(JSON.stringify(fact)).not.toContain('secret')
  })

  test('names the runner only if all its jobs had the same', () => {
    const job = (id: number, description: string | null, started_at: string | null = '2026-03-01 10:00:00 UTC') => ({
      id,
      name: `job ${id}`,
      status: 'success',
      started_at,
      runner: description && { description },
    })
    expect(pipeline({}, { builds: [job(1, 'farm-7'), job(2, 'farm-7'), job(3, null, null)] })?.agent).toBe('farm-7')
    expect(pipeline({}, { builds: [job(1, 'farm-7'), job(2, 'farm-8')] })?.agent).toBeUndefined()
    expect(pipeline({}, { builds: [job(1, 'farm-7'), job(2, null)] })?.agent).toBeUndefined()
  })

  test('with very many jobs keeps the failed ones', () => {
    const builds = Array.from({ length: 150 }, (_, at) => ({
      id: at,
      name: `job ${at}`,
      status: at === 140 ? 'failed' : 'success',
    }))
    const steps = pipeline({}, { builds: builds.toReversed() })?.steps
    expect(steps).toHaveLength(100)
    expect(steps?.at(0)?.name).toBe('job 0')
    expect(steps?.at(-1)).toMatchObject({ name: 'job 140', status: 'failed' })
  })
})

describe('a job', () => {
  const step = (more: object) =>
    (read({ object_kind: 'build', pipeline_id: 3, build_name: 'cook', build_status: 'failed', ...more }) as BuildFact[])[0]
      ?.steps?.[0]

  test('that failed says why, and whether it may', () => {
    const reason = { build_failure_reason: 'script_failure' }
    expect(step(reason)).toMatchObject({ status: 'failed', detail: 'script failure' })
    expect(step({ ...reason, build_allow_failure: true })?.detail).toBe('allowed to fail, script failure')
    expect(step({ ...reason, build_status: 'success' })).toMatchObject({ status: 'completed', detail: undefined })
  })

  test('that runs has no duration yet', () => {
    expect(step({ build_status: 'running', build_duration: 0.2 })?.duration_seconds).toBeUndefined()
  })

  test('without a pipeline is unreadable', () => {
    expect(() => step({ pipeline_id: undefined })).toThrow(Unreadable)
  })
})

describe('an item', () => {
  const { body } = recorded('gitlab', 'merge_request__gogitlab') as { body: Record<string, object> }
  const state = (attributes: object) =>
    (read({ ...body, object_attributes: { ...body.object_attributes, ...attributes } }) as { state?: string }[])[0]?.state

  test('that is an open draft says so', () => {
    expect(state({ draft: true })).toBe('draft')
    expect(state({ draft: true, state: 'merged' })).toBe('merged')
    expect(state({ work_in_progress: true, state: 'opened' })).toBe('draft')
  })

  test('without an action is a test', () => expect(state({ action: undefined })).toBeUndefined())
})

test('a release is pending until its date', () => {
  const { body } = recorded('gitlab', 'release__create') as { body: object }
  const status = (released_at: string) => read({ ...body, released_at })
  expect(status('2026-03-01 13:00:00 UTC')).toMatchObject([{ status: 'pending' }])
  expect(status('2026-03-01 11:00:00 UTC')).toMatchObject([{ status: 'live', at: '2026-03-01T11:00:00.000Z' }])
})
