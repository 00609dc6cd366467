import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { type FakeJenkins, json, openJenkins } from '../../../../test/support/servers/jenkins.ts'
import { openProviderRoom } from '../../../../test/support/studios/provider-room.ts'

let room: Awaited<ReturnType<typeof openProviderRoom>>
let server: FakeJenkins
beforeAll(async () => {
  room = await openProviderRoom('azure_devops')
})
afterAll(() => room.close())
beforeEach(async () => {
  server = await openJenkins()
})
afterEach(() => server.close())

const run = (state: string, result?: string) =>
  room.send({
    eventType: 'ms.vss-pipelines.run-state-changed-event',
    resource: { run: { id: 7, name: '20260301.1', state, result, pipeline: { name: 'Win64', folder: '\\' } } },
  })
const build = (id: number, number: string, result: string) =>
  room.send({
    eventType: 'build.complete',
    resource: {
      id,
      buildNumber: number,
      result,
      definition: { name: 'Win64', path: '\\' },
      sourceBranch: 'refs/heads/main',
      sourceVersion: 'a'.repeat(40),
    },
  })

test('a run, its stages and its build are one record', async () => {
  await run('inProgress')
  await room.send({
    eventType: 'ms.vss-pipelines.stage-state-changed-event',
    resource: { run: { id: 7 }, stage: { name: 'Cook', state: 'completed', result: 'failed' } },
  })
  await build(7, '20260301.1', 'failed')
  await run('completed', 'failed')
  const stored = await room.build('20260301.1')
  expect(stored).toMatchObject({ ci_job_name: 'Win64', status: 'failed', branch: 'main', commit_hash: 'a'.repeat(40) })
  expect((await room.api(`build_runs/${stored!.id}`)).steps).toMatchObject([{ name: 'Cook', status: 'failed' }])
  expect(await room.builds()).toHaveLength(1)
})

test('pushes, pull requests and deleted branches are recorded', async () => {
  expect((await room.replay('git_push__code_push')).json).toMatchObject({ status: 'processed', records: [{ type: 'change' }] })
  await room.replay('git_pullrequest_created__code_pull_request_opened')
  await room.replay('git_pullrequest_merged__code_pull_request_merged')
  expect(await room.references()).toMatchObject([{ state: 'merged' }])
  expect((await room.replay('git_push__code_push_remove_branch')).status).toBe(200)
})

test('the log of the first task that failed is fetched', async () => {
  await room.connect({ server: `${server.url}/owl/star/`, api_token: 'secret' })
  const api = '/owl/star/_apis/build/builds/8'
  server.answers[`${api}/timeline`] = json(() => ({
    records: [
      { type: 'Job', result: 'failed', finishTime: '2026-03-01T10:00:00Z', log: { id: 1 } },
      { type: 'Task', result: 'failed', finishTime: '2026-03-01T10:02:00Z', log: { id: 2 } },
      { type: 'Task', result: 'failed', finishTime: '2026-03-01T10:01:00Z', log: { id: 3 } },
    ],
  }))
  server.answers[`${api}/logs/3`] = (_, reply) => reply.end("Sky.cpp(4): error C2065: 'sky': undeclared identifier\n")
  await build(8, '20260301.2', 'failed')
  await room.work()
  expect((await room.build('20260301.2'))!.output_log).toContain("'sky'")
  expect(server.headers[0]!.authorization).toBe(`Basic ${Buffer.from(':secret').toString('base64')}`)
})

test('a delivery that cannot be read is answered 200 and listed as failed, because errors stop the subscription', async () => {
  const { webhook_token } = room.studio.world.integrations.tool!
  const post = (raw: string) =>
    room.studio.ask('/webhooks/azure_devops', {
      method: 'POST',
      raw,
      headers: { 'content-type': 'application/json', 'x-webhook-token': webhook_token },
    })
  for (const raw of ['{', '[]', '{"eventType":"git.push","resource":{"id":1}}'])
    expect(await post(raw), raw).toMatchObject({ status: 200, json: { status: 'failed', message: expect.any(String) } })
  expect((await room.deliveries()).slice(-3)).toEqual(Array(3).fill(expect.objectContaining({ outcome: 'failed', status: 422 })))
})

test('a work item that a task names is shown', async () => {
  const fields = { 'System.Title': 'Mend the moon', 'System.State': 'Approved' }
  await room.send({ eventType: 'workitem.created', resource: { id: 13, fields } })
  expect((await room.references()).at(-1)).toMatchObject({ key: 'AB#13', title: 'Mend the moon', state: 'Approved' })
})
