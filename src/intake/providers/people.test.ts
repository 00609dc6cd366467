import type { IncomingMessage, ServerResponse } from 'node:http'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type LocalServer, openLocalServer } from '../../../test/support/servers/local-server.ts'
import { openStudio, type Studio } from '../../../test/support/studio.ts'
import { SCOPES } from '../../contract/sets.ts'
import { sql } from '../../db/database.ts'
import { parseUsers } from './perforce/users.ts'

/** Sixty members. The tools have their verified addresses, but other logins and names. */
const MEMBERS = Array.from({ length: 60 }, (_, at) => ({ key: `m${at}`, name: `Member ${at}`, email: `m${at}@owl.example` }))
/** In the order of the tool: nothing but the address says who is who. */
const KNOWN = MEMBERS.map(({ email }, at) => ({ id: 900 - at, login: `dev-${(at * 7) % 60}`, name: 'Member 1', email }))

let studio: Studio
let tool: LocalServer
/** What the server does instead of answering. */
let instead: ((path: string, reply: ServerResponse) => boolean) | undefined
let asked: string[] = []

function answer(request: IncomingMessage, reply: ServerResponse) {
  const url = new URL(request.url!, 'http://tool')
  const path = url.pathname
  asked.push(path)
  const send = (body: unknown, headers = {}) =>
    reply.writeHead(200, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
  const refuse = (status: number) => void reply.writeHead(status).end('{"message":"no"}')
  if (request.headers.authorization !== 'Bearer secret' && request.headers['private-token'] !== 'secret') return refuse(401)
  if (instead?.(request.url!, reply)) return
  const [page, size] = [Number(url.searchParams.get('page') ?? 1), Number(url.searchParams.get('per_page') ?? 30)]
  const paged = (all: object[]) => {
    const isMore = page * size < all.length
    send(
      all.slice((page - 1) * size, page * size),
      isMore ? { link: `<http://tool${path}?per_page=${size}&page=${page + 1}>; rel="next"` } : {},
    )
  }
  if (path === '/repos/owl/star/collaborators') return paged(KNOWN.map(({ login, id }) => ({ login, id })))
  if (path === '/api/v4/projects') return paged([{ id: 5 }, { id: 6 }])
  if (/^\/api\/v4\/projects\/[56]\/members\/all$/.test(path))
    return paged(KNOWN.map(({ id, login }) => ({ id, username: login, state: 'active' })))
  const profile = KNOWN.find(({ id, login }) => path === `/users/${login}` || path === `/api/v4/users/${id}`)
  if (!profile) return refuse(404)
  if (path.startsWith('/users/')) return send({ ...profile, type: 'User' })
  const { login, id, name, email } = profile
  return send({ id, username: login, name, state: 'active', bot: false, public_email: email })
}

beforeAll(async () => {
  tool = await openLocalServer((request, reply) => {
    request.resume()
    answer(request, reply)
  })
  studio = await openStudio(
    {
      accounts: [{ key: 'owl', name: 'Night Owl', plan: 'enterprise', credits: null }],
      users: [
        { key: 'lead', email: 'lead@owl.example', name: 'Lead', accounts: { owl: 'owner' } },
        ...MEMBERS.map((one) => ({ ...one, accounts: { owl: 'member' } })),
      ],
      tokens: [
        { key: 'lead', user: 'lead', name: 'lead', scopes: SCOPES },
        { key: 'm1', user: 'm1', name: 'm1', scopes: SCOPES },
      ],
      projects: [{ key: 'star', account: 'owl', name: 'Starfall' }],
      integrations: [
        {
          key: 'github',
          project: 'star',
          provider: 'github',
          config: { server: `${tool.url}/repos/owl/star`, api_token: 'secret' },
        },
        { key: 'gitlab', project: 'star', provider: 'gitlab', config: { server: tool.url, api_token: 'secret' } },
      ],
    },
    { service: { allowedHosts: (host) => host === '127.0.0.1' } },
  )
})
afterAll(async () => {
  await studio.close()
  await tool.close()
})
beforeEach(async () => {
  instead = undefined
  asked = []
  await studio.db.execute(sql`delete from connected_accounts`)
})

const call = (path: string, body?: object, token = 'lead') =>
  studio.ask(`/api/v1/accounts/${studio.world.accounts.owl!.id}/connected_accounts${path}`, {
    token: studio.world.tokens[token]!.token as string,
    ...(body && { method: 'POST', body }),
  })

test.each(['github', 'gitlab'])(
  'sixty people with agreeing addresses at %s are found by address, none of them wrong',
  async (provider) => {
    expect((await call('/match', { provider })).json).toEqual({
      connected: 60,
      proposed: 0,
      known: 0,
      unknown: 0,
      unknown_names: [],
    })
    const { json } = await call('')
    const right = MEMBERS.map(({ key }, at) => [KNOWN[at]!.login, studio.world.users[key]!.id])
    expect(json.connected_accounts).toHaveLength(60)
    expect(new Map(json.connected_accounts.map((one: { uid: string; user_id: number }) => [one.uid, one.user_id]))).toEqual(
      new Map(right as [string, number][]),
    )
    expect(json.connected_accounts[0]).toMatchObject({
      provider,
      found_by: 'address',
      state: 'confirmed',
      decided_by_user_id: null,
    })
    // Neither addresses nor names leave the service.
    expect(JSON.stringify(json)).not.toMatch(/@|Member/)
    // The second time nothing changes; what was rejected stays rejected.
    const ids = json.connected_accounts.slice(0, 2).map(({ id }: { id: number }) => id)
    expect((await call('/reject', { ids })).status).toBe(200)
    expect((await call('/match', { provider })).json).toMatchObject({ connected: 0, known: 60 })
    const states = (await call('')).json.connected_accounts.map(({ state }: { state: string }) => state)
    expect(states.filter((state: string) => state === 'rejected')).toHaveLength(2)
  },
)

test('only admins may ask for the users of a tool', async () => {
  expect(await call('/match', { provider: 'github' }, 'm1')).toMatchObject({ status: 403 })
  expect(asked).toEqual([])
})

test('a tool that can’t be asked says why', async () => {
  const why = async (provider: string) => {
    const { status, json } = await call('/match', { provider })
    return [status, json.error, json.message]
  }
  expect(await why('discord')).toEqual([422, 'cannot_import', expect.stringContaining('Paste a list')])
  expect(await why('perforce')).toEqual([
    422,
    'cannot_import',
    expect.stringContaining('No Perforce integration has server access'),
  ])
  instead = (_, reply) => !!reply.writeHead(200).end('<html>Sign in</html>')
  expect(await why('github')).toEqual([422, 'cannot_import', expect.stringContaining('no JSON')])
  instead = (_, reply) => !!reply.writeHead(403).end('{"message":"Must have push access"}')
  expect(await why('github')).toEqual([422, 'cannot_import', expect.stringContaining('does not permit')])
  instead = (_, reply) => !!reply.writeHead(429, { 'retry-after': '7' }).end('{}')
  expect(await why('gitlab')).toEqual([422, 'cannot_import', expect.stringContaining('wait for 7 seconds')])
})

test('pages that repeat or never end are given up, and nothing is matched', async () => {
  const endless = (next: (page: number) => number) => (path: string, reply: ServerResponse) => {
    if (!path.includes('/collaborators')) return false
    const page = Number(/&page=(\d+)/.exec(path)![1])
    const link = `<http://tool/collaborators?per_page=100&page=${next(page)}>; rel="next"`
    return !!reply.writeHead(200, { link }).end('[{"login":"dev-0"}]')
  }
  instead = endless((page) => (page % 2) + 1)
  expect((await call('/match', { provider: 'github' })).json).toMatchObject({ connected: 1 })
  expect(asked).toHaveLength(3)
  instead = endless((page) => page + 1)
  const { status, json } = await call('/match', { provider: 'github' })
  expect([status, json.message]).toEqual([422, expect.stringContaining('more than 300 requests')])
})

test('people without a public address, bots and odd entries are no matches', async () => {
  instead = (path, reply) => {
    if (path.includes('/collaborators'))
      return !!reply.end(JSON.stringify([null, {}, { login: 7 }, ...['gone', 'bot', 'shy', 'm3'].map((login) => ({ login }))]))
    if (path.endsWith('/bot')) return !!reply.end(JSON.stringify({ login: 'bot', type: 'Bot', email: 'm4@owl.example' }))
    if (path.endsWith('/shy')) return !!reply.end(JSON.stringify({ login: 'shy', email: null }))
    return path.endsWith('/m3') && !!reply.end(JSON.stringify({ login: 'm3', email: null }))
  }
  expect((await call('/match', { provider: 'github' })).json).toMatchObject({
    connected: 0,
    proposed: 1,
    unknown: 1,
    unknown_names: [],
  })
  expect((await call('')).json.connected_accounts).toMatchObject([{ uid: 'm3', found_by: 'login', state: 'waiting' }])
})

test('the users of a Perforce server are read, and its messages are not', () => {
  const output = [
    '{"User":"kdoe","Email":"kim@owl.example","FullName":"Kim"}',
    '{"data":"a warning","severity":2}',
    'noise',
    '{"User":"bot"}',
  ]
  expect(parseUsers(output.join('\n'))).toEqual([
    { uid: 'kdoe', name: 'Kim', email: 'kim@owl.example' },
    { uid: 'bot', name: '', email: '' },
  ])
})
