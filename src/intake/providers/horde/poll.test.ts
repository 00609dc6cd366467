import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { type FakeJenkins, openJenkins } from '../../../../test/support/servers/jenkins.ts'
import { openProviderRoom, recorded } from '../../../../test/support/studios/provider-room.ts'
import { workOff } from '../../../../test/support/work-off.ts'
import { sql } from '../../../db/database.ts'
import { allowedHosts } from '../../../net/addresses.ts'
import { startPolls } from '../polling.ts'
import { pollHorde } from './poll.ts'

type Job = Record<string, unknown>

let room: Awaited<ReturnType<typeof openProviderRoom>>
let server: FakeJenkins
let jobs: Job[]
beforeAll(async () => {
  room = await openProviderRoom('horde')
})
afterAll(() => room.close())
beforeEach(async () => {
  server = await openJenkins()
  jobs = []
  await room.studio.db.execute(sql`delete from jobs`)
  await room.connect({ server: server.url, api_token: 'secret', horde_streams: 'game-main=//Game/Main' })
  // As the API is documented: only with the token, only the fields of the filter, page by page.
  server.answers['/api/v1/jobs'] = (request, reply) => {
    const asked = new URL(request.url!, server.url).searchParams
    const [index, count] = [Number(asked.get('index')), Number(asked.get('count'))]
    const listed = jobs
      .filter(({ streamId, createTime }) => streamId === asked.get('streamId') && createTime! >= asked.get('minCreateTime')!)
      .slice(index, index + count)
      .map((job) =>
        Object.fromEntries(
          asked
            .get('filter')!
            .split(',')
            .map((field) => [field, job[field]]),
        ),
      )
    reply.writeHead(request.headers.authorization === 'Bearer secret' ? 200 : 401).end(JSON.stringify(listed))
  }
})
afterEach(() => server.close())

const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString()

/** A job of the server, with a graph that names its steps. */
function put(id: string, more: Job = {}) {
  const job: Job = {
    ...(recorded('horde', 'job__failed').body as Job),
    id,
    createTime: ago(30),
    updateTime: ago(20),
    labels: [],
    ...more,
  }
  jobs = [...jobs.filter((other) => other.id !== id), job]
  server.answers[`/api/v1/jobs/${id}`] = (_, reply) => reply.end(JSON.stringify(job))
  const graph = { groups: [{ nodes: [{ name: 'Sync' }, { name: 'Compile Editor' }, { name: 'Cook' }] }] }
  server.answers[`/api/v1/jobs/${id}/graph`] = (_, reply) => reply.end(JSON.stringify(graph))
}

const outside = () => ({
  db: room.studio.db,
  vault: room.studio.service.vault,
  log: room.studio.service.log,
  allowed: allowedHosts(['127.0.0.1']),
})
const waiting = () => room.studio.db.rows<{ payload: { since: string } }>(sql`select payload from jobs where kind = 'poll_horde'`)
/** Polls as the waiting job would, and returns what was asked. */
async function poll() {
  const [next] = await waiting()
  server.calls.length = 0
  await pollHorde(outside(), { account_id: room.account_id, integration_id: room.integration, ...next?.payload })
  return server.calls.map((call) => call.replace(/^GET \/api\/v1/, '').split('?')[0])
}

test('jobs that changed are read with their steps, and then only those that change again', async () => {
  put('a1', { state: 'Running', updateTime: ago(20) })
  put('a2', { state: 'Waiting', updateTime: ago(19) })
  expect(await poll()).toEqual(['/jobs', '/jobs/a1', '/jobs/a1/graph', '/jobs/a2'])
  expect(await room.build('a1')).toMatchObject({ status: 'building', branch: '//Game/Main', changelist: '12345' })
  expect(await poll()).toEqual(['/jobs'])
  put('a1', { updateTime: ago(5) })
  expect(await poll()).toContain('/jobs/a1')
  const build = await room.build('a1')
  expect(build).toMatchObject({ status: 'failed', ci_job_name: 'incremental-build', agent: 'WIN-01' })
  expect((await room.api(`build_runs/${build!.id}`)).steps).toMatchObject([
    { name: 'Compile Editor', status: 'completed' },
    { name: 'Cook', status: 'failed' },
  ])
})

test('a preflight is no build of its branch', async () => {
  put('b1', { preflightChange: 812 })
  await poll()
  expect(await room.build('b1')).toMatchObject({ kind: 'preflight', shelf: '812' })
})

test('the first poll looks back one hour', async () => {
  put('c1', { updateTime: ago(70), createTime: ago(80) })
  put('c2', { updateTime: ago(50), createTime: ago(80) })
  expect(await poll()).toEqual(['/jobs', '/jobs/c2', '/jobs/c2/graph'])
})

test('many jobs are read in several polls, and none is left out', async () => {
  const names = Array.from({ length: 120 }, (_, at) => `d${at}`)
  for (const [at, id] of names.entries()) put(id, { batches: [], updateTime: ago(50 - Math.floor(at / 40)) })
  const read: string[] = []
  for (let calls = await poll(); calls.some((call) => call !== '/jobs'); calls = await poll())
    read.push(...calls.flatMap((call) => call!.match(/^\/jobs\/(d\d+)$/)?.[1] ?? []))
  expect(read.toSorted()).toEqual(names.toSorted())
})

test('a job that was deleted meanwhile is skipped', async () => {
  put('e1', { updateTime: ago(10) })
  put('e2', { updateTime: ago(9) })
  delete server.answers['/api/v1/jobs/e1']
  await poll()
  expect(await room.build('e1')).toBeUndefined()
  expect(await room.build('e2')).toMatchObject({ status: 'failed' })
  expect(await poll()).toEqual(['/jobs'])
})

test('a refused poll is an error, and the time that was reached is kept', async () => {
  put('f1')
  await poll()
  const before = await waiting()
  await room.connect({ server: server.url, api_token: 'wrong', horde_streams: 'game-main' })
  await expect(poll()).rejects.toThrow('does not accept the login')
  expect(await waiting()).toEqual(before)
})

test('the log of the first step that failed is fetched', async () => {
  put('g1')
  server.answers['/api/v1/logs/l3/data'] = (_, reply) => reply.end("Sky.cpp(4): error C2065: 'sky': undeclared identifier\n")
  await poll()
  await room.studio.db.execute(sql`delete from jobs where kind = 'poll_horde'`)
  await room.work()
  expect((await room.build('g1'))!.output_log).toContain("'sky'")
  expect(server.calls).toContain('GET /api/v1/logs/l3/data?format=text')
})

test('polling starts by itself for active integrations with a server, once', async () => {
  await startPolls(room.studio.db)
  await startPolls(room.studio.db)
  expect(await waiting()).toHaveLength(1)
  await room.studio.db.execute(sql`update jobs set payload = '{"since":"x"}' where kind = 'poll_horde'`)
  await startPolls(room.studio.db)
  expect(await waiting()).toEqual([{ payload: { since: 'x' } }])
  await room.studio.db.execute(sql`update jobs set state = 'failed'`)
  await startPolls(room.studio.db)
  expect((await waiting())[0]!.payload.since).toBeUndefined()
})

test('polling does not start for a paused project or without a server, and ends there', async () => {
  await room.studio.db.execute(sql`update projects set status = 'paused'`)
  await startPolls(room.studio.db)
  expect(await waiting()).toEqual([])
  await poll()
  expect([server.calls, await waiting()]).toEqual([[], []])
  await room.studio.db.execute(sql`update projects set status = 'active'`)
  await room.connect({})
  await startPolls(room.studio.db)
  await poll()
  expect([server.calls, await waiting()]).toEqual([[], []])
  expect(await workOff(room.studio, 'poll_horde')).toBe(0)
})

test('a script may send jobs instead', async () => {
  expect(await room.replay('job__failed')).toMatchObject({ status: 200, json: { status: 'processed' } })
  expect(await room.send({ id: 1 })).toMatchObject({ status: 422 })
})
