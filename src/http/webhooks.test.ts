import { createHmac, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Answer, openStudio, type Studio } from '../../test/studio.ts'
import { PROVIDERS } from '../contract/sets.ts'
import { sql } from '../db/database.ts'

const SECRET = 'shared with the tool'

let studio: Studio
beforeAll(async () => {
  const integration = (provider: string, more: object = {}) => ({ key: provider, project: 'star', provider, ...more })
  studio = await openStudio({
    accounts: [{ key: 'owl', name: 'Night Owl' }],
    users: [
      {
        key: 'kim',
        email: 'kim@example.com',
        name: 'Kim',
        accounts: { owl: 'owner' },
        connected_accounts: [{ provider: 'github', uid: 'Kim-Dev' }],
      },
    ],
    projects: [
      { key: 'star', account: 'owl', name: 'Starfall', engine: 'unreal' },
      { key: 'paused', account: 'owl', name: 'Paused', status: 'paused' },
      { key: 'archived', account: 'owl', name: 'Archived', status: 'archived' },
    ],
    tokens: [
      {
        key: 'all',
        user: 'kim',
        name: 'all',
        scopes: ['read:changes', 'read:builds', 'read:assets', 'read:tasks', 'write:assets'],
      },
    ],
    integrations: [
      ...PROVIDERS.map((provider) => integration(provider)),
      integration('github', { key: 'signed', signing_secret: SECRET }),
      integration('github', { key: 'off', active: false }),
      integration('jenkins', { key: 'paused', project: 'paused' }),
      integration('jenkins', { key: 'archived', project: 'archived' }),
    ],
    tasks: [{ key: 'task', project: 'star', title: 'Fix the moon' }],
  })
})
afterAll(() => studio.close())

const tokenOf = (key: string) => studio.world.integrations![key]!.webhook_token as string
const project = () => studio.world.projects!.star!.id
const api = async (path: string) =>
  (await studio.ask(`/api/v1/projects/${project()}/${path}`, { token: studio.world.tokens!.all!.token as string })).json
const post = (path: string, body: unknown, headers: Record<string, string> = {}): Promise<Answer> =>
  studio.ask(`/webhooks/${path}`, { method: 'POST', body, headers })

const push = (commits: object[], more: object = {}) => ({
  ref: 'refs/heads/main',
  before: 'b'.repeat(40),
  after: 'a'.repeat(40),
  repository: { full_name: 'owl/star' },
  commits,
  ...more,
})
const commit = (id: string, more: object = {}) => ({
  id,
  message: 'Paint the sky',
  timestamp: '2026-10-01T10:00:00+02:00',
  author: { name: 'Kim Doe', email: 'kim@example.com', username: 'kim-dev' },
  added: ['Content/Sky/T_Sky.png'],
  modified: ['Source/Sky.cpp', 'README'],
  removed: [],
  ...more,
})
const github = (body: unknown, headers: Record<string, string> = {}, key = 'github') =>
  post(`github?token=${tokenOf(key)}`, body, { 'x-github-event': 'push', 'x-github-delivery': randomUUID(), ...headers })

describe('the token', () => {
  test.each(PROVIDERS)('of %s is refused when missing or malformed, and unknown when it belongs to nobody', async (provider) => {
    const path = provider === 'game_engine' ? 'game_engine/build_completed' : provider
    for (const token of ['', '?token=', '?token=abc', `?token=${'g'.repeat(64)}`])
      expect((await post(`${path}${token}`, {})).status, token).toBe(401)
    expect((await post(`${path}?token=${'0'.repeat(64)}`, {})).status).toBe(404)
    const other = provider === 'github' ? 'jira' : 'github'
    expect((await post(`${path}?token=${tokenOf(other)}`, {})).status).toBe(404)
  })

  test('of an inactive integration is unknown', async () => {
    expect((await github(push([]), {}, 'off')).status).toBe(404)
  })

  test('of a paused or archived project is refused with 403', async () => {
    const report = { job_name: 'night', build_number: 1, status: 'SUCCESS' }
    for (const key of ['paused', 'archived'])
      expect(await post(`jenkins?token=${tokenOf(key)}`, report)).toMatchObject({
        status: 403,
        json: { error: 'project_inactive' },
      })
  })

  test('travels in the headers each tool may use, and a header beats the query', async () => {
    const report = (n: number) => ({ job_name: 'headers', build_number: n, status: 'SUCCESS' })
    const basic = `Basic ${Buffer.from(`ci:${tokenOf('jenkins')}`).toString('base64')}`
    expect((await post('jenkins', report(1), { 'x-webhook-token': tokenOf('jenkins') })).status).toBe(200)
    expect((await post('ci', report(2), { authorization: basic })).status).toBe(200)
    expect((await post(`ci?token=${tokenOf('jenkins')}`, report(3))).status).toBe(200)
    expect((await post('jenkins', report(4), { 'x-service-token': tokenOf('jenkins') })).status).toBe(401)
    expect((await post(`ci?token=${tokenOf('jenkins')}`, report(5), { 'x-webhook-token': 'nonsense' })).status).toBe(401)
    const headers = { 'x-github-event': 'ping', 'x-github-delivery': randomUUID() }
    expect((await post('github', { zen: 'x' }, { ...headers, 'x-service-token': tokenOf('github') })).status).toBe(200)
    expect((await post('github', {}, { ...headers, 'x-webhook-token': tokenOf('github') })).status).toBe(401)
    expect((await post('deployment', {}, { 'x-service-token': tokenOf('deployment') })).status).toBe(401)
  })

  test('of Perforce may stand in its form', async () => {
    const raw = `changelist=4410&token=${tokenOf('perforce')}`
    const answer = await studio.ask('/webhooks/perforce', {
      method: 'POST',
      raw,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    })
    expect(answer).toMatchObject({ status: 202, json: { status: 'accepted', delivery_id: expect.any(String) } })
  })

  test('an API token opens no webhook', async () => {
    expect((await post('ci', {}, { 'x-webhook-token': studio.world.tokens!.all!.token as string })).status).toBe(401)
  })
})

describe('handshakes', () => {
  test('every tool but the CI intake answers a look', async () => {
    for (const provider of PROVIDERS) {
      const answer = await studio.ask(`/webhooks/${provider}/verify`)
      if (provider === 'jenkins') expect(answer.status).toBe(404)
      else expect(answer).toMatchObject({ status: 200, json: { status: 'verified', service: provider } })
    }
    expect((await studio.ask('/webhooks/ci/verify')).status).toBe(404)
  })

  test('Trello knocks with HEAD, monday with a challenge, Asana hands over a secret', async () => {
    expect((await studio.ask(`/webhooks/trello?token=${tokenOf('trello')}`, { method: 'HEAD' })).status).toBe(200)
    const monday = await post(`monday?token=${tokenOf('monday')}`, { challenge: 'abc' })
    expect(monday).toMatchObject({ status: 200, json: { challenge: 'abc' } })
    const path = `asana?token=${tokenOf('asana')}`
    for (const secret of ['first secret', 'second secret']) {
      const hand = await post(path, { events: [] }, { 'x-hook-secret': secret })
      expect({ status: hand.status, echoed: hand.headers.get('x-hook-secret') }).toEqual({ status: 200, echoed: secret })
    }
    const raw = '{"events":[]}'
    const signed = (secret: string) => ({
      method: 'POST',
      raw,
      headers: { 'content-type': 'application/json', 'x-hook-signature': createHmac('sha256', secret).update(raw).digest('hex') },
    })
    for (const secret of ['first secret', 'second secret'])
      expect((await studio.ask(`/webhooks/${path}`, signed(secret))).status).toBe(200)
    expect((await studio.ask(`/webhooks/${path}`, signed('third secret'))).status).toBe(401)
  })
})

describe('signatures', () => {
  const signature = (raw: string) => `sha256=${createHmac('sha256', SECRET).update(raw).digest('hex')}`

  test('are required where a secret is set, and one changed byte fails', async () => {
    const raw = JSON.stringify(push([commit('1'.repeat(40))]))
    const send = (body: string, sign?: string) =>
      studio.ask(`/webhooks/github?token=${tokenOf('signed')}`, {
        method: 'POST',
        raw: body,
        headers: {
          'content-type': 'application/json',
          'x-github-event': 'push',
          'x-github-delivery': randomUUID(),
          ...(sign ? { 'x-hub-signature-256': sign } : {}),
        },
      })
    expect((await send(raw)).status).toBe(401)
    expect((await send(raw.replace('sky', 'skies'), signature(raw))).status).toBe(401)
    expect((await send(raw, signature(raw))).status).toBe(200)
  })

  test('are demanded of a build notification and of Buildkite even without a secret', async () => {
    expect(
      (await post(`jenkins/build_notification?token=${tokenOf('jenkins')}`, { name: 'x', build: { number: 1 } })).status,
    ).toBe(401)
    expect((await post(`buildkite?token=${tokenOf('buildkite')}`, { event: 'ping' })).status).toBe(401)
  })
})

describe('a push', () => {
  test('becomes changes with files, authors and tasks, assets, and approvals', async () => {
    const task = studio.world.tasks!.task!.id
    const sha = 'c'.repeat(40)
    const answer = await github(
      push([commit(sha, { message: `Paint the sky, see #${task}\n\nCo-authored-by: Lee <lee@example.com>` })]),
    )
    expect(answer).toMatchObject({ status: 200, json: { status: 'processed', records: [{ type: 'change' }] } })
    const change = await api(`changes/${answer.json.records[0].id}`)
    expect(change).toMatchObject({
      identifier: sha,
      display_identifier: 'cccccccc',
      source_type: 'GitCommit',
      author: 'Kim Doe',
      timestamp: '2026-10-01T08:00:00.000Z',
      file_count: 3,
      approvals: { pending: 1 },
      task_ids: [task],
    })
    expect(JSON.stringify(change)).not.toContain('@example.com')
    const [row] = await studio.db.rows(sql`select author_user_id, asset_count from changes where id = ${change.id}`)
    expect(row).toEqual({ author_user_id: studio.world.users!.kim!.id, asset_count: 2 })
    const { assets } = await api('assets')
    expect(assets.find((asset: { path: string }) => asset.path === 'Content/Sky/T_Sky.png')).toMatchObject({
      asset_type: 'texture',
      approval_status: 'pending',
      last_change_id: change.id,
    })
  })

  test('told again under another delivery changes no version; a new commit moves the pending approval', async () => {
    const file = { added: ['Content/T_Moved.png'], modified: [] }
    await github(push([commit('d'.repeat(40), file)]))
    await github(push([commit('d'.repeat(40), file)]))
    const find = async () => (await api('assets?limit=50')).assets.find((one: { name: string }) => one.name === 'T_Moved.png')
    expect(await find()).toMatchObject({ version: 1 })
    await github(push([commit('e'.repeat(40), file)]))
    const asset = await find()
    expect(asset.version).toBe(2)
    const { approvals_history } = await api(`assets/${asset.id}`)
    expect(approvals_history).toHaveLength(1)
    const { approvals } = await api(`approvals?commit_sha=${'e'.repeat(40)}`)
    expect(approvals).toMatchObject([{ status: 'pending', approval_stage: 'review', asset_version: 2 }])
  })

  test('that was forced orphans the old head, and seeing it again lifts the mark', async () => {
    const old = 'f'.repeat(40)
    await github(push([commit(old)]))
    await github(push([commit('9'.repeat(40))], { forced: true, before: old }))
    expect((await api(`changes?identifier=${old}`)).changes).toEqual([])
    expect((await api(`changes?identifier=${old}&orphaned=true`)).changes).toMatchObject([{ orphaned_at: expect.any(String) }])
    await github(push([commit(old)]))
    expect((await api(`changes?identifier=${old}`)).changes).toMatchObject([{ orphaned_at: null }])
  })

  test('delivered 50 times at once is recorded once', async () => {
    const body = push([commit('8'.repeat(40), { added: ['Content/T_Once.png'] })])
    const headers = { 'x-github-delivery': randomUUID() }
    const answers = await Promise.all(Array.from({ length: 50 }, () => github(body, headers)))
    const words = answers.map((answer) => answer.json.status)
    expect(words.filter((word) => word === 'processed')).toHaveLength(1)
    expect(words.filter((word) => word === 'duplicate')).toHaveLength(49)
    const { assets } = await api('assets?limit=50')
    expect(assets.find((one: { name: string }) => one.name === 'T_Once.png').version).toBe(1)
  })
})

describe('a build', () => {
  const ci = (body: object) => post(`ci?token=${tokenOf('jenkins')}`, body)

  test('moves on, never back; a late report is stale', async () => {
    const build = (status: string, more: object = {}) => ci({ job_name: 'night', build_number: 218, status, ...more })
    const first = await build('STARTED')
    expect(first.json).toMatchObject({ status: 'processed', records: [{ type: 'build_run' }] })
    const id = first.json.records[0].id
    expect((await build('FAILURE', { logs_tail: `${'é'.repeat(300_000)}end` })).json.records).toEqual([{ type: 'build_run', id }])
    expect((await build('queued')).json.status).toBe('stale')
    expect(await api(`build_runs/${id}`)).toMatchObject({ status: 'failed', build_type: 'unreal', target_type: 'development' })
    const [{ length }] = (await studio.db.rows(sql`select length(output_log) as length from build_runs where id = ${id}`)) as [
      { length: number },
    ]
    expect(length).toBe(256_000)
    expect((await build('SUCCESS')).json.status).toBe('processed')
    expect(await api(`build_runs/${id}`)).toMatchObject({ status: 'completed' })
  })

  test('with a word nobody knows is 422 and says which are known; nothing is recorded', async () => {
    const answer = await ci({ job_name: 'odd', build_number: 1, status: 'EXPLODED' })
    expect(answer).toMatchObject({ status: 422, json: { error: 'unreadable_body', delivery_id: expect.any(String) } })
    expect(answer.json.message).toContain('success')
    expect(await studio.db.rows(sql`select id from build_runs where ci_job_name = 'odd'`)).toEqual([])
  })

  test('that passed waits while its commit has an open approval, and is done when it is decided', async () => {
    const sha = '7'.repeat(40)
    await github(push([commit(sha, { added: ['Content/T_Gate.png'] })]))
    const { json } = await ci({ job_name: 'gate', build_number: 1, status: 'SUCCESS', commit: sha })
    const status = async () => (await api(`build_runs/${json.records[0].id}`)).status
    expect(await status()).toBe('passed_pending_approval')
    const [{ asset_id }] = (await api(`approvals?commit_sha=${sha}`)).approvals
    await studio.ask(`/api/v1/projects/${project()}/assets/${asset_id}/approvals`, {
      method: 'POST',
      token: studio.world.tokens!.all!.token as string,
      body: { status: 'approved' },
    })
    expect(await status()).toBe('completed')
  })

  test('triggered by a commit is adopted by the first report of that job and commit', async () => {
    const path = `ci/commit_trigger?token=${tokenOf('jenkins')}`
    const { json } = await post(path, { job_name: 'adopt', commit: 'abc123' })
    const id = json.records[0].id
    expect(await api(`build_runs/${id}`)).toMatchObject({ status: 'queued', build_number: '' })
    const report = await ci({ job_name: 'adopt', build_number: 7, status: 'RUNNING', commit: 'abc123' })
    expect(report.json.records).toEqual([{ type: 'build_run', id }])
    expect(await api(`build_runs/${id}`)).toMatchObject({ status: 'building', build_number: '7' })
  })

  test('of an engine joins the build of the CI with that job and number', async () => {
    const { json } = await ci({ job_name: 'cook', build_number: 5, status: 'STARTED' })
    const engine = (event: string, body: object) =>
      post(`game_engine/${event}?token=${tokenOf('game_engine')}`, { job_name: 'cook', build_number: 5, ...body })
    const cooking = await engine('cooking_started', { total: 10 })
    expect(cooking.json.records).toEqual(json.records)
    await engine('asset_cooked', { asset: 'Content/Hero.uasset', cooked: 1, total: 10 })
    await engine('packaging_started', {})
    const build = await api(`build_runs/${json.records[0].id}`)
    expect(build.status).toBe('building')
    expect(build.steps.map((step: { name: string; status: string }) => [step.name, step.status])).toEqual([
      ['cooking', 'completed'],
      ['packaging', 'running'],
    ])
  })
})

describe('a deployment', () => {
  test('follows its words, keeps an unknown one with a warning, and finds its build', async () => {
    const built = await post(`ci?token=${tokenOf('jenkins')}`, { job_name: 'ship', build_number: 300, status: 'SUCCESS' })
    const say = (event: string) =>
      post(`deployment?token=${tokenOf('deployment')}`, { platform: 'steamworks', event, build_number: 300, steam_app_id: '480' })
    const first = await say('upload_started')
    const id = first.json.records[0].id
    const status = async () => await api(`deployments/${id}`)
    expect(await status()).toMatchObject({
      platform: 'steam',
      status: 'uploading',
      external_id: '480',
      build_run_id: String(built.json.records[0].id),
    })
    expect((await say('uploaded')).json.records).toEqual([{ type: 'deployment', id }])
    expect(await status()).toMatchObject({ status: 'approved', deployed_at: expect.any(String) })
    const odd = await say('teleported')
    expect(odd).toMatchObject({ status: 200, json: { status: 'processed', warning: expect.any(String) } })
    expect(await status()).toMatchObject({ status: 'approved' })
    await say('released')
    expect(await status()).toMatchObject({ status: 'live', live_at: expect.any(String) })
  })
})
