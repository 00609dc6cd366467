import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { type FakeJenkins, openJenkins } from '../../../../test/support/servers/jenkins.ts'
import { openStudio, type Studio } from '../../../../test/support/studio.ts'
import { sql } from '../../../db/database.ts'
import { allowedHosts } from '../../../net/addresses.ts'
import type { JobContext } from '../../job-context.ts'
import { startBuildkite } from './start.ts'

let studio: Studio
let server: FakeJenkins
let outside: JobContext
beforeAll(async () => {
  studio = await openStudio({
    accounts: [{ key: 'owl', name: 'Night Owl' }],
    projects: [{ key: 'star', account: 'owl', name: 'Starfall' }],
  })
})
afterAll(() => studio.close())
beforeEach(async () => {
  server = await openJenkins()
  const { db, vault, log } = studio.service
  outside = { db, vault, log, allowed: allowedHosts(['127.0.0.1']) }
})
afterEach(() => server.close())

const BUILDS = '/v2/organizations/owl/pipelines/game/builds'

async function queued(revision: object = { commit_hash: 'abc123' }) {
  const config = { server: `${server.url}/v2/organizations/owl/`, api_token: 'secret' }
  const made = await studio.load({
    integrations: [{ key: 'ci', project: studio.world.projects!.star!.id, provider: 'buildkite', config }],
    build_runs: [
      {
        key: 'b',
        project: studio.world.projects!.star!.id,
        integration: 'ci',
        status: 'queued',
        kind: 'bisect',
        ci_job_name: 'game',
        branch: 'main',
        ...revision,
      },
    ],
  })
  return { account_id: studio.world.accounts!.owl!.id as number, build_run_id: Number(made.build_runs!.b!.id) }
}
const row = (id: number) => studio.db.one(sql`select status, kind, build_number, url from build_runs where id = ${id}`)
const answer = (status: number, body: unknown) => {
  server.answers[BUILDS] = (_, reply) => reply.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

test('a queued build is started at its commit and gets its number', async () => {
  const payload = await queued()
  answer(201, { number: 12, web_url: 'https://buildkite.com/owl/game/builds/12' })
  await startBuildkite(outside, payload)
  expect(JSON.parse(server.bodies.at(-1)!)).toMatchObject({
    commit: 'abc123',
    branch: 'main',
    meta_data: { goldmaster_build: String(payload.build_run_id) },
  })
  expect(server.headers.at(-1)!.authorization).toBe('Bearer secret')
  const started = { kind: 'bisect', build_number: '12', url: 'https://buildkite.com/owl/game/builds/12' }
  expect(await row(payload.build_run_id)).toMatchObject(started)
  // It has a number now.
  await startBuildkite(outside, payload)
  expect(server.calls).toHaveLength(1)
})

test('an attempt whose answer was lost does not start a second build', async () => {
  const payload = await queued()
  server.answers[BUILDS] = (_, reply) => reply.destroy()
  await expect(startBuildkite(outside, payload)).rejects.toThrow()
  answer(200, [{ number: 13, web_url: 'https://buildkite.com/owl/game/builds/13' }])
  await startBuildkite(outside, payload)
  expect(server.calls.at(-1)).toBe(`GET ${BUILDS}?meta_data[goldmaster_build]=${payload.build_run_id}`)
  expect(await row(payload.build_run_id)).toMatchObject({ build_number: '13' })
})

test('a server error is retried as late as Buildkite asks for, and a refusal is final', async () => {
  const payload = await queued()
  server.answers[BUILDS] = (_, reply) => reply.writeHead(503, { 'retry-after': '40' }).end()
  await expect(startBuildkite(outside, payload)).rejects.toMatchObject({ name: 'Unreachable', retryAfter: 40 })
  for (const status of [401, 403, 404, 422]) {
    answer(status, { message: 'Commit is invalid' })
    await expect(startBuildkite(outside, payload)).rejects.toMatchObject({
      name: 'Refused',
      message: expect.stringContaining('write_builds'),
    })
  }
  expect(await row(payload.build_run_id)).toMatchObject({ build_number: '' })
})
