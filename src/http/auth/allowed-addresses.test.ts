import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { admin } from '../../../test/support/admin.ts'
import { listen } from '../../../test/support/callers/listening.ts'
import { signIn, type Visitor, visit } from '../../../test/support/callers/visitor.ts'
import { type Asking, openStudio, type Studio } from '../../../test/support/studio.ts'
import { SCOPES } from '../../contract/sets.ts'
import { sql } from '../../db/database.ts'

/** The addresses that people and their tokens may connect from. */

const PASSWORD = 'a long enough password'
const [OFFICE, HOME] = ['203.0.113.7', '198.51.100.9']
const BLOCKED = { status: 403, json: { error: 'address_not_allowed' } }

let studio: Studio
let lead: Visitor
let freelance: Visitor
beforeAll(async () => {
  studio = await openStudio(
    {
      accounts: ['owl', 'fox'].map((key) => ({ key, name: key, plan: 'team', payment_method: true })),
      users: [
        { key: 'lead', email: 'lead@example.com', name: 'Lead', password: PASSWORD, accounts: { owl: 'owner' } },
        { key: 'free', email: 'free@example.com', name: 'Free', password: PASSWORD, accounts: { fox: 'member', owl: 'member' } },
      ],
      projects: [
        { key: 'star', account: 'owl', name: 'Star' },
        { key: 'den', account: 'fox', name: 'Den' },
      ],
      tasks: ['star', 'den'].map((project) => ({ project, title: `Polish the ${project}` })),
      tokens: ['lead', 'free'].map((user) => ({ key: user, user, name: user, scopes: SCOPES })),
    },
    { service: { trustProxy: ['127.0.0.1'] } },
  )
  lead = await signIn(studio, 'lead@example.com', PASSWORD)
  freelance = await signIn(studio, 'free@example.com', PASSWORD)
})
afterAll(() => studio.close())

const id = (list: 'accounts' | 'projects', key: string) => studio.world[list][key]!.id
const from = (address: string) => ({ 'x-forwarded-for': address })
const api = (path: string, user: string, address: string, asking: Asking = {}) =>
  studio.ask(`/api/v1${path}`, { token: studio.world.tokens[user]!.token, ...asking, headers: from(address) })
const app = (visitor: Visitor, path: string, address: string, asking: Asking = {}) =>
  visitor.app(path, { ...asking, headers: from(address) })
const allow = (list: string[] | null, address = OFFICE) =>
  app(lead, `/accounts/${id('accounts', 'owl')}/security`, address, { method: 'PATCH', body: { allowed_addresses: list } })
beforeEach(async () => {
  await studio.db.execute(sql`update accounts set allowed_addresses = null`)
})

test('a list accepts IPv4 and IPv6 ranges, and must contain the address of the person who saves it', async () => {
  expect(await allow(['198.51.100.0/24'])).toMatchObject({
    status: 422,
    json: { error: 'own_address_missing', address: OFFICE, message: expect.stringContaining(OFFICE) },
  })
  for (const wrong of ['office', '203.0.113.0/33', '203.0.113.0/', '2001:db8::/129', '::ffff:10.0.0.1', '1/2/3', '0x7f.1'])
    expect(await allow([OFFICE, wrong]), wrong).toMatchObject({ status: 422, json: { error: 'invalid_parameter' } })
  expect((await allow(['203.0.113.99/24', ' 2001:DB8::1 ', '203.0.113.0/24'])).json.allowed_addresses).toEqual([
    '203.0.113.0/24',
    '2001:db8::1/128',
  ])
  expect((await api('/ping', 'lead', '2001:db8:0::1')).status).toBe(200)
  // An IPv4-mapped IPv6 address, and an address with the port that some proxies add.
  for (const same of [`::ffff:${OFFICE}`, `${OFFICE}:4711`]) expect((await api('/ping', 'lead', same)).status, same).toBe(200)
  expect((await allow([])).json.allowed_addresses).toBeNull()
})

test('a token and a session get 403 from other addresses, for every request', async () => {
  expect((await allow([OFFICE])).status).toBe(200)
  const star = `/projects/${id('projects', 'star')}`
  const asked: [path: string, asking?: Asking][] = [
    ['/ping'],
    ['/projects'],
    [star],
    [`${star}/tasks`],
    [`${star}/tasks?state=wrong`],
    [`${star}/tasks`, { method: 'POST', body: { task: { title: 'No' } } }],
    ['/workspace/events'],
    [`/workspace/events?account_id=${id('accounts', 'owl')}`],
    ['/workspace/events/stream'],
    [`/accounts/${id('accounts', 'owl')}/webhooks`],
  ]
  for (const [path, asking] of asked) expect(await api(path, 'lead', HOME, asking), path).toMatchObject(BLOCKED)
  const initialize = { jsonrpc: '2.0', id: 1, method: 'initialize', params: {} }
  const mcp = { method: 'POST', body: initialize, token: studio.world.tokens.lead!.token, headers: from(HOME) }
  expect(await studio.ask('/mcp', mcp)).toMatchObject(BLOCKED)
  for (const path of ['/me', `/accounts/${id('accounts', 'owl')}`, `${star}/tasks`, '/search?q=polish'])
    expect(await app(lead, path, HOME), path).toMatchObject(BLOCKED)
  expect((await api(`${star}/tasks`, 'lead', OFFICE)).status).toBe(200)
  expect((await app(lead, '/me', OFFICE)).json.accounts[0].blocked).toBeNull()
})

test('people with other accounts can still use these, and see nothing of the blocked one', async () => {
  await allow([OFFICE])
  const [star, den] = [`/projects/${id('projects', 'star')}/tasks`, `/projects/${id('projects', 'den')}/tasks`]
  expect(await api(star, 'free', HOME)).toMatchObject(BLOCKED)
  // A blocked caller does not learn which role they would need.
  expect(await api(`/accounts/${id('accounts', 'owl')}/webhooks`, 'free', HOME)).toMatchObject(BLOCKED)
  expect((await api(den, 'free', HOME)).status).toBe(200)
  expect((await api('/projects', 'free', HOME)).json.projects.map(({ name }: { name: string }) => name)).toEqual(['Den'])
  expect(await app(freelance, star, HOME)).toMatchObject(BLOCKED)
  const me = (await app(freelance, '/me', HOME)).json
  expect(me.accounts.map(({ name, blocked }: { name: string; blocked: string | null }) => [name, blocked])).toEqual([
    ['owl', 'address'],
    ['fox', null],
  ])
  expect(me.projects.map(({ name }: { name: string }) => name)).toEqual(['Den'])
  const found = async (address: string) => (await app(freelance, '/search?q=polish', address)).json.hits.length
  expect([await found(HOME), await found(OFFICE)]).toEqual([1, 2])
  const people = async (address: string) => (await app(freelance, '/people', address)).json.people.length
  expect([await people(HOME), await people(OFFICE)]).toEqual([1, 2])
  // A token that is limited to the account has access to nothing else.
  const body = { name: 'held', scopes: ['ping'], account_id: id('accounts', 'owl') }
  const { token } = (await app(freelance, '/me/tokens', OFFICE, { method: 'POST', body })).json
  expect(await api('/ping', 'free', HOME, { token })).toMatchObject(BLOCKED)
  expect((await api('/ping', 'free', OFFICE, { token })).status).toBe(200)
})

test('nobody can sign in from an address that none of their accounts allows, and the attempt is recorded', async () => {
  await allow([OFFICE])
  const enter = (email: string, address: string, password = PASSWORD) =>
    visit(studio).ask('/app/auth/sign-in/email', { method: 'POST', body: { email, password }, headers: from(address) })
  expect(await enter('lead@example.com', HOME)).toMatchObject(BLOCKED)
  expect((await enter('lead@example.com', HOME, 'a wrong password')).status).toBe(401)
  expect((await enter('free@example.com', HOME)).status).toBe(200)
  expect((await enter('lead@example.com', OFFICE)).status).toBe(200)
  const refused = await studio.db.rows(sql`select ip_address, after from audit_log where action = 'signInRefused'`)
  expect(refused).toEqual([{ ip_address: HOME, after: { method: 'password', reason: 'address_not_allowed' } }])
})

test('an open stream ends when its address is no longer allowed', async () => {
  await studio.db.execute(sql`update accounts set allowed_addresses = '{127.0.0.1/32}' where name = 'owl'`)
  const listening = await listen({ site: studio.site, token: studio.world.tokens.lead!.token })
  expect(listening.status).toBe(200)
  await studio.db.execute(sql`update accounts set allowed_addresses = ${[`${OFFICE}/32`]} where name = 'owl'`)
  await listening.ended
  expect((await listen({ site: studio.site, token: studio.world.tokens.lead!.token })).status).toBe(403)
})

test('the operator can open the account again', async () => {
  const set = (list: string) =>
    admin(
      { db: studio.db, vault: studio.service.vault },
      'account',
      'set',
      String(id('accounts', 'owl')),
      '--allow-addresses',
      list,
      '--json',
    )
  expect(JSON.parse(await set('192.0.2.0/24,2001:db8::/32')).allowed_addresses).toEqual(['192.0.2.0/24', '2001:db8::/32'])
  expect(await app(lead, '/me', OFFICE)).toMatchObject(BLOCKED)
  await expect(set('somewhere')).rejects.toThrow('must list addresses or ranges')
  expect(JSON.parse(await set('none')).allowed_addresses).toBeNull()
  expect((await app(lead, '/me', OFFICE)).status).toBe(200)
})
