import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { openHistoryStudio, openRoom } from '../../../test/support/history/room.ts'
import { type FakeJenkins, openJenkins } from '../../../test/support/servers/jenkins.ts'
import type { Studio } from '../../../test/support/studio.ts'
import { sql } from '../../db/database.ts'

let studio: Studio
let server: FakeJenkins
beforeAll(async () => {
  studio = await openHistoryStudio()
  server = await openJenkins()
})
beforeEach(() => {
  server.answers = {}
  server.calls.length = 0
})
afterAll(async () => {
  server.close()
  await studio.close()
})

const account = () => studio.world.accounts.owl!.id as number
const HOUR_MS = 3_600_000
const START = Math.floor(Date.now() / 1000) * 1000 - 240 * HOUR_MS
const at = (hours: number) => new Date(START + hours * HOUR_MS).toISOString()

/** A project with one CI. */
async function room(provider: 'jenkins' | 'buildkite', config: object) {
  const {
    id,
    project,
    rows,
    import: start,
    app,
  } = await openRoom(studio, { provider, config: { server: server.url, ...config }, signing_secret: 's3cret' })
  return {
    start,
    preview: async () => (await app(`/integrations/${id}/import_preview`)).json,
    /** A build that the tool reported. */
    told: (job: string, number: string) =>
      rows(sql`
        insert into build_runs (account_id, project_id, integration_id, status, ci_job_name, build_number)
        values (${account()}, ${project}, ${id}, 'completed', ${job}, ${number})`),
    builds: () =>
      rows(sql`
        select b.build_number, b.status, b.branch, b.commit_hash, b.changelist, b.url, b.agent, b.started_at, b.finished_at, b.duration_seconds,
          b.import_id is not null as imported, b.output_log,
          (select json_agg(s.name || ' ' || s.status order by s.id) from build_steps s where s.build_run_id = b.id) as steps
        from build_runs b where b.project_id = ${project} and b.ci_job_name = 'Cook' order by b.build_number::integer`),
  }
}

test('Jenkins lists the builds of the jobs that reported, page by page', async () => {
  const { preview, told, start, builds } = await room('jenkins', { user: 'gold', api_token: 'secret' })
  expect(await preview()).toMatchObject({ problem: expect.stringContaining('No build was reported yet') })
  await told('Cook', '130')
  await told('Aged', '1')
  await studio.db.execute(sql`delete from outbox`)
  const listed = Array.from({ length: 130 }, (_, index) => 130 - index).map((number) => ({
    number,
    url: `${server.url}/job/Cook/${number}/`,
    result: number % 10 === 0 ? 'FAILURE' : 'SUCCESS',
    building: number === 129,
    timestamp: START + number * HOUR_MS,
    duration: 60_000,
    actions: [{}, { lastBuiltRevision: { SHA1: 'a'.repeat(40), branch: [{ name: 'refs/remotes/origin/main' }] } }],
  }))
  server.answers['/job/Cook/api/json'] = (request, reply) => {
    if (request.headers.authorization !== `Basic ${Buffer.from('gold:secret').toString('base64')}`)
      return void reply.writeHead(401).end()
    const [from, to] = /\{(\d+),(\d+)\}$/.exec(new URL(request.url!, server.url).searchParams.get('tree')!)!.slice(1).map(Number)
    reply.end(JSON.stringify({ allBuilds: listed.slice(from, to) }))
  }
  for (const { number, ...build } of listed.filter(({ result }) => result === 'FAILURE')) {
    server.answers[`/job/Cook/${number}/api/json`] = (_, reply) => reply.end(JSON.stringify({ number, ...build }))
    server.answers[`/job/Cook/${number}/logText/progressiveText`] = (_, reply) =>
      reply.writeHead(200, { 'x-text-size': '5' }).end('boom\n')
  }
  // The deleted job is skipped, the running build and the one that was told are left alone.
  expect(await start()).toMatchObject({ state: 'done', counts: { builds: { read: 129, added: 128 } } })
  const stored = await builds()
  expect(stored).toHaveLength(129)
  expect(stored[0]).toMatchObject({
    build_number: '1',
    status: 'completed',
    branch: 'main',
    commit_hash: 'a'.repeat(40),
    duration_seconds: 60,
    imported: true,
  })
  expect(stored.filter(({ output_log }) => output_log === 'boom\n').map(({ build_number }) => build_number)).toEqual(
    Array.from({ length: 12 }, (_, index) => String(10 * index + 10)),
  )
  expect(stored.at(-1)).toMatchObject({ build_number: '130', imported: false })
  expect(await studio.db.rows(sql`select id from investigations`)).toEqual([])
  expect(await studio.db.rows(sql`select id from outbox`)).toEqual([])
})

test('Buildkite lists the builds of a pipeline with their jobs, as fast as its limits allow', async () => {
  const { preview, told, start, builds } = await room('buildkite', { api_token: 'secret' })
  await told('Cook', '3')
  let remaining = 50
  server.answers['/pipelines/Cook/builds'] = (request, reply) => {
    const asked = new URL(request.url!, server.url).searchParams
    if (request.headers.authorization !== 'Bearer secret')
      return void reply.writeHead(401).end('{"message":"Authentication required"}')
    remaining--
    const limits = {
      'ratelimit-user-limit': '50',
      'ratelimit-user-remaining': String(Math.max(0, remaining)),
      'ratelimit-user-reset': '7',
    }
    if (remaining < 0) {
      remaining = 50
      return void reply.writeHead(429, limits).end('{"message":"You have exceeded your API rate limit.","reset":7}')
    }
    expect(asked.get('per_page')).toBe('100')
    const page = Number(asked.get('page'))
    const build = (number: number) => ({
      number,
      state: number === 2 ? 'failed' : 'passed',
      commit: 'b'.repeat(40),
      branch: 'main',
      web_url: `https://buildkite.com/owl/cook/builds/${number}`,
      started_at: at(number),
      finished_at: at(number + 1),
      meta_data: { changelist: '77' },
      pull_request: null,
      jobs: [
        { type: 'script', name: 'Compile', state: 'passed', finished_at: at(number), agent: { name: 'win-1' } },
        { type: 'waiter', state: 'passed' },
        {
          type: 'script',
          name: 'Package',
          state: 'failed',
          exit_status: 2,
          finished_at: at(number + 1),
          agent: { name: 'win-2' },
        },
      ],
    })
    const link = page === 1 ? { link: '<https://api.buildkite.com/v2/x?page=2&per_page=100>; rel="next"' } : {}
    reply.writeHead(200, { ...limits, ...link }).end(JSON.stringify(page === 1 ? [build(3), build(2)] : [build(1)]))
  }
  const ended = (id: string, minute: string, more: object = {}) => ({
    id,
    name: id,
    state: 'failed',
    finished_at: `2026-03-01T10:${minute}:00Z`,
    ...more,
  })
  server.answers['/pipelines/Cook/builds/2'] = (_, reply) =>
    reply.end(
      JSON.stringify({
        jobs: [
          ended('later', '30'),
          ended('soft', '05', { soft_failed: true }),
          ended('passed', '06', { state: 'passed' }),
          ended('first', '10'),
        ],
      }),
    )
  server.answers['/pipelines/Cook/builds/2/jobs/first/log'] = (request, reply) =>
    request.headers.accept === 'text/plain' ? reply.end('boom\n') : reply.end('{"content":"boom"}')
  expect(await preview()).toMatchObject({
    problem: null,
    parts: [{ name: 'builds', needs: 'read_builds', problem: null }],
  })
  remaining = 1
  expect(await start()).toMatchObject({ state: 'done', counts: { builds: { read: 3, added: 2 } } })
  expect(await builds()).toMatchObject([
    {
      build_number: '1',
      status: 'completed',
      changelist: '77',
      agent: 'win-2',
      imported: true,
      steps: ['Compile completed', 'Package failed'],
    },
    { build_number: '2', status: 'failed', duration_seconds: 3600, imported: true, output_log: 'boom\n' },
    { build_number: '3', imported: false },
  ])
})
