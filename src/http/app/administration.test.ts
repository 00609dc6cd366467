import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Asking, openStudio, type Studio } from '../../../test/support/studio.ts'
import { adminRoutes } from '../../contract/app/routes.ts'
import type { Route } from '../../contract/routes/route.ts'
import { GRANTABLE_SCOPES, LOGIN_SCOPES, SCOPES } from '../../contract/sets.ts'

/** What owners can do with a token: the web app's routes that have a scope. */

let studio: Studio
beforeAll(async () => {
  const token = (key: string, user: string, scopes: readonly string[], more: object = {}) => ({
    key,
    user,
    name: key,
    scopes,
    ...more,
  })
  studio = await openStudio({
    accounts: ['owl', 'fox'].map((key) => ({ key, name: key, plan: 'team', payment_method: true })),
    users: [
      { key: 'lead', email: 'lead@example.com', name: 'Lead', accounts: { owl: 'owner' } },
      { key: 'kim', email: 'kim@example.com', name: 'Kim', accounts: { owl: 'member' } },
      { key: 'eve', email: 'eve@example.com', name: 'Eve', accounts: { fox: 'owner' } },
    ],
    projects: [
      { key: 'star', account: 'owl', name: 'Star', members: { lead: 'owner' } },
      { key: 'den', account: 'fox', name: 'Den', members: { eve: 'owner' } },
    ],
    integrations: [
      { key: 'ci', project: 'star', provider: 'jenkins' },
      { key: 'theirs', project: 'den', provider: 'jenkins' },
    ],
    tokens: [
      token('admin', 'lead', SCOPES),
      token('member', 'kim', SCOPES),
      token('plain', 'lead', GRANTABLE_SCOPES),
      token('minting', 'lead', ['read:tasks', 'admin:tokens'], { expires_at: '2099-01-01T00:00:00.000Z' }),
    ],
  })
})
afterAll(() => studio.close())

const tokenOf = (key: string) => studio.world.tokens[key]!.token
const idOf = (list: 'accounts' | 'projects' | 'integrations' | 'users', key: string) => String(studio.world[list][key]!.id)
const ask = (path: string, asking: Asking = {}) => studio.ask(`/api/v1${path}`, { token: tokenOf('admin'), ...asking })
const post = (path: string, body?: unknown, asking: Asking = {}) => ask(path, { method: 'POST', body, ...asking })
const table = Object.entries(adminRoutes as Record<string, Route>)
const pathOf = (path: string, account: string, project: string) =>
  path
    .replace('/v1', '')
    .replace(':account_id', idOf('accounts', account))
    .replace(':project_id', idOf('projects', project))
    .replace(/:\w+/g, '1')

describe('every administration route', () => {
  test('has a scope that no login grants', () => {
    expect(table.length).toBeGreaterThan(25)
    for (const [name, { scope }] of table) expect(scope, name).toMatch(/^admin:/)
    for (const scope of [...LOGIN_SCOPES, ...GRANTABLE_SCOPES]) expect(scope).not.toMatch(/^admin:/)
  })

  test.each(table)('%s is refused without a token, its scope, or access to the account or project', async (_, route) => {
    const { method, scope, path } = route
    const own = pathOf(path, 'owl', 'star')
    expect(await ask(own, { method, token: null })).toMatchObject({ status: 401, text: '' })
    expect(await ask(own, { method, token: tokenOf('plain') })).toMatchObject({
      status: 403,
      json: { error: 'insufficient_scope', required_scope: scope },
    })
    if (!/:(?:account|project)_id/.test(path)) return
    expect(await ask(pathOf(path, 'fox', 'den'), { method })).toMatchObject({ status: 404, json: { error: 'not_found' } })
    if (route.role === 'admin' || route.role === 'lead')
      expect(await ask(own, { method, token: tokenOf('member') })).toMatchObject({
        status: 403,
        json: { error: 'insufficient_role' },
      })
  })
})

test('the reply of an administration route is not cached and has no tag', async () => {
  const project = `/projects/${idOf('projects', 'star')}`
  const { headers } = await ask(`${project}/integrations/${idOf('integrations', 'ci')}`)
  expect([headers.get('cache-control'), headers.get('etag')]).toEqual(['no-store', null])
  const record = await ask(project)
  expect([record.headers.get('cache-control'), record.headers.get('etag')]).toEqual([null, expect.any(String)])
})

test('a project, an integration and an outbound webhook can be created and edited with a token only', async () => {
  const made = await post(`/accounts/${idOf('accounts', 'owl')}/projects`, { name: 'Moon', engine: 'unity' })
  expect(made).toMatchObject({ status: 201, json: { name: 'Moon' } })
  const settings = `/projects/${made.json.id}/settings`
  expect((await ask(settings, { method: 'PATCH', body: { status: 'paused' } })).json).toMatchObject({ status: 'paused' })

  const integrations = `/projects/${made.json.id}/integrations`
  const tool = await post(integrations, { provider: 'jenkins' })
  expect(tool).toMatchObject({
    status: 201,
    json: { provider: 'jenkins', webhook_token: expect.stringMatching(/^[0-9a-f]{64}$/) },
  })
  expect((await ask(integrations)).json.integrations).toMatchObject([{ id: tool.json.id }])
  expect((await post(`${integrations}/${tool.json.id}/test`)).status).toBe(200)

  const webhooks = `/accounts/${idOf('accounts', 'owl')}/webhooks`
  const webhook = await post(webhooks, { url: 'https://example.com/told' })
  expect(webhook).toMatchObject({ status: 201, json: { status: 'active', secret: expect.any(String) } })
  expect((await ask(`${webhooks}/${webhook.json.id}`, { method: 'DELETE' })).status).toBe(200)
})

test('an integration of another project is not found, whatever the path', async () => {
  const path = `/projects/${idOf('projects', 'star')}/integrations/${idOf('integrations', 'theirs')}`
  for (const method of ['GET', 'DELETE']) expect((await ask(path, { method })).status).toBe(404)
})

describe('a token that creates tokens', () => {
  const mint = (body: object) => post('/me/tokens', { name: 'made', ...body }, { token: tokenOf('minting') })

  test('creates none with more scopes than its own', async () => {
    expect(await mint({ scopes: ['read:tasks', 'write:tasks'] })).toMatchObject({
      status: 403,
      json: { error: 'insufficient_scope', required_scope: 'write:tasks' },
    })
    const made = await mint({ scopes: ['read:tasks'] })
    expect(made).toMatchObject({ status: 201, json: { scopes: ['ping', 'read:tasks'], created_via: 'api' } })
    expect((await studio.ask('/api/v1/ping', { token: made.json.token })).status).toBe(200)
  })

  test('creates none that expires later', async () => {
    const ends = '2099-01-01T00:00:00.000Z'
    expect((await mint({ scopes: [], expires_in_days: null })).json.expires_at).toBe(ends)
    const sooner = (await mint({ scopes: [], expires_in_days: 30 })).json.expires_at
    expect(sooner < ends).toBe(true)
  })

  test('revokes only tokens of its owner', async () => {
    const { json } = await mint({ scopes: [] })
    expect((await ask(`/me/tokens/${json.id}`, { method: 'DELETE', token: tokenOf('member') })).status).toBe(404)
    expect((await ask(`/me/tokens/${json.id}`, { method: 'DELETE' })).status).toBe(200)
    expect((await studio.ask('/api/v1/ping', { token: json.token })).status).toBe(401)
  })
})
