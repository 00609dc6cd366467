import { createHmac } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { json, openJenkins } from '../../../../test/support/servers/jenkins.ts'
import { openProviderRoom, recorded } from '../../../../test/support/studios/provider-room.ts'

const SECRET = 'shared with Bitbucket'

let room: Awaited<ReturnType<typeof openProviderRoom>>
beforeAll(async () => {
  room = await openProviderRoom('bitbucket')
})
afterAll(() => room.close())

test('pushes to Cloud and Data Center create changes', async () => {
  expect((await room.replay('repo_push__push')).json).toMatchObject({ status: 'processed', records: [{ type: 'change' }] })
  await room.replay('repo_refs_changed__server_pushpayload')
  const { changes } = await room.api('changes')
  expect(changes).toMatchObject([{ author: 'Antonio Muniz' }, { author: 'Tomasz Kolek' }])
  expect((await room.replay('diagnostics_ping__server_ping')).json.status).toBe('ignored')
})

test('a commit on two branches is one change', async () => {
  const commits = [{ hash: 'e'.repeat(40), message: 'Both', author: { raw: 'Kim' } }]
  const to = (name: string) => ({ old: null, new: { type: 'branch', name, target: { hash: 'e'.repeat(40) } }, commits })
  const body = { repository: { full_name: 'owl/star', uuid: '{r1}' }, push: { changes: [to('main'), to('rel')] } }
  expect((await room.send(body, { 'x-event-key': 'repo:push' })).json.records).toHaveLength(1)
})

test('the statuses of a pipeline are one build', async () => {
  await room.replay('repo_commit_status_created__pipeline_hook_created')
  await room.replay('repo_commit_status_updated__pipeline_hook_update')
  expect(await room.builds()).toHaveLength(1)
  expect(await room.build('4')).toMatchObject({
    status: 'completed',
    branch: 'main',
    ci_job_name: 'automationtestharness/testrepo',
  })
  const { body, headers } = recorded('bitbucket', 'repo_commit_status_created__pipeline_hook_created')
  expect((await room.send(body, { ...headers, 'x-request-uuid': 'late' })).json.status).toBe('stale')
})

test('the log of the first step that failed is fetched, from where Bitbucket stored it', async () => {
  const [server, storage] = [await openJenkins(), await openJenkins()]
  await room.connect({ server: `${server.url}/2.0/repositories/owl/star/`, api_token: 'secret' })
  const status = (number: number, state: string) =>
    room.send(
      {
        repository: { full_name: 'owl/star', uuid: '{r1}', links: { html: { href: 'https://bitbucket.org/owl/star' } } },
        commit_status: {
          state,
          commit: { hash: 'f'.repeat(40) },
          refname: 'main',
          url: `https://bitbucket.org/owl/star/pipelines/results/${number}`,
        },
      },
      { 'x-event-key': 'repo:commit_status_updated' },
    )
  const PIPELINES = '/2.0/repositories/owl/star/pipelines/'
  // Pages shorter than requested.
  server.answers[PIPELINES] = (request, reply) => {
    const newest = 940 - 50 * (Number(new URL(request.url!, server.url).searchParams.get('page')) - 1)
    const values = Array.from({ length: 50 }, (_, at) => ({ uuid: `{p${newest - at}}`, build_number: newest - at }))
    json(() => ({ pagelen: 50, values }))(request, reply)
  }
  const step = (uuid: string, name: string, completed_on?: string) => ({
    uuid,
    completed_on,
    state: { name: 'COMPLETED', result: { name } },
  })
  const steps = (pipeline: number) => `${PIPELINES}%7Bp${pipeline}%7D/steps/`
  server.answers[steps(817)] = json(() => ({
    values: [
      step('{s1}', 'SUCCESSFUL', '2026-03-01T10:00:00Z'),
      step('{s3}', 'FAILED', '2026-03-01T12:00:00Z'),
      step('{s2}', 'ERROR', '2026-03-01T11:00:00.25Z'),
    ],
  }))
  server.answers[`${steps(817)}%7Bs2%7D/log`] = (_, reply) => reply.writeHead(307, { location: `${storage.url}/kept` }).end()
  storage.answers['/kept'] = (_, reply) => reply.end("src/sky.c:4:3: error: 'sky' undeclared\n")
  try {
    await status(817, 'FAILED')
    await status(816, 'SUCCESSFUL')
    await room.work()
    expect(server.calls).toEqual([
      `GET ${PIPELINES}?sort=-created_on&pagelen=100&page=1`,
      `GET ${PIPELINES}?sort=-created_on&pagelen=100&page=3`,
      `GET ${steps(817)}?pagelen=100`,
      `GET ${steps(817)}%7Bs2%7D/log`,
    ])
    expect(server.headers.map(({ authorization }) => authorization)).toEqual(Array(4).fill('Bearer secret'))
    expect(storage.headers.map(({ authorization }) => authorization)).toEqual([undefined])
    expect((await room.build('817'))!.output_log).toContain("'sky' undeclared")
    // Deleted after some time.
    server.answers[steps(815)] = json(() => ({ values: [step('{s9}', 'FAILED')] }))
    await status(815, 'FAILED')
    // Deleted altogether, or of another repository.
    await status(2000, 'FAILED')
    await room.work()
    expect(await room.build('815')).toMatchObject({ status: 'failed', output_log: null })
  } finally {
    server.close()
    storage.close()
    await room.connect({})
  }
})

test('a repeated delivery changes nothing', async () => {
  const { body } = recorded('bitbucket', 'pullrequest_created__pullrequest_created')
  const headers = { 'x-event-key': 'pullrequest:created', 'x-request-uuid': 'one' }
  expect((await room.send(body, headers)).json.status).toBe('processed')
  expect((await room.send(body, { ...headers, 'x-attempt-number': '2' })).json.status).toBe('duplicate')
})

test('a delivery that cannot be read is answered 200 and listed as failed, because errors stop the webhook', async () => {
  for (const body of [{}, [1], { push: {} }])
    expect(await room.send(body, { 'x-event-key': 'repo:push' })).toMatchObject({
      status: 200,
      json: { status: 'failed', message: expect.any(String) },
    })
  expect((await room.deliveries()).slice(-3)).toEqual(Array(3).fill(expect.objectContaining({ outcome: 'failed', status: 422 })))
})

test('with a secret, only signed deliveries are accepted', async () => {
  const signed = await openProviderRoom('bitbucket', SECRET)
  try {
    const { body } = recorded('bitbucket', 'repo_push__push')
    const right = `sha256=${createHmac('sha256', SECRET).update(JSON.stringify(body)).digest('hex')}`
    const send = (signature: string) => signed.send(body, { 'x-event-key': 'repo:push', 'x-hub-signature': signature })
    expect((await send('')).status).toBe(401)
    expect((await send(right.replace(/.$/, 'x'))).status).toBe(401)
    expect(await send(right)).toMatchObject({ status: 200, json: { status: 'processed' } })
  } finally {
    await signed.close()
  }
})
