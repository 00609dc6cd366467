import { afterAll, beforeAll, expect, test } from 'vitest'
import { signIn } from '../../../test/support/callers/visitor.ts'
import { type Asking, openStudio, type Studio } from '../../../test/support/studio.ts'
import { sql } from '../../db/database.ts'
import { matchPeople } from '../../domain/accounts/match-people.ts'
import { admit } from '../../domain/sign-in/admit.ts'
import * as connections from '../../domain/sign-in/connections.ts'
import * as invitations from '../../domain/sign-in/invitations.ts'
import * as scim from '../../domain/sign-in/scim.ts'

const PASSWORD = 'a long enough password'
const user = (key: string, accounts: Record<string, string>, email = `${key}@owl.example`) => ({
  key,
  email,
  name: key,
  password: PASSWORD,
  accounts,
})

let studio: Studio
let token: string
let account: number
beforeAll(async () => {
  studio = await openStudio({
    accounts: [
      { key: 'owl', name: 'Night Owl', plan: 'team', payment_method: true },
      { key: 'fox', name: 'Fox', plan: 'team', payment_method: true },
    ],
    users: [
      user('lead', { owl: 'owner' }),
      user('moth', { owl: 'member', fox: 'member' }),
      user('mole', { owl: 'member' }),
      user('freelance', { owl: 'member' }, 'me@freelance.example'),
      user('vixen', { fox: 'owner' }, 'vixen@fox.example'),
    ],
    tokens: ['moth', 'mole'].map((key) => ({ key, user: key, name: 'CI', scopes: ['ping'] })),
  })
  account = studio.world.accounts.owl!.id as number
  await connections.set(studio.db, studio.service.vault, account, {
    issuer: 'https://login.owl.example',
    client_id: 'gold',
    client_secret: 'secret',
    trusts_email: false,
    groups_claim: 'groups',
    role_groups: [],
    default_role: 'member',
    domains: ['owl.example'],
    required: false,
  })
  token = await scim.makeToken(studio.db, account)
})
afterAll(() => studio.close())

const ask = (path: string, asking: Asking = {}) => studio.ask(`/scim/v2${path}`, { token, ...asking })
const idOf = (key: string) => String(studio.world.users[key]!.id)
const patch = (key: string, operation: object) =>
  ask(`/Users/${idOf(key)}`, { method: 'PATCH', body: { Operations: [{ op: 'Replace', ...operation }] } })

test('it manages only people of its domains, and other tokens manage nobody', async () => {
  const { json } = await ask('/Users')
  expect(json.Resources.map(({ userName }: { userName: string }) => userName)).toEqual([
    'lead@owl.example',
    'moth@owl.example',
    'mole@owl.example',
  ])
  expect((await ask('/Users?filter=userName%20eq%20%22MOTH@owl.example%22')).json).toMatchObject({ totalResults: 1 })
  expect((await ask('/Users?filter=name%20co%20x')).status).toBe(400)
  for (const key of ['freelance', 'vixen']) {
    expect((await ask(`/Users/${idOf(key)}`)).status).toBe(404)
    expect((await ask(`/Users/${idOf(key)}`, { method: 'DELETE' })).status).toBe(404)
  }
  expect((await ask('/Users', { token: null })).status).toBe(401)
  expect((await ask('/Users', { token: 'x'.repeat(43) })).status).toBe(401)
})

test('a deactivated person is signed out at once and stays out, until reactivated', async () => {
  const visitor = await signIn(studio, 'moth@owl.example', PASSWORD)
  const ping = () => studio.ask('/api/v1/ping', { token: studio.world.tokens.moth!.token as string })
  expect((await ping()).status).toBe(200)
  const invited = { account_id: account, role: 'member', invited_by: Number(idOf('lead')) } as const
  await invitations.create(studio.db, { ...invited, email: 'moth@owl.example' }, 'https://gold.example')
  const { url } = await invitations.create(studio.db, { ...invited, email: 'other@owl.example' }, 'https://gold.example')
  const other = url.split('/').at(-1)!
  expect((await patch('moth', { path: 'active', value: 'False' })).json).toMatchObject({ active: false })
  // They belong to another account, whose sessions and tokens this provider does not manage.
  expect([(await visitor.app('/me')).status, (await ping()).status]).toEqual([200, 200])
  expect((await visitor.app(`/accounts/${account}/members`)).status).toBe(404)
  const membership = () =>
    studio.db.rows(sql`select from account_members where account_id = ${account} and user_id = ${Number(idOf('moth'))}`)
  expect(await membership()).toEqual([])
  // Neither by a pending invitation nor by one for somebody else.
  expect(await studio.db.rows(sql`select from invitations where email = 'moth@owl.example'`)).toEqual([])
  await expect(invitations.accept(studio.db, other, Number(idOf('moth')))).rejects.toMatchObject({ code: 'sso_inactive' })
  const claims = {
    sub: 'moth',
    email: 'moth@owl.example',
    email_verified: true,
    name: 'Moth',
    user_name: 'STUDIO\\moth',
    groups: [],
  }
  const connection = (await connections.find(studio.db, account))!
  expect(await admit(studio.db, connection, claims, '127.0.0.1')).toMatchObject({ refused: 'sso_inactive' })
  // It does not make people of other accounts members; they have to sign in through it.
  expect((await patch('moth', { value: { active: true } })).json).toMatchObject({
    active: true,
    displayName: 'moth@owl.example',
  })
  expect(await membership()).toEqual([])
  expect(await admit(studio.db, connection, claims, '127.0.0.1')).toEqual({ user_id: Number(idOf('moth')) })
  expect(await membership()).toHaveLength(1)
  // The user name of the sign-in proposes who is who in other tools, and confirms nothing.
  const listed = [{ uid: 'Moth', name: '', email: '' }]
  expect(await matchPeople(studio.db, account, 'perforce', listed, { isTrusted: true })).toMatchObject({
    connected: 0,
    proposed: 1,
  })
  expect(await studio.db.rows(sql`select user_id, found_by from connected_accounts where found_in = ${account}`)).toEqual([
    { user_id: Number(idOf('moth')), found_by: 'sso' },
  ])
  const told = await studio.db.rows(sql`
    select user_id, subject, after, ip_address from audit_log where account_id = ${account} and action = 'scim' order by id`)
  expect(told).toEqual(
    [{ active: false, role: null }, { active: true }].map((after) => ({
      user_id: null,
      subject: `member/${idOf('moth')}`,
      after,
      ip_address: expect.any(String),
    })),
  )
})

test.each([
  [{ path: 'Active', value: false }],
  [{ path: 'urn:ietf:params:scim:schemas:core:2.0:User:active', value: false }],
  [{ value: { Active: 'False' } }],
  [{ value: { 'urn:ietf:params:scim:schemas:core:2.0:User:active': false } }],
])('a deactivated person is signed out, however the provider spells it: %o', async (operation) => {
  expect((await patch('moth', operation)).json).toMatchObject({ active: false })
  expect((await patch('moth', { value: { active: true } })).json).toMatchObject({ active: true })
})

test('a deactivated person without another account loses every session and token, and is a member again once reactivated', async () => {
  const visitor = await signIn(studio, 'mole@owl.example', PASSWORD)
  const ping = () => studio.ask('/api/v1/ping', { token: studio.world.tokens.mole!.token as string })
  expect((await patch('mole', { path: 'active', value: false })).json).toMatchObject({ active: false })
  expect([(await visitor.app('/me')).status, (await ping()).status]).toEqual([401, 401])
  expect((await patch('mole', { path: 'active', value: true })).json).toMatchObject({ active: true, displayName: 'mole' })
})

test('the last owner cannot be deactivated', async () => {
  expect(await patch('lead', { value: { active: false } })).toMatchObject({ status: 409, json: { status: '409' } })
  expect((await signIn(studio, 'lead@owl.example', PASSWORD)).cookie).not.toBe('')
})

test('it creates members, once, and nobody of other domains', async () => {
  const create = (userName: unknown) =>
    ask('/Users', { method: 'POST', body: { userName, displayName: 'New', externalId: 'e1' } })
  expect(await create('new@owl.example')).toMatchObject({ status: 201, json: { active: true, externalId: 'e1' } })
  expect((await create('new@owl.example')).status).toBe(409)
  expect((await create('vixen@fox.example')).status).toBe(422)
  expect((await create({})).status).toBe(400)
})

test('a value that is neither true nor false is refused everywhere, and changes nothing', async () => {
  const refused = { status: 400, json: { status: '400', scimType: 'invalidValue', detail: 'active must be true or false.' } }
  for (const active of ['maybe', '', 3, null, [], { toString: null }]) {
    expect(await patch('moth', { path: 'active', value: active })).toMatchObject(refused)
    expect(await patch('moth', { value: { active } })).toMatchObject(refused)
    expect(await ask(`/Users/${idOf('moth')}`, { method: 'PUT', body: { active } })).toMatchObject(refused)
    const body = { userName: 'maybe@owl.example', active }
    expect(await ask('/Users', { method: 'POST', body })).toMatchObject(refused)
  }
  expect(await patch('moth', { op: 'Remove', path: 'active' })).toMatchObject(refused)
  expect((await ask(`/Users/${idOf('moth')}`)).json).toMatchObject({ active: true })
  expect((await ask('/Users?filter=userName%20eq%20%22maybe@owl.example%22')).json).toMatchObject({ totalResults: 0 })
})
