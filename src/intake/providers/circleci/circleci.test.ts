import { createHmac } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { deliveryTo } from '../../../../test/support/files/delivery.ts'
import { openProviderRoom, recorded } from '../../../../test/support/studios/provider-room.ts'
import type { BuildFact } from '../../facts.ts'
import type { Delivery } from '../../provider.ts'
import { Unreadable } from '../../reading.ts'
import { circleci } from './index.ts'

const delivery = (body: unknown, more: Partial<Delivery> = {}) => deliveryTo('circleci', body, more)
const read = (body: unknown) => circleci.read(delivery(body)) as BuildFact[]

describe('the signature', () => {
  const verify = (body: string, secret: string, value: string | undefined) =>
    circleci.verify(delivery({}, { raw: Buffer.from(body), headers: { 'circleci-signature': value } }), [secret])

  test.each([
    ['hello world', 'secret', '734cc62f32841568f45715aeb9f4d7891324e6d948e4c6c60c0621cdac48623a'],
    ['lalala', 'another-secret', 'daa220016c8f29a8b214fbfc3671aeec2145cfb1e6790184ffb38b6d0425fa00'],
    ['an-important-request-payload', 'hunter123', '9be2242094a9a8c00c64306f382a7f9d691de910b4a266f67bd314ef18ac49fa'],
    ['foo', 'secret', '773ba44693c7553d6ee20f61ea5d2757a9a4f4a44d2841ae4e95b52e4cd62db4'],
  ])('of %s is that of the documentation', (body, secret, hex) => {
    expect(verify(body, secret, `v1=${hex}`)).toBe(true)
    expect(verify(body, secret, `v2=odd, v1=${hex}`)).toBe(true)
    expect(verify(body, secret, `v2=${hex}`)).toBe(false)
    expect(verify(body, 'guessed', `v1=${hex}`)).toBe(false)
    expect(verify(`${body} `, secret, `v1=${hex}`)).toBe(false)
  })

  test('must not be empty, missing or without its version', () => {
    const hex = createHmac('sha256', 's').update('x').digest('hex')
    for (const value of ['', 'v1=', hex, undefined]) expect(verify('x', 's', value)).toBe(false)
  })
})

test('a ping and unknown events have no facts, and a body without a type is unreadable', () => {
  expect(read(recorded('circleci', 'ping__ping').body)).toEqual([])
  expect(read({ type: 'pipeline-completed' })).toEqual([])
  for (const body of [undefined, [], {}, 'x']) expect(() => read(body)).toThrow(Unreadable)
  expect(() => read({ type: 'workflow-completed' })).toThrow(Unreadable)
})

const told = (more: object = {}) => ({
  type: 'workflow-completed',
  workflow: { id: 'w1', name: 'cook', status: 'failed', created_at: '2026-03-01T10:00:00Z', stopped_at: '2026-03-01T10:01:00Z' },
  pipeline: { number: 7, vcs: { revision: 'a'.repeat(40), branch: 'main' } },
  project: { slug: 'github/owl/star', name: 'star' },
  organization: { name: 'owl' },
  ...more,
})

describe('a workflow', () => {
  test('is a build of the repository and its name', () => {
    expect(read(told())).toMatchObject([
      {
        build: { job: 'owl/star/cook', number: '7' },
        status: 'failed',
        branch: 'main',
        commit_hash: 'a'.repeat(40),
        duration_seconds: 60,
      },
    ])
  })

  test('of a project with a slug of random letters has its names', () => {
    const project = { slug: 'circleci/DdaVtNusHqi24D4YT3X4eu/6EkDPZoN4ZdMKKZtBkRodt', name: 'star' }
    const git = { checkout_sha: 'b'.repeat(40), branch: 'main', tag: '' }
    const [fact] = read(told({ project, pipeline: { number: 7, trigger_parameters: { git } } }))
    expect(fact).toMatchObject({ build: { job: 'owl/star/cook' }, branch: 'main', commit_hash: 'b'.repeat(40) })
  })

  test.each([
    ['success', 'completed'],
    ['error', 'failed'],
    ['unauthorized', 'failed'],
    ['canceled', 'cancelled'],
    ['odd', undefined],
  ])('that is %s is %s', (status, expected) => {
    expect(read(told({ workflow: { id: 'w1', name: 'cook', status } }))[0]?.status).toBe(expected)
  })

  test('of a tag has no branch, and of a pull request or a fork is a preflight', () => {
    const of = (vcs: object) => read(told({ pipeline: { number: 7, vcs } }))[0]
    expect(of({ revision: 'c', branch: null, tag: 'v1' })).toMatchObject({ branch: undefined })
    expect(of({ branch: 'pull/16' })).toMatchObject({ build_kind: 'preflight', pull_request: '16', branch: undefined })
    const urls = { target_repository_url: 'https://github.com/owl/star', origin_repository_url: 'https://github.com/kim/star' }
    expect(of({ branch: 'main', ...urls })).toMatchObject({ build_kind: 'preflight' })
  })
})

describe('at its endpoint', () => {
  let room: Awaited<ReturnType<typeof openProviderRoom>>
  beforeAll(async () => {
    room = await openProviderRoom('circleci')
  })
  afterAll(() => room.close())

  const job = (name: string, status: string, workflow = 'w1') =>
    room.send({
      ...told({ workflow: { id: workflow, name: 'cook' } }),
      type: 'job-completed',
      id: `${workflow} ${name}`,
      job: { name, status },
    })
  const steps = async () => (await room.api(`build_runs/${(await room.build('7'))!.id}`)).steps

  test('jobs are steps of one build that starts with the first of them, also if one arrives late', async () => {
    await job('compile', 'success')
    expect(await room.build('7')).toMatchObject({ status: 'building', ci_job_name: 'owl/star/cook', branch: 'main' })
    await room.send({ ...told(), id: 'end' })
    await job('test', 'failed')
    expect(await room.build('7')).toMatchObject({ status: 'failed' })
    expect(await steps()).toMatchObject([
      { name: 'compile', status: 'completed' },
      { name: 'test', status: 'failed' },
    ])
    expect(await room.builds()).toHaveLength(1)
  })

  test('a workflow that runs again stays the same build, with its last result', async () => {
    await job('test', 'success', 'w2')
    await room.send({ ...told({ workflow: { id: 'w2', name: 'cook', status: 'success' } }), id: 'end again' })
    expect(await room.builds()).toMatchObject([{ status: 'completed' }])
  })

  test('a repeated delivery changes nothing', async () => {
    expect((await room.replay('workflow_completed__github')).json.status).toBe('processed')
    expect((await room.replay('workflow_completed__github')).json.status).toBe('duplicate')
  })

  test('an unreadable body is refused', async () => {
    expect((await room.send([1])).status).toBe(422)
    expect((await room.send({ type: 'workflow-completed' })).status).toBe(422)
  })
})

test('with a secret, only signed deliveries are accepted', async () => {
  const signed = await openProviderRoom('circleci', 'hunter123')
  try {
    const { body } = recorded('circleci', 'workflow_completed__gitlab')
    const hex = createHmac('sha256', 'hunter123').update(JSON.stringify(body)).digest('hex')
    const send = (value: string) => signed.send(body, { 'circleci-signature': value })
    expect((await send('')).status).toBe(401)
    expect((await send(`v1=${'0'.repeat(64)}`)).status).toBe(401)
    expect(await send(`v1=${hex}`)).toMatchObject({ status: 200, json: { status: 'processed' } })
  } finally {
    await signed.close()
  }
})
