import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { type FakeJenkins, json, openJenkins } from '../../../test/support/servers/jenkins.ts'
import { openStudio, type Studio } from '../../../test/support/studio.ts'
import type { CiAction } from '../../contract/sets.ts'
import { sql } from '../../db/database.ts'

let studio: Studio
let server: FakeJenkins
beforeAll(async () => {
  studio = await openStudio(
    {
      accounts: [{ key: 'owl', name: 'Night Owl' }],
      users: [{ key: 'kim', email: 'kim@example.com', name: 'Kim', accounts: { owl: 'owner' } }],
      projects: [
        { key: 'star', account: 'owl', name: 'Starfall' },
        { key: 'moon', account: 'owl', name: 'Moonrise' },
      ],
      tokens: [
        { key: 'ci', name: 'CI', user: 'kim', scopes: ['read:builds', 'write:ci'] },
        { key: 'reader', name: 'Reader', user: 'kim', scopes: ['read:builds', 'write:builds'] },
      ],
    },
    { service: { allowedHosts: (host) => host === '127.0.0.1' } },
  )
})
afterAll(() => studio.close())
beforeEach(async () => {
  server = await openJenkins()
})
afterEach(() => server.close())

const id = (kind: 'projects' | 'users', key: string) => String(studio.world[kind]![key]!.id)

/** A build of a CI, and the request for an action at it. */
async function built(provider: string, { external_id, ...build }: Record<string, string | undefined> = {}, config: object = {}) {
  const base = { jenkins: '/', buildkite: '/v2/organizations/owl', github: '/repos/owl/star' }[provider] ?? '/'
  const made = await studio.load({
    integrations: [
      {
        key: 'ci',
        project: id('projects', 'star'),
        provider,
        config: { server: `${server.url}${base}`, user: 'kim', api_token: 'secret', ...config },
      },
    ],
    build_runs: [
      {
        key: 'b',
        project: id('projects', 'star'),
        integration: 'ci',
        status: 'failed',
        ci_job_name: 'Game',
        build_number: '12',
        branch: 'main',
        commit_hash: 'abc123',
        ...build,
      },
    ],
  })
  const build_id = made.build_runs!.b!.id as number
  if (external_id !== undefined)
    await studio.db.execute(sql`update build_runs set external_id = ${external_id} where id = ${build_id}`)
  return (
    action: CiAction | 'explode',
    { project = 'star', token = 'ci', parameters = undefined as string[] | undefined } = {},
  ) =>
    studio.ask(`/api/v1/projects/${id('projects', project)}/build_runs/${build_id}/ci`, {
      method: 'POST',
      token: String(studio.world.tokens![token]!.token),
      body: { action, parameters },
    })
}
const posted = () => server.calls.filter((call) => !call.startsWith('GET'))
const accepts = (path: string, status = 201) => {
  server.answers[path] = (_, reply) => reply.writeHead(status, { 'content-type': 'application/json' }).end('{}')
}

test('Jenkins runs a build again with its parameters, and stops one by its URL', async () => {
  const url = `${server.url}/job/Game/12/`
  server.answers['/job/Game/12/api/json'] = json(() => ({
    actions: [
      {},
      {
        parameters: [
          { name: 'PLATFORM', value: 'Win64' },
          { name: 'CLEAN', value: false },
        ],
      },
    ],
  }))
  accepts('/job/Game/buildWithParameters')
  accepts('/job/Game/12/stop', 302)
  const ended = await built('jenkins', { url })
  expect(await ended('retry')).toMatchObject({ status: 202, json: { message: expect.stringContaining('again') } })
  expect(server.bodies.at(-1)).toBe('PLATFORM=Win64&CLEAN=false')
  const running = await built('jenkins', { url, status: 'building' })
  expect((await running('stop')).status).toBe(202)
  expect(posted()).toEqual(['POST /job/Game/buildWithParameters', 'POST /job/Game/12/stop'])
})

test('Jenkins starts a job on the branch of a build, without its revision', async () => {
  const names = ['BRANCH', 'COMMIT', 'PLATFORM'].map((name) => ({ name }))
  server.answers['/job/Game/api/json'] = json(() => ({ property: [{ parameterDefinitions: names }] }))
  accepts('/job/Game/buildWithParameters')
  expect((await (await built('jenkins'))('start')).status).toBe(202)
  expect(server.bodies.at(-1)).toBe('BRANCH=main')
})

test('Jenkins does not run a build again whose secret parameter it hides', async () => {
  server.answers['/job/Game/12/api/json'] = json(() => ({ actions: [{ parameters: [{ name: 'KEY' }] }] }))
  const act = await built('jenkins', { url: `${server.url}/job/Game/12/` })
  expect(await act('retry')).toMatchObject({ status: 422, json: { error: 'ci_failed', message: expect.stringContaining('KEY') } })
  expect(posted()).toEqual([])
})

test('a URL of another Jenkins gets neither the request nor the token', async () => {
  const act = await built('jenkins', { url: 'https://elsewhere.example/job/Game/12/' })
  expect(await act('retry')).toMatchObject({ status: 422, json: { error: 'ci_failed' } })
  expect(server.calls).toEqual([])
})

test('Buildkite rebuilds, cancels and starts builds of the pipeline', async () => {
  const builds = '/v2/organizations/owl/pipelines/Game/builds'
  for (const path of ['', '/12/rebuild', '/12/cancel']) accepts(`${builds}${path}`)
  const act = await built('buildkite')
  for (const action of ['retry', 'start'] as const) expect((await act(action)).status).toBe(202)
  expect(JSON.parse(server.bodies.at(-1)!)).toMatchObject({ commit: 'HEAD', branch: 'main' })
  expect((await (await built('buildkite', { status: 'building' }))('stop')).status).toBe(202)
  expect(posted()).toEqual([`PUT ${builds}/12/rebuild`, `POST ${builds}`, `PUT ${builds}/12/cancel`])
  expect(server.headers.every(({ authorization }) => authorization === 'Bearer secret')).toBe(true)
})

test('GitHub repeats, cancels and dispatches workflow runs', async () => {
  const actions = '/repos/owl/star/actions'
  server.answers[`${actions}/workflows`] = json(() => ({
    workflows: [{ id: 5, name: 'Game', path: '.github/workflows/game.yml', state: 'active' }],
  }))
  for (const path of ['/runs/77/rerun', '/runs/77/cancel', '/workflows/5/dispatches']) accepts(`${actions}${path}`)
  const url = 'https://github.com/owl/star/actions/runs/77'
  const act = await built('github', { url, branch: 'refs/heads/main' })
  for (const action of ['retry', 'start'] as const) expect((await act(action)).status).toBe(202)
  expect(JSON.parse(server.bodies.at(-1)!)).toEqual({ ref: 'main' })
  expect((await (await built('github', { url, status: 'building' }))('stop')).status).toBe(202)
  expect(posted()).toEqual([
    `POST ${actions}/runs/77/rerun`,
    `POST ${actions}/workflows/5/dispatches`,
    `POST ${actions}/runs/77/cancel`,
  ])
})

test('a refusal of the CI is told with its reason, and the request is not repeated', async () => {
  accepts('/v2/organizations/owl/pipelines/Game/builds/12/rebuild', 403)
  const act = await built('buildkite')
  expect(await act('retry')).toMatchObject({
    status: 422,
    json: { error: 'ci_failed', message: expect.stringContaining('write_builds') },
  })
  expect(posted()).toHaveLength(1)
})

test('a request whose answer is lost may have arrived: the answer says so, and the audit log has it', async () => {
  server.answers['/v2/organizations/owl/pipelines/Game/builds/12/rebuild'] = (_, reply) => void reply.destroy()
  const act = await built('buildkite')
  const count = async () => (await studio.db.one<{ n: number }>(sql`select count(*)::integer as n from audit_log`))!.n
  const before = await count()
  expect(await act('retry')).toMatchObject({ status: 202, json: { message: expect.stringContaining('may have received') } })
  expect(await count()).toBe(before + 1)
})

test.each([
  ['retry', 'a running build', 'buildkite', { status: 'building' }, {}, 'still running'],
  ['stop', 'a build that is over', 'buildkite', {}, {}, 'already over'],
  ['retry', 'a build without a number', 'buildkite', { build_number: '' }, {}, 'no number'],
  ['start', 'a build of an integration without a server', 'buildkite', {}, { server: '' }, 'no server'],
  ['retry', 'a build of a tool that is no CI server', 'game_engine', {}, {}, 'only be controlled at its CI'],
] as const)('%s of %s is refused', async (action, _, provider, build, config, words) => {
  const act = await built(provider, build, config)
  expect(await act(action)).toMatchObject({
    status: 422,
    json: { error: 'cannot_act', message: expect.stringContaining(words) },
  })
  expect(server.calls).toEqual([])
})

test('the CI is asked only with the scope for it, for a build of the project, and for something it can do', async () => {
  const act = await built('buildkite')
  expect((await act('retry', { token: 'reader' })).status).toBe(403)
  expect((await act('retry', { project: 'moon' })).status).toBe(404)
  expect((await act('explode')).status).toBe(422)
  expect(server.calls).toEqual([])
})

test('the CI of an integration that is disabled is not asked', async () => {
  const act = await built('buildkite')
  await studio.db.execute(sql`update integrations set active = false where id = (select max(id) from integrations)`)
  expect(await act('retry')).toMatchObject({ status: 422, json: { error: 'cannot_act' } })
  expect(server.calls).toEqual([])
})

test('the audit log says who asked the CI for what', async () => {
  accepts('/v2/organizations/owl/pipelines/Game/builds/12/rebuild')
  await (await built('buildkite'))('retry')
  expect(
    await studio.db.one(sql`
      select a.subject, a.after, a.user_id, b.build_number from audit_log a
      join build_runs b on b.account_id = a.account_id and a.subject = 'build_run/' || b.id
      where a.action = 'actOnBuild' order by a.id desc limit 1`),
  ).toEqual({
    subject: expect.any(String),
    after: { action: 'retry' },
    user_id: Number(id('users', 'kim')),
    build_number: '12',
  })
})

test('GitLab repeats failed jobs, cancels and runs pipelines of the project in the URL', async () => {
  const project = '/api/v4/projects/owl%2Fstar'
  for (const path of ['/pipelines/77/retry', '/pipelines/77/cancel', '/pipeline']) accepts(`${project}${path}`)
  const url = `${server.url}/owl/star/-/pipelines/77`
  const failed = await built('gitlab', { url, branch: 'refs/heads/main' })
  for (const action of ['retry', 'start'] as const) expect((await failed(action)).status).toBe(202)
  expect(JSON.parse(server.bodies.at(-1)!)).toEqual({ ref: 'main' })
  expect((await (await built('gitlab', { url, status: 'building' }))('stop')).status).toBe(202)
  expect(posted()).toEqual([
    `POST ${project}/pipelines/77/retry`,
    `POST ${project}/pipeline`,
    `POST ${project}/pipelines/77/cancel`,
  ])
  expect(server.headers.every((headers) => headers['private-token'] === 'secret')).toBe(true)
  for (const more of [{ url, status: 'completed' }, { url: 'https://elsewhere.example/owl/star/-/pipelines/77' }])
    expect(await (await built('gitlab', more))('retry')).toMatchObject({ status: 422, json: { error: 'ci_failed' } })
  expect(posted()).toHaveLength(3)
})

test('TeamCity queues a build again at its change with its parameters, and stops queued and running ones', async () => {
  const told: Record<string, unknown> = {
    buildType: { id: 'Game_Cook' },
    branchName: 'main',
    lastChanges: { change: [{ id: 9 }, { id: 8 }] },
    originalProperties: { property: [{ name: 'env.CLEAN', value: '1' }] },
  }
  server.answers['/app/rest/builds/id:5'] = json(() => told)
  accepts('/app/rest/buildQueue', 200)
  accepts('/app/rest/buildQueue/id:5', 200)
  const act = await built('teamcity', { external_id: 'build:5' })
  expect((await act('retry')).status).toBe(202)
  expect(JSON.parse(server.bodies.at(-1)!)).toEqual({
    buildType: { id: 'Game_Cook' },
    branchName: 'main',
    lastChanges: { change: [{ id: 9 }] },
    properties: { property: [{ name: 'env.CLEAN', value: '1' }] },
  })
  expect((await act('start')).status).toBe(202)
  expect(JSON.parse(server.bodies.at(-1)!)).toEqual({ buildType: { id: 'Game_Cook' }, branchName: 'main' })
  expect((await (await built('teamcity', { external_id: 'build:5', status: 'queued' }))('stop')).status).toBe(202)
  expect((await (await built('teamcity', { external_id: 'build:5', status: 'building' }))('stop')).status).toBe(202)
  expect(posted()).toEqual([
    'POST /app/rest/buildQueue',
    'POST /app/rest/buildQueue',
    'POST /app/rest/buildQueue/id:5',
    'POST /app/rest/builds/id:5',
  ])
  for (const [field, value] of [
    ['personal', true],
    ['originalProperties', { property: [{ name: 'secret' }] }],
  ] as const) {
    told[field] = value
    expect(await act('retry')).toMatchObject({ status: 422, json: { error: 'ci_failed' } })
    told[field] = undefined
  }
  expect(posted()).toHaveLength(4)
})

test('Horde runs a job again at its changelist and shelf, starts the newest one and aborts a job', async () => {
  const job = {
    id: 'j1',
    streamId: 'game-main',
    templateId: 'cook',
    name: 'Cook',
    change: 1204,
    preflightChange: 1250,
    arguments: ['-a'],
  }
  server.answers['/api/v1/jobs/j1'] = json(() => job)
  accepts('/api/v1/jobs', 200)
  const act = await built('horde', { external_id: 'horde:j1' })
  expect((await act('retry')).status).toBe(202)
  const { id: _, ...again } = job
  expect(JSON.parse(server.bodies.at(-1)!)).toEqual(again)
  expect((await act('start')).status).toBe(202)
  const { change, preflightChange, ...newest } = again
  expect(JSON.parse(server.bodies.at(-1)!)).toEqual(newest)
  expect((await (await built('horde', { external_id: 'horde:j1', status: 'building' }))('stop')).status).toBe(202)
  expect(JSON.parse(server.bodies.at(-1)!)).toEqual({ aborted: true })
  expect(posted()).toEqual(['POST /api/v1/jobs', 'POST /api/v1/jobs', 'PUT /api/v1/jobs/j1'])
  expect((await (await built('horde'))('retry')).status).toBe(422)
})

const ALLOWED = { start_parameters: 'PLATFORM=Win64|PS5, NOTE,\nenv.CLEAN=true|false, no name!' }
const CHOSEN = ['PLATFORM=PS5', 'NOTE=a = b, c']

test('a build is started with the parameters that the settings allow, as each CI takes them', async () => {
  const last = () => JSON.parse(server.bodies.at(-1)!)
  const github = '/repos/owl/star/actions'
  server.answers[`${github}/workflows`] = json(() => ({
    workflows: [{ id: 5, name: 'Game', path: 'game.yml', state: 'active' }],
  }))
  const names = ['BRANCH', 'PLATFORM', 'NOTE'].map((name) => ({ name }))
  server.answers['/job/Game/api/json'] = json(() => ({ property: [{ parameterDefinitions: names }] }))
  server.answers['/app/rest/builds/id:5'] = json(() => ({ buildType: { id: 'Game_Cook' }, branchName: 'main' }))
  const told: Record<string, unknown> = {
    streamId: 'main',
    templateId: 'cook',
    arguments: ['-a', '-set:Platform=Win64', '-set:Keep=1'],
  }
  server.answers['/api/v1/jobs/j1'] = json(() => told)
  accepts('/job/Game/buildWithParameters')
  accepts('/v2/organizations/owl/pipelines/Game/builds')
  accepts(`${github}/workflows/5/dispatches`)
  accepts('/api/v4/projects/owl%2Fstar/pipeline')
  accepts('/app/rest/buildQueue', 200)
  accepts('/api/v1/jobs', 200)
  const started = async (provider: string, build = {}) =>
    expect((await (await built(provider, build, ALLOWED))('start', { parameters: CHOSEN })).status).toBe(202)
  await started('jenkins')
  expect(Object.fromEntries(new URLSearchParams(server.bodies.at(-1)))).toEqual({
    BRANCH: 'main',
    PLATFORM: 'PS5',
    NOTE: 'a = b, c',
  })
  const wanted = { PLATFORM: 'PS5', NOTE: 'a = b, c' }
  await started('buildkite')
  expect(last()).toMatchObject({ commit: 'HEAD', env: wanted })
  await started('github', { url: 'https://github.com/owl/star/actions/runs/77' })
  expect(last()).toEqual({ ref: 'main', inputs: wanted })
  await started('gitlab', { url: `${server.url}/owl/star/-/pipelines/77` })
  expect(last()).toEqual({ ref: 'main', variables: Object.entries(wanted).map(([key, value]) => ({ key, value })) })
  await started('teamcity', { external_id: 'build:5' })
  expect(last().properties).toEqual({ property: Object.entries(wanted).map(([name, value]) => ({ name, value })) })
  await started('horde', { external_id: 'horde:j1' })
  expect(last().arguments).toEqual(['-a', '-set:Keep=1', '-set:PLATFORM=PS5', '-set:NOTE=a = b, c'])
  told.arguments = undefined
  await started('horde', { external_id: 'horde:j1' })
  expect(last().arguments).toEqual(['-set:PLATFORM=PS5', '-set:NOTE=a = b, c'])
  expect(await studio.db.one(sql`select after from audit_log where action = 'actOnBuild' order by id desc limit 1`)).toEqual({
    after: { action: 'start', parameters: ['PLATFORM', 'NOTE'] },
  })
})

test.each([
  ['one that the settings do not name', ALLOWED, ['SECRET=1'], 'cannot_act', 'only PLATFORM, NOTE, env.CLEAN'],
  ['one whose name differs in case', ALLOWED, ['platform=PS5'], 'cannot_act', 'platform'],
  ['another value', ALLOWED, ['PLATFORM=Switch'], 'cannot_act', 'one of: Win64, PS5'],
  ['any of an integration without allowed ones', {}, ['PLATFORM=PS5'], 'cannot_act', 'allows no parameters'],
  ['one without a value', ALLOWED, ['PLATFORM'], 'invalid_parameter', 'NAME=value'],
  ['the same one twice', ALLOWED, ['PLATFORM=PS5', 'PLATFORM=Win64'], 'invalid_parameter', 'once'],
] as const)('a parameter is refused without a request to the CI: %s', async (_, config, parameters, error, words) => {
  const act = await built('buildkite', {}, config)
  expect(await act('start', { parameters: [...parameters] })).toMatchObject({
    status: 422,
    json: { error, message: expect.stringContaining(words) },
  })
  expect(server.calls).toEqual([])
})

test('only a start takes parameters, and Jenkins none that its job does not declare', async () => {
  const retry = await (await built('buildkite', {}, ALLOWED))('retry', { parameters: CHOSEN })
  expect(retry).toMatchObject({ status: 422, json: { message: expect.stringContaining('needs the action start') } })
  server.answers['/job/Game/api/json'] = json(() => ({ property: [{ parameterDefinitions: [{ name: 'PLATFORM' }] }] }))
  const act = await built('jenkins', {}, ALLOWED)
  expect(await act('start', { parameters: CHOSEN })).toMatchObject({
    status: 422,
    json: { error: 'ci_failed', message: expect.stringContaining('no parameter NOTE') },
  })
  expect(posted()).toEqual([])
})
