import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openSite } from '../../../test/support/callers/browser.ts'
import { begin, finish, signInThrough, visitProvider } from '../../../test/support/callers/openid-visitor.ts'
import { signIn, visit } from '../../../test/support/callers/visitor.ts'
import { openLocalServer } from '../../../test/support/servers/local-server.ts'
import { type OpenIdProvider, openIdProvider } from '../../../test/support/servers/openid-provider.ts'
import type { Studio } from '../../../test/support/studio.ts'
import { sql } from '../../db/database.ts'
import * as users from '../../domain/accounts/users.ts'
import * as connections from '../../domain/sign-in/connections.ts'
import * as invitations from '../../domain/sign-in/invitations.ts'
import { discover, rootOf } from './provider.ts'

const PASSWORD = 'a long enough password'
const user = (key: string, accounts: Record<string, string>, email = `${key}@owl.example`) => ({
  key,
  email,
  name: key,
  password: PASSWORD,
  accounts,
})
const WORLD = {
  accounts: [
    { key: 'owl', name: 'Night Owl', plan: 'team', payment_method: true },
    { key: 'fox', name: 'Fox', plan: 'team', payment_method: true },
  ],
  users: [
    user('lead', { owl: 'owner' }),
    user('moth', { owl: 'member' }),
    user('freelance', { owl: 'member', fox: 'member' }, 'me@freelance.example'),
    user('vixen', { fox: 'owner' }, 'vixen@fox.example'),
    user('owlet', { fox: 'member' }),
  ],
}

let studio: Studio
let provider: OpenIdProvider
let account: number
const people = {
  lead: { email: 'lead@owl.example', email_verified: true, name: 'Lead', groups: ['bosses'] },
  moth: { email: 'Moth@Owl.example', email_verified: true, name: 'Moth', groups: ['crew'] },
}
const settings = () => ({
  issuer: provider.issuer,
  ...provider.client,
  trusts_email: false,
  groups_claim: 'groups',
  role_groups: [
    { group: 'bosses', role: 'owner' as const },
    { group: 'crew', role: 'member' as const },
  ],
  default_role: null,
  domains: ['owl.example'],
  required: false,
})
const through = (who: string, email = `${who}@owl.example`) => signInThrough(studio, provider, who, email)
const roleOf = async (email: string) =>
  (
    await studio.db.one<{ role: string }>(sql`
      select m.role from account_members m join users u on u.id = m.user_id where u.email = ${email} and m.account_id = ${account}`)
  )?.role
const setUp = (changes: object = {}) => connections.set(studio.db, studio.service.vault, account, { ...settings(), ...changes })

beforeAll(async () => {
  studio = await openSite(WORLD, {
    service: { allowedHosts: (host, _address, _port, use) => use === 'sign-in' && host === '127.0.0.1' },
  })
  provider = await openIdProvider(studio.service.site, { ...people })
  account = studio.world.accounts.owl!.id as number
  await setUp()
})
afterAll(async () => {
  await provider?.close()
  await studio?.close()
})

describe('signing in through a provider', () => {
  test('links an existing user by address, and identifies them by the provider’s subject id from then on', async () => {
    const { location, visitor } = await through('moth')
    expect(location).toBe('/inbox')
    const me = await visitor.app('/me')
    expect(me.json.user).toMatchObject({ id: studio.world.users.moth!.id, email: 'moth@owl.example' })
    provider.people.moth = { ...people.moth, email: 'vixen@fox.example' }
    const again = await (await through('moth')).visitor.app('/me')
    provider.people.moth = people.moth
    expect(again.json.user.id).toBe(me.json.user.id)
  })

  test('makes a new person a member, with the highest role of their groups', async () => {
    provider.people.new = { email: 'new@owl.example', email_verified: true, name: 'New One', groups: ['crew', 'bosses'] }
    const me = await (await through('new')).visitor.app('/me')
    expect(me.json).toMatchObject({
      user: { name: 'New One', email: 'new@owl.example' },
      accounts: [{ name: 'Night Owl', role: 'owner' }],
    })
  })

  test.each([
    ['of another domain, although a user here has it', { email: 'vixen@fox.example', email_verified: true }, 'sso_foreign_email'],
    [
      'of a member with an address of another domain',
      { email: 'me@freelance.example', email_verified: true },
      'sso_foreign_email',
    ],
    ['that only looks like one', { email: 'vixen@fox.example@owl.example', email_verified: true }, 'sso_no_email'],
    ['that is not verified', { email: 'lead@owl.example', email_verified: false }, 'sso_unverified_email'],
    ['with an unknown verification state', { email: 'lead@owl.example' }, 'sso_unverified_email'],
    ['that is missing', {}, 'sso_no_email'],
  ])('is refused for an address %s', async (_, person, why) => {
    provider.people.stranger = { groups: ['bosses'], ...person }
    const { location, visitor } = await through('stranger')
    expect(location).toBe(`/sign-in?why=${why}`)
    expect(visitor.cookie).toBe('')
    expect(await studio.db.rows(sql`select from logins where provider_account_id = 'stranger'`)).toEqual([])
  })

  test('accepts addresses from a provider that verifies all of them, unless it denies one', async () => {
    await setUp({ trusts_email: true })
    provider.people.silent = { email: 'silent@owl.example', groups: ['crew'] }
    provider.people.denied = { email: 'lead@owl.example', email_verified: false, groups: ['crew'] }
    expect((await through('silent')).location).toBe('/inbox')
    expect((await through('denied')).location).toBe('/sign-in?why=sso_unverified_email')
    provider.people.denied.email_verified = 'false'
    expect((await through('denied')).location).toBe('/sign-in?why=sso_unverified_email')
    await setUp()
  })

  test('gives nobody the user of a coworker whose address they got', async () => {
    await through('moth')
    provider.people.moth2 = people.moth
    expect((await through('moth2', 'moth@owl.example')).location).toBe('/sign-in?why=sso_email_taken')
  })

  test('drops the linked identities when another provider is configured', async () => {
    await through('moth')
    await expect(setUp({ issuer: 'http://127.0.0.1:9', client_secret: undefined })).rejects.toMatchObject({ status: 422 })
    await setUp({ issuer: 'http://127.0.0.1:9' })
    expect(await studio.db.rows(sql`select from logins where provider_id = ${connections.providerId(account)}`)).toEqual([])
    await setUp()
  })
})

describe('groups', () => {
  test('change the role with the next sign-in, and end the membership when none is left', async () => {
    const { visitor } = await through('moth')
    provider.people.moth = { ...people.moth, groups: ['bosses'] }
    await through('moth')
    expect(await roleOf('moth@owl.example')).toBe('owner')
    provider.people.moth = { ...people.moth, groups: ['fired'] }
    expect((await through('moth')).location).toBe('/sign-in?why=sso_no_role')
    expect(await roleOf('moth@owl.example')).toBeUndefined()
    expect((await visitor.app('/me')).status).toBe(401)
    provider.people.moth = people.moth
    await through('moth')
    expect(await roleOf('moth@owl.example')).toBe('member')
    const told = await studio.db.rows(sql`
      select before, after from audit_log where action = 'singleSignOn' and user_id = ${studio.world.users.moth!.id} order by id`)
    expect(told).toEqual([
      { before: { role: 'member' }, after: { role: 'owner' } },
      { before: { role: 'owner' }, after: null },
      { before: null, after: { role: 'member' } },
    ])
  })

  test('never remove the last owner', async () => {
    await studio.db.execute(sql`
      update account_members set role = 'member' where account_id = ${account} and user_id <> ${studio.world.users.lead!.id}`)
    provider.people.lead = { ...people.lead, groups: [] }
    expect((await through('lead')).location).toBe('/inbox')
    expect(await roleOf('lead@owl.example')).toBe('owner')
    provider.people.lead = people.lead
  })

  test('leave roles unchanged if none is mapped', async () => {
    await setUp({ role_groups: [], default_role: 'member' })
    await through('lead')
    expect(await roleOf('lead@owl.example')).toBe('owner')
    await setUp()
  })
})

describe('the redirect from the provider', () => {
  test('is valid only in the browser that started it, and once', async () => {
    const begun = await begin(studio, 'moth@owl.example')
    const callback = await visitProvider(provider, begun.redirect_to, 'moth')
    const other = await begin(studio, 'moth@owl.example')
    expect((await finish(studio, '', callback)).location).toBe('/sign-in?why=sso_expired')
    expect((await finish(studio, other.cookie, callback)).location).toBe('/sign-in?why=sso_failed')
    const forged = new URL(callback)
    forged.searchParams.set('state', 'another')
    expect((await finish(studio, begun.cookie, forged.href)).location).toBe('/sign-in?why=sso_failed')
    expect((await finish(studio, begun.cookie, callback)).location).toBe('/inbox')
    expect((await finish(studio, begun.cookie, callback)).location).toBe('/sign-in?why=sso_failed')
  })

  test('may be a refusal', async () => {
    const begun = await begin(studio, 'moth@owl.example')
    const callback = await visitProvider(provider, begun.redirect_to, '')
    expect((await finish(studio, begun.cookie, callback)).location).toBe('/sign-in?why=sso_refused')
  })

  test('may fail because the provider is unreachable', async () => {
    const begun = await begin(studio, 'moth@owl.example')
    const callback = await visitProvider(provider, begun.redirect_to, 'moth')
    await provider.leave()
    expect((await finish(studio, begun.cookie, callback)).location).toBe('/sign-in?why=sso_away')
    // Fetched again, because metadata is not cached across settings.
    await setUp()
    await expect(begin(studio, 'moth@owl.example')).rejects.toThrow('424 sso_away')
    await provider.comeBack()
  })

  test.each(['//evil.example', '/\\evil.example', 'https://evil.example', '/\tx'])('redirects nowhere else: %s', async (to) => {
    const visitor = visit(studio)
    const body = { email: 'moth@owl.example', to }
    const { json } = await visitor.app('/single_sign_on', { method: 'POST', body })
    const callback = await visitProvider(provider, json.redirect_to, 'moth')
    expect((await finish(studio, visitor.cookie, callback)).location).toBe('/')
  })
})

describe('with a required provider', () => {
  const password = (email: string) =>
    visit(studio).ask('/app/auth/sign-in/email', { method: 'POST', body: { email, password: PASSWORD } })
  const save = (visitor: ReturnType<typeof visit>, changes: object = {}) =>
    visitor.app(`/accounts/${account}/single_sign_on`, {
      method: 'PUT',
      body: { ...settings(), client_secret: undefined, ...changes },
    })

  test('passwords of its people are refused, an owner’s too, until an operator sets one', async () => {
    const byPassword = await signIn(studio, 'lead@owl.example', PASSWORD)
    expect(await save(byPassword, { required: true })).toMatchObject({ status: 422, json: { error: 'invalid_single_sign_on' } })
    const { visitor } = await through('lead')
    expect((await save(visitor, { required: true })).status).toBe(200)
    expect((await byPassword.app('/me')).status).toBe(401)
    expect((await visitor.app('/me')).status).toBe(200)

    for (const email of ['lead@owl.example', 'moth@owl.example'])
      expect(await password(email)).toMatchObject({ status: 403, json: { error: 'sso_required' } })
    // A wrong password reveals nothing, and people with addresses of other domains could not use the provider.
    expect((await signIn(studio, 'me@freelance.example', PASSWORD)).cookie).not.toBe('')
    expect(
      await studio.db.rows(sql`
      select from sessions s join users u on u.id = s.user_id where u.email = 'moth@owl.example' and s.user_agent = 'node'
        and not exists (select from sso_sessions o where o.session_id = s.id)`),
    ).toEqual([])

    await users.replacePassword(studio.db, studio.world.users.lead!.id as number, PASSWORD)
    expect((await password('lead@owl.example')).status).toBe(200)
    await through('lead')
    expect((await password('lead@owl.example')).status).toBe(403)
    await setUp()
    expect((await password('lead@owl.example')).status).toBe(200)
  })

  test('new members must use it too, and a new password does not bypass it', async () => {
    const { visitor } = await through('moth')
    await setUp({ required: true })
    const body = { current_password: PASSWORD, new_password: `${PASSWORD}!` }
    expect(await visitor.app('/me/password', { method: 'PUT', body })).toMatchObject({
      status: 403,
      json: { error: 'sso_required' },
    })
    const owlet = await signIn(studio, 'owlet@owl.example', PASSWORD)
    const invitation = {
      account_id: account,
      email: 'owlet@owl.example',
      role: 'member' as const,
      invited_by: studio.world.users.lead!.id,
    }
    const { url } = await invitations.create(studio.db, invitation, studio.site)
    expect((await owlet.app(`/invitations/${url.split('/').at(-1)}/accept`, { method: 'POST' })).status).toBe(200)
    expect(await roleOf('owlet@owl.example')).toBe('member')
    expect((await owlet.app('/me')).status).toBe(401)
    expect((await password('owlet@owl.example')).status).toBe(403)
    await setUp()
  })

  test('only an operator can allow domains, and no account can use another’s', async () => {
    const { visitor } = await through('lead')
    const more = { domains: ['owl.example', 'fox.example'] }
    expect(await save(visitor, more)).toMatchObject({ status: 403, json: { error: 'operator_required' } })
    await users.setOperator(studio.db, studio.world.users.lead!.id as number, true)
    expect((await save(visitor, more)).status).toBe(200)
    const fox = studio.world.accounts.fox!.id as number
    await expect(connections.set(studio.db, studio.service.vault, fox, settings())).rejects.toMatchObject({ status: 422 })
    await users.setOperator(studio.db, studio.world.users.lead!.id as number, false)
    await setUp()
  })

  test('an owner cannot switch the provider, or trust it more, while it has allowed domains', async () => {
    const { visitor } = await through('lead')
    const evil = await openIdProvider(studio.service.site, { lead: { ...people.lead, email: 'moth@owl.example' } })
    try {
      for (const changes of [{ issuer: evil.issuer, ...evil.client }, { trusts_email: true }])
        expect(await save(visitor, changes)).toMatchObject({ status: 403, json: { error: 'operator_required' } })
      expect((await connections.find(studio.db, account))?.issuer).toBe(provider.issuer)
      await setUp({ domains: [] })
      expect((await save(visitor, { issuer: evil.issuer, ...evil.client, domains: [] })).status).toBe(200)
    } finally {
      await evil.close()
      await setUp()
    }
  })

  test('only an owner can view or edit it, and nobody sees the secret', async () => {
    const { visitor } = await through('lead')
    const path = `/accounts/${account}/single_sign_on`
    const shown = await visitor.app(path)
    expect(shown.json).toMatchObject({ connection: { issuer: provider.issuer }, came_through: true, outside: 1 })
    expect(shown.text).not.toContain(provider.client.client_secret)
    expect((await (await through('moth')).visitor.app(path)).status).toBe(403)
    expect((await (await signIn(studio, 'vixen@fox.example', PASSWORD)).app(path)).status).toBe(404)
  })

  test('a provider on a private address must be allowed by the operator', async () => {
    const { visitor } = await through('lead')
    await setUp({ domains: [] })
    const answer = await save(visitor, { issuer: 'http://10.1.2.3/', client_secret: 'x', domains: [] })
    await setUp()
    expect(answer).toMatchObject({ status: 422, json: { error: 'invalid_single_sign_on' } })
    expect(answer.json.message).toContain('ALLOW_PRIVATE_HOSTS')
  })
})

test('signing out redirects to the provider’s sign-out', async () => {
  const { visitor } = await through('lead')
  const { json } = await visitor.ask('/app/auth/sign-out', { method: 'POST' })
  expect(json.redirect_to).toMatch(new RegExp(`^${provider.issuer}/session/end\\?.*id_token_hint=`))
  expect((await visitor.app('/me')).status).toBe(401)
})

test('the provider’s subject id and secret are stored encrypted or not at all', async () => {
  const [row] = await studio.db.rows<{ row: string }>(sql`select c::text as row from sso_connections c`)
  expect(row!.row).not.toContain(provider.client.client_secret)
  const [session] = await studio.db.rows<{ id_token_sealed: string }>(sql`select id_token_sealed from sso_sessions limit 1`)
  expect(session!.id_token_sealed).not.toMatch(/^ey/)
})

test('metadata of a provider is refused if it has more values than any provider has, and otherwise read', async () => {
  let scopes: number
  const server = await openLocalServer((request, reply) => {
    const issuer = `http://${request.headers.host}`
    const endpoints = { authorization_endpoint: issuer, token_endpoint: issuer, jwks_uri: issuer }
    const body = { issuer, ...endpoints, scopes_supported: Array(scopes).fill('a') }
    reply.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  })
  const read = () => discover(studio.service as never, { issuer: server.url, client_id: 'a', secret: 'b' })
  scopes = 4_900
  expect((await read()).serverMetadata().scopes_supported).toHaveLength(4_900)
  scopes = 5_100
  const refused = await read().catch((error: unknown) => rootOf(error).message)
  expect(refused).toContain('more than 5000 values')
  await server.close()
})
