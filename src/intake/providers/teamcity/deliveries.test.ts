import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { type FakeJenkins, openJenkins } from '../../../../test/support/servers/jenkins.ts'
import { openProviderRoom } from '../../../../test/support/studios/provider-room.ts'

let room: Awaited<ReturnType<typeof openProviderRoom>>
let server: FakeJenkins
beforeAll(async () => {
  room = await openProviderRoom('teamcity')
})
afterAll(() => room.close())
beforeEach(async () => {
  server = await openJenkins()
})
afterEach(() => server.close())

const tell = (eventType: string, more: object) =>
  room.send({
    eventType,
    payload: {
      id: 901,
      buildTypeId: 'Star_Win64',
      number: '2031',
      status: 'SUCCESS',
      buildType: { name: 'Win64', projectName: 'Star' },
      ...more,
    },
  })

test('a build is one record from the queue to its end', async () => {
  await tell('BUILD_TYPE_ADDED_TO_QUEUE', { state: 'queued', number: undefined })
  await tell('BUILD_STARTED', { state: 'running' })
  const revision = [{ version: '65' }]
  const end = await tell('BUILD_FINISHED', { state: 'finished', status: 'FAILURE', revisions: { revision } })
  expect(end).toMatchObject({ status: 200, json: { status: 'processed', records: [{ type: 'build_run' }] } })
  expect(await room.build('2031')).toMatchObject({ ci_job_name: 'Star/Win64', status: 'failed', changelist: '65' })
  expect(await room.builds()).toHaveLength(1)
})

test('its own webhooks and the plugin report the same build', async () => {
  await room.replay('buildfinished__failure')
  const twin = { id: 19952, number: '5535 - CL 123456', buildType: { name: 'Compile', projectName: 'Project' } }
  await tell('MARKED_AS_SUCCESSFUL', { ...twin, state: 'finished' })
  expect(await room.build('5535 - CL 123456')).toMatchObject({ status: 'completed', changelist: '123456', agent: 'agent123' })
})

test('the password is the webhook token', async () => {
  const { webhook_token } = room.studio.world.integrations.tool!
  const post = (password: string) =>
    room.studio.ask('/webhooks/teamcity', {
      method: 'POST',
      body: { eventType: 'BUILD_STARTED', payload: {} },
      headers: { authorization: `Basic ${Buffer.from(`goldmaster:${password}`).toString('base64')}` },
    })
  expect(await post(webhook_token)).toMatchObject({ status: 200, json: { status: 'ignored' } })
  expect((await post('wrong')).status).toBe(401)
})

test('the log of a failed build is fetched with the access token', async () => {
  await room.connect({ server: `${server.url}/`, api_token: 'secret' })
  server.answers['/downloadBuildLog.html'] = (_, reply) => reply.end("src/sky.c:4:3: error: 'sky' undeclared\n")
  await tell('BUILD_FINISHED', { id: 902, number: '2032', state: 'finished', status: 'FAILURE' })
  await tell('BUILD_FINISHED', { id: 903, number: '2033', state: 'finished' })
  await room.work()
  expect(server.calls).toEqual(['GET /downloadBuildLog.html?buildId=902'])
  expect(server.headers[0]!.authorization).toBe('Bearer secret')
  expect((await room.build('2032'))!.output_log).toContain("'sky' undeclared")
})
