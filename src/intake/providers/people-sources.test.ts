import type { IncomingMessage, ServerResponse } from 'node:http'
import { delimiter } from 'node:path'
import { json } from 'node:stream/consumers'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type LocalServer, openLocalServer } from '../../../test/support/servers/local-server.ts'
import { scratch, standIn } from '../../../test/support/stand-in.ts'
import { openStudio, type Studio } from '../../../test/support/studio.ts'
import { SCOPES } from '../../contract/sets.ts'
import { sql } from '../../db/database.ts'

/** Sixty members. */
const MEMBERS = Array.from({ length: 60 }, (_, at) => ({ key: `m${at}`, name: `Member ${at}`, email: `m${at}@owl.example` }))
/** In the order of the tools; but for the address, every name and login points to somebody else. */
const KNOWN = MEMBERS.map(({ email }, at) => ({ uid: `U${900 - at}`, name: `Member ${(at * 7) % 60}`, email }))
/** Nobody is one of these for certain: a login or a name says nothing about who has it. */
const ALIKE = [
  { uid: 'm7', name: '', email: '' },
  { uid: 'U1', name: 'Member 8', email: '' },
  { uid: 'm9', name: 'Member 9', email: 'nine@elsewhere.example' },
]
const LISTED = [...KNOWN.slice(0, 30), ...ALIKE, ...KNOWN.slice(30)]

let studio: Studio
let tool: LocalServer
let instead: ((url: URL) => object | undefined) | undefined
const asked: string[] = []
const p4 = scratch()
const path = process.env.PATH

/** GitLab has numbers beside names. */
const numberOf = (uid: string) => LISTED.findIndex((one) => one.uid === uid) + 1

const page = <T>(all: readonly T[], from: number, size: number) => all.slice(from, from + size)

/** Every tool at a path of its own, as documented; `Link` and cursors are for the next page. */
async function answerOf(
  request: IncomingMessage,
  url: URL,
): Promise<{ body: unknown; next?: number; headers?: object } | undefined> {
  const body = request.method === 'POST' ? ((await json(request)) as { variables: Record<string, unknown> }) : undefined
  const query = url.searchParams
  const number = (name: string) => Number(query.get(name) ?? 0)
  const profile = (key: string) => LISTED.find(({ uid }) => uid === key || String(numberOf(uid)) === key)
  const route = url.pathname
  if (route === '/repos/owl/star/collaborators' || route.endsWith('/members/all')) {
    const [size, at] = [number('per_page'), number('page')]
    const more = at * size < LISTED.length ? { next: at + 1 } : {}
    return {
      body: page(LISTED, (at - 1) * size, size).map(({ uid }) => ({
        id: numberOf(uid),
        login: uid,
        username: uid,
        state: 'active',
      })),
      ...more,
    }
  }
  if (route === '/api/v4/projects') return { body: [{ id: 5 }] }
  const [, person] = /^(?:\/api\/v4)?\/users\/(\w+)$/.exec(route) ?? []
  if (person !== undefined) {
    const { uid, name, email } = profile(person)!
    return {
      body: {
        id: uid,
        login: uid,
        username: uid,
        name,
        email: email || null,
        public_email: email || null,
        type: 'User',
        state: 'active',
      },
    }
  }
  if (route === '/rest/api/2/serverInfo') return { body: { deploymentType: 'Cloud' } }
  if (route === '/rest/api/3/users/search')
    return {
      body: page(LISTED, number('startAt'), 25).map(({ uid, name, email }) => ({
        accountId: uid,
        accountType: 'atlassian',
        active: true,
        displayName: name,
        ...(email && { emailAddress: email }),
      })),
    }
  if (route === '/linear') {
    const from = Number(body!.variables.after ?? 0)
    const nodes = page(LISTED, from, 25).map(({ uid, ...one }) => ({ id: uid, ...one, active: true }))
    return {
      body: { data: { users: { nodes, pageInfo: { hasNextPage: from + 25 < LISTED.length, endCursor: String(from + 25) } } } },
    }
  }
  if (route === '/monday') {
    const users = Number(body!.variables.page) === 1 ? LISTED.map(({ uid, ...one }) => ({ id: uid, ...one, enabled: true })) : []
    return { body: { data: { users } } }
  }
  if (route === '/api/1.0/projects/42') return { body: { data: { gid: '42', workspace: { gid: '7' } } } }
  if (route === '/api/1.0/users') {
    const from = number('offset')
    const data = page(LISTED, from, 25).map(({ uid, ...one }) => ({ gid: uid, ...one }))
    return { body: { data, next_page: from + 25 < LISTED.length ? { offset: String(from + 25) } : null } }
  }
  if (route === '/owl/_apis/graph/users') {
    const from = number('continuationToken')
    const value = page(LISTED, from, 25).map(({ uid, name, email }) => ({
      principalName: uid,
      displayName: name,
      mailAddress: email,
    }))
    return { body: { value }, ...(from + 25 < LISTED.length && { headers: { 'x-ms-continuationtoken': String(from + 25) } }) }
  }
  if (route === '/clickup/api/v2/team')
    return {
      body: {
        teams: [
          { id: '9', members: LISTED.map(({ uid, name, email }) => ({ user: { id: uid, username: name, email }, role: 3 })) },
        ],
      },
    }
  if (route === '/shortcut/api/v3/members')
    return { body: LISTED.map(({ uid, name, email }) => ({ id: uid, disabled: false, profile: { name, email_address: email } })) }
  if (route === '/youtrack/api/users')
    return {
      body: page(LISTED, number('$skip'), 25).map(({ uid, name, email }) => ({
        login: uid,
        fullName: name,
        email: email || null,
        banned: false,
        guest: false,
      })),
    }
  if (route === '/slack/users.list') {
    const from = Number(query.get('cursor') || 0)
    const size = Math.min(25, number('limit'))
    const cursor = from + size < MEMBERS_OF_SLACK.length ? String(from + size) : ''
    return { body: { ok: true, members: page(MEMBERS_OF_SLACK, from, size), response_metadata: { next_cursor: cursor } } }
  }
  return undefined
}

/** Slack also lists itself, bots and people who left. */
const MEMBERS_OF_SLACK = [
  { id: 'USLACKBOT', name: 'slackbot', is_bot: false, profile: { real_name: 'Slackbot' } },
  { id: 'UBOT', name: 'm3', is_bot: true, profile: { email: 'm3@owl.example' } },
  { id: 'UGONE', name: 'm4', deleted: true, profile: { email: 'm4@owl.example' } },
  ...LISTED.map(({ uid, name, email }) => ({
    id: uid,
    name: uid,
    is_email_confirmed: true,
    profile: { real_name: name, ...(email && { email }) },
  })),
]

async function answer(request: IncomingMessage, reply: ServerResponse) {
  const url = new URL(request.url!, 'http://tool')
  asked.push(url.pathname)
  const changed = instead?.(url)
  if (changed) {
    request.resume()
    return void reply.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(changed))
  }
  const found = await answerOf(request, url)
  const link = found?.next && { link: `<http://tool${url.pathname}?per_page=100&page=${found.next}>; rel="next"` }
  reply
    .writeHead(found ? 200 : 404, { 'content-type': 'application/json', ...link, ...found?.headers })
    .end(JSON.stringify(found?.body ?? {}))
}

const CONFIGS = {
  perforce: () => ({ server: '127.0.0.1:1666', user: 'gold' }),
  github: (url: string) => ({ server: `${url}/repos/owl/star`, api_token: 'secret' }),
  gitlab: (url: string) => ({ server: url, api_token: 'secret' }),
  jira: (url: string) => ({ server: url, user: 'bot@owl.example', api_token: 'secret' }),
  linear: (url: string) => ({ server: `${url}/linear`, api_token: 'secret' }),
  monday: (url: string) => ({ server: `${url}/monday`, api_token: 'secret' }),
  asana: (url: string) => ({ server: `${url}/api/1.0/projects/42`, api_token: 'secret' }),
  azure_devops: (url: string) => ({ server: `${url}/owl/Game`, api_token: 'secret' }),
  clickup: (url: string) => ({ server: `${url}/clickup`, api_token: 'secret' }),
  shortcut: (url: string) => ({ server: `${url}/shortcut`, api_token: 'secret' }),
  youtrack: (url: string) => ({ server: `${url}/youtrack`, api_token: 'secret' }),
}

beforeAll(async () => {
  tool = await openLocalServer((request, reply) => void answer(request, reply))
  const users = LISTED.map(({ uid, name, email }) => JSON.stringify({ User: uid, FullName: name, Email: email }))
  standIn(p4.folder, 'p4', `console.log(${JSON.stringify(users.join('\n'))})`)
  process.env.PATH = `${p4.folder}${delimiter}${path}`
  studio = await openStudio(
    {
      accounts: [
        { key: 'owl', name: 'Night Owl', plan: 'enterprise', credits: null },
        { key: 'fox', name: 'Red Fox', plan: 'enterprise', credits: null },
      ],
      users: [
        { key: 'lead', email: 'lead@owl.example', name: 'Lead', accounts: { owl: 'owner', fox: 'owner' } },
        ...MEMBERS.map((one) => ({ ...one, accounts: { owl: 'member' } })),
      ],
      tokens: [{ key: 'lead', user: 'lead', name: 'lead', scopes: SCOPES }],
      projects: [{ key: 'star', account: 'owl', name: 'Starfall' }],
      integrations: Object.entries(CONFIGS).map(([provider, config]) => ({
        key: provider,
        project: 'star',
        provider,
        config: config(tool.url),
      })),
      channels: [
        { key: 'one', name: 'One', account: 'owl', kind: 'slack', room: 'C024BE91L', secret: 'xoxb-1234567890-abcdefghij' },
        { key: 'two', name: 'Two', account: 'owl', kind: 'slack', room: 'C024BE92M', secret: 'xoxb-1234567890-abcdefghij' },
      ],
    },
    { service: { allowedHosts: (host) => host === '127.0.0.1', slackApi: `${tool.url}/slack` } },
  )
})
afterAll(async () => {
  process.env.PATH = path
  p4.remove()
  await studio.close()
  await tool.close()
})
beforeEach(async () => {
  instead = undefined
  asked.length = 0
  await studio.db.execute(sql`delete from connected_accounts`)
})

const call = (more: string, body?: object, account = 'owl') =>
  studio.ask(`/api/v1/accounts/${studio.world.accounts[account]!.id}/connected_accounts${more}`, {
    token: studio.world.tokens.lead!.token as string,
    ...(body && { method: 'POST', body }),
  })

interface Named {
  uid: string
  user_id: number
  state: string
  found_by: string
}

describe.each([...Object.keys(CONFIGS), 'slack'])('%s', (provider) => {
  test('sixty people with agreeing addresses are found, none of them wrong, and nobody by a name or login alone', async () => {
    expect((await call('/match', { provider })).json).toMatchObject({ connected: 60, known: 0 })
    const { connected_accounts: found }: { connected_accounts: Named[] } = (await call('')).json
    const confirmed = found.filter(({ state }) => state === 'confirmed')
    expect(confirmed.every(({ found_by }) => found_by === 'address')).toBe(true)
    const right = new Map(KNOWN.map(({ uid }, at) => [uid, studio.world.users[`m${at}`]!.id]))
    expect(new Map(confirmed.map(({ uid, user_id }) => [uid, user_id]))).toEqual(right)
    // What is left waits for an owner.
    for (const { uid, state } of found) if (!right.has(uid)) expect(state).toBe('waiting')
  })
})

test('several channels of one Slack bot cause one request for members, page by page', async () => {
  await call('/match', { provider: 'slack' })
  expect(asked).toEqual(['/slack/users.list', '/slack/users.list', '/slack/users.list'])
})

test('a Slack bot without permission, an expired token and an account without a bot say what to do', async () => {
  const why = async (account?: string) => (await call('/match', { provider: 'slack' }, account)).json.message
  instead = () => ({ ok: false, error: 'missing_scope', needed: 'users:read', provided: 'chat:write' })
  expect(await why()).toContain('users:read.email')
  // Without users:read.email Slack leaves the addresses out and says nothing.
  instead = () => ({ ok: true, members: [{ id: 'U1', profile: { real_name: 'Member 1' } }] })
  expect(await why()).toContain('users:read.email')
  instead = () => ({ ok: false, error: 'token_revoked' })
  expect(await why()).toContain('Enter a new one')
  asked.length = 0
  expect(await why('fox')).toContain('No Slack bot is connected')
  expect(asked).toEqual([])
  expect((await call('')).json.connected_accounts).toEqual([])
})

test('an address that nobody has confirmed at Slack connects nobody', async () => {
  const profile = { email: 'm5@owl.example', real_name: 'Somebody' }
  instead = () => ({ ok: true, members: [{ id: 'U5', is_email_confirmed: false, profile }] })
  expect((await call('/match', { provider: 'slack' })).json).toMatchObject({ connected: 0 })
})

test('a server that lists more people than a studio has is refused, and connects nobody', async () => {
  const members = (count: number) =>
    Array.from({ length: count }, (_, at) => ({
      id: `U${at}`,
      disabled: false,
      profile: { email_address: `m${at}@owl.example` },
    }))
  instead = () => members(20_001)
  expect((await call('/match', { provider: 'shortcut' })).json.message).toContain('Shortcut lists more than 20000 users.')
  expect((await call('')).json.connected_accounts).toEqual([])
  instead = () => members(60)
  expect((await call('/match', { provider: 'shortcut' })).json).toMatchObject({ connected: 60 })
})
