import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type FakeJenkins, json, openJenkins } from '../../../../test/support/servers/jenkins.ts'
import { openProviderRoom } from '../../../../test/support/studios/provider-room.ts'

let room: Awaited<ReturnType<typeof openProviderRoom>>
let server: FakeJenkins
beforeAll(async () => {
  room = await openProviderRoom('gitlab')
})
afterAll(() => room.close())
beforeEach(async () => {
  server = await openJenkins()
})
afterEach(() => server.close())

test('a push creates changes with their files and links', async () => {
  expect(await room.replay('push__subgroup')).toMatchObject({ status: 200, json: { status: 'processed' } })
  const { changes } = await room.api('changes?identifier=2adc9465c4edfc33834e173fe89436a7cb899a1d')
  expect(changes).toMatchObject([{ source_type: 'GitCommit', author: 'Sid Sijbrandij', file_count: 1 }])
})

test('tags and notes are ignored', async () => {
  for (const name of ['tag_push__tag_create', 'note__commit_note', 'issue__test_issue_test_payload'])
    expect(await room.replay(name), name).toMatchObject({ status: 200, json: { status: 'ignored', records: [] } })
})

describe('a pipeline', () => {
  const pipeline = (id: number, attributes: object, more: object = {}) =>
    room.send({
      object_kind: 'pipeline',
      object_attributes: { id, iid: id - 1000, ref: 'main', sha: 'a'.repeat(40), source: 'push', ...attributes },
      project: { id: 5, path_with_namespace: 'owl/star', web_url: 'https://gitlab.example/owl/star' },
      ...more,
    })
  const find = (id: number) => room.build(String(id - 1000))

  test('is a build whose jobs are steps, in whatever order they arrive', async () => {
    await pipeline(1007, { status: 'running' }, { builds: [{ id: 1, name: 'cook', status: 'created' }] })
    const job = { object_kind: 'build', pipeline_id: 1007, build_name: 'cook', build_status: 'success' }
    expect((await room.send(job)).json).toMatchObject({ status: 'processed', records: [{ type: 'build_run' }] })
    await pipeline(1007, { status: 'success', finished_at: '2026-03-01 10:00:00 UTC', duration: 60 })
    expect((await pipeline(1007, { status: 'running' })).json.status).toBe('stale')
    const build = await find(1007)
    expect(build).toMatchObject({ branch: 'main', url: 'https://gitlab.example/owl/star/-/pipelines/1007' })
    expect(await room.api(`build_runs/${build!.id}`)).toMatchObject({
      ci_job_name: 'owl/star',
      status: 'completed',
      steps: [{ name: 'cook', status: 'completed' }],
    })
  })

  test('that is retried after a failure can still pass', async () => {
    await pipeline(1008, { status: 'failed' })
    await pipeline(1008, { status: 'running' })
    await pipeline(1008, { status: 'success' })
    expect(await find(1008)).toMatchObject({ status: 'completed' })
  })

  test('whose jobs arrive before it creates one build', async () => {
    const job = { object_kind: 'build', pipeline_id: 1009, build_name: 'cook', build_status: 'running' }
    expect((await room.send(job)).json.status).toBe('ignored')
    await pipeline(1009, { status: 'running' })
    expect(await find(1009)).toMatchObject({ status: 'building' })
  })

  test('that failed gets the log of the first job that had to pass', async () => {
    await room.connect({ server: server.url, api_token: 'secret' })
    const api = '/api/v4/projects/5'
    server.answers[`${api}/pipelines/1010/jobs`] = json(() => [
      { id: 3, status: 'failed', finished_at: '2026-03-01T10:03:00Z' },
      { id: 2, status: 'failed', finished_at: '2026-03-01T10:02:00Z' },
      { id: 1, status: 'failed', finished_at: '2026-03-01T10:01:00Z', allow_failure: true },
    ])
    server.answers[`${api}/jobs/2/trace`] = (_, reply) => reply.end("src/sky.c:4:3: error: 'sky' undeclared\n")
    await pipeline(1010, { status: 'failed' })
    await room.work()
    expect((await find(1010))!.output_log).toContain("'sky' undeclared")
    expect(server.headers.every((headers) => headers['private-token'] === 'secret')).toBe(true)
  })

  test('whose log was erased stays without one', async () => {
    await room.connect({ server: server.url, api_token: 'secret' })
    server.answers['/api/v4/projects/5/pipelines/1011/jobs'] = json(() => [{ id: 2, status: 'failed' }])
    await pipeline(1011, { status: 'failed' })
    await room.work()
    expect(server.calls.at(-1)).toBe('GET /api/v4/projects/5/jobs/2/trace')
    expect(await find(1011)).toMatchObject({ status: 'failed' })
  })
})

test('a deployment and a release are recorded with their tracks', async () => {
  for (const name of ['deployment__running', 'deployment__success', 'release__create', 'release__delete']) await room.replay(name)
  const { deployments } = await room.api('deployments')
  expect(deployments.map(({ store, track, status }: Record<string, string>) => [store, track, status]).toSorted()).toEqual([
    [null, 'production', 'live'],
    ['gitlab', 'release', 'rolled_back'],
  ])
})

test('issues and merge requests are shown as last reported, and confidential ones no longer', async () => {
  const fixture = { project: { path_with_namespace: 'owl/star' } }
  const tell = (action: string, more: object = {}) =>
    room.send({
      object_kind: 'issue',
      ...fixture,
      object_attributes: { iid: 7, title: 'Mend the moon', state: 'opened', action, ...more },
      assignees: [{ username: 'kim' }],
    })
  const find = async () => (await room.references()).find(({ key }) => key === 'owl/star#7')
  await tell('open', { updated_at: '2026-03-01 10:00:00 UTC' })
  expect(await find()).toMatchObject({ title: 'Mend the moon', state: 'opened', assignee_uid: 'kim', deleted: false })
  await tell('update', { updated_at: '2026-03-01 10:01:00 UTC', confidential: true })
  expect(await find()).toMatchObject({ deleted: true })
  await tell('update', { updated_at: '2026-03-01 10:02:00 UTC', confidential: false })
  expect(await find()).toMatchObject({ deleted: false })
})

describe('a delivery that cannot be read', () => {
  test('is answered 200 and listed as failed, because GitLab disables webhooks after errors', async () => {
    const before = (await room.deliveries()).length
    for (const body of [{ text: 'A custom template' }, { object_kind: 'push', ref: 'refs/heads/main' }, [1]])
      expect(await room.send(body)).toMatchObject({
        status: 200,
        json: { status: 'failed', message: expect.any(String), delivery_id: expect.any(String), records: [] },
      })
    const broken = await room.studio.ask(`/webhooks/gitlab?token=${room.studio.world.integrations.tool!.webhook_token}`, {
      method: 'POST',
      raw: '{"object_kind":',
      headers: { 'content-type': 'application/json' },
    })
    expect(broken).toMatchObject({ status: 200, json: { status: 'failed' } })
    expect((await room.deliveries()).slice(before)).toEqual(
      Array(4).fill(expect.objectContaining({ outcome: 'failed', status: 422, message: expect.stringMatching(/./) })),
    )
  })

  test('is refused without a known token all the same', async () => {
    expect((await room.studio.ask('/webhooks/gitlab?token=wrong', { method: 'POST', body: {} })).status).toBe(401)
  })
})
