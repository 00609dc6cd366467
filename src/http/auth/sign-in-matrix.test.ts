import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { BACK, Login, pkce } from '../../../test/support/assistant-login.ts'
import { openSite } from '../../../test/support/browser.ts'
import { type OpenIdProvider, openIdProvider } from '../../../test/support/openid-provider.ts'
import { signInThrough } from '../../../test/support/openid-visitor.ts'
import { PasskeyDevice } from '../../../test/support/passkey-device.ts'
import type { Answer, Studio } from '../../../test/support/studio.ts'
import { type Visitor, visit } from '../../../test/support/visitor.ts'
import { workOff } from '../../../test/support/work-off.ts'
import { SCOPES } from '../../contract/sets.ts'
import { sql } from '../../db/database.ts'
import * as users from '../../domain/accounts/users.ts'
import * as connections from '../../domain/sign-in/connections.ts'
import * as scim from '../../domain/sign-in/scim.ts'
import { codeAt, stepOf } from '../../domain/sign-in/totp.ts'

/**
 * Every sign-in method against an account that requires a second factor, and every way to verify an address against what was set up under
 * it before. Owl is the target account, with a provider for owl.example; Fox is another account of the same people, with a provider for
 * fox.example.
 */

const PASSWORD = 'a long enough password'
const CHOSEN = 'another password, as long'

let studio: Studio
let provider: OpenIdProvider
let scimToken: string
let lead: Visitor
let guest: Visitor
let numbered = 0
beforeAll(async () => {
  const owner = (key: string) => ({
    key,
    email: `${key}@example.com`,
    name: key,
    password: PASSWORD,
    accounts: { [key]: 'owner' },
  })
  studio = await openSite(
    {
      accounts: ['owl', 'fox'].map((key) => ({ key, name: key, plan: 'team', payment_method: true })),
      users: [owner('owl'), owner('fox')],
      projects: [{ key: 'star', account: 'owl', name: 'Star' }],
    },
    { service: { allowedHosts: (host, _address, _port, use) => use === 'sign-in' && host === '127.0.0.1' } },
  )
  provider = await openIdProvider(studio.service.site, {})
  for (const key of ['owl', 'fox'])
    await connections.set(studio.db, studio.service.vault, accountOf(key), {
      issuer: provider.issuer,
      ...provider.client,
      trusts_email: false,
      groups_claim: 'groups',
      role_groups: [],
      default_role: 'member',
      domains: [`${key}.example`],
      required: false,
    })
  scimToken = await scim.makeToken(studio.db, accountOf('owl'))
  const inviting: Person = { id: 0, email: 'owl@example.com' }
  await addPasskey(inviting, await byPassword(inviting.email))
  lead = await byPasskey(inviting)
  guest = await byPassword('fox@example.com')
})
afterAll(async () => {
  await provider?.close()
  await studio?.close()
})

const accountOf = (key: string) => studio.world.accounts[key]!.id as number
const post = (visitor: Visitor, path: string, body?: unknown) => visitor.app(path, { method: 'POST', body })
const ok = (answer: Answer) => {
  if (answer.status >= 300) throw new Error(`${answer.status} ${answer.text}`)
  return answer.json
}

interface Person {
  id: number
  email: string
  /** The secret of the authenticator app. */
  secret?: string
  step?: number
  device?: PasskeyDevice
}

/** A member of both accounts with an address of this one's domain, created by an operator. */
async function somebody(domain: 'owl' | 'fox', only = false): Promise<Person> {
  const email = `person${++numbered}@${domain}.example`
  const { id } = await users.create(studio.db, { email, name: email, password: PASSWORD, account_id: accountOf('owl') })
  if (!only)
    await studio.db.execute(
      sql`insert into account_members (account_id, user_id, role) values (${accountOf('fox')}, ${id}, 'member')`,
    )
  return { id, email }
}

async function byPassword(email: string, password = PASSWORD, person?: Person): Promise<Visitor> {
  const visitor = visit(studio)
  const answer = ok(await visitor.ask('/app/auth/sign-in/email', { method: 'POST', body: { email, password } }))
  if (answer.two_factor)
    ok(await post(visitor, '/two_factor_sign_ins', { challenge: answer.two_factor, code: nextCode(person!) }))
  return visitor
}
async function byPasskey({ device }: Person): Promise<Visitor> {
  const visitor = visit(studio)
  const { challenge } = ok(await post(visitor, '/passkey_sign_ins/challenges'))
  ok(await post(visitor, '/passkey_sign_ins', device!.answer(challenge)))
  return visitor
}
async function throughProvider({ email }: Person): Promise<Visitor> {
  provider.people[email] = { email, email_verified: true, name: email }
  const { visitor, location } = await signInThrough(studio, provider, email, email)
  if (location !== '/inbox') throw new Error(location)
  return visitor
}
async function resetPassword({ email }: Person) {
  ok(await post(visit(studio), '/password_resets', { email }))
  await workOff(studio, 'mail_password_reset')
  const token = /\/reset\?token=([\w-]+)/.exec(await mailTo(email))![1]
  ok(await post(visit(studio), '/password_resets/complete', { token, password: CHOSEN }))
}
const mailTo = async (email: string) =>
  (await studio.db.one<{ text: string }>(sql`
    select m.text from mails m left join users u on u.id = m.to_user_id
    where lower(coalesce(m.to_address, u.email)) = ${email} order by m.id desc limit 1`))!.text

/** Each code is valid once: this one is for the half minute after the last one, which an app with a slightly fast clock would show. */
function nextCode(person: Person) {
  person.step = Math.max((person.step ?? 0) + 1, stepOf(Date.now()))
  return codeAt(person.secret!, person.step)
}

async function addApp(person: Person, visitor: Visitor) {
  person.secret = ok(await post(visitor, '/me/two_factor')).secret
  ok(await visitor.app('/me/two_factor', { method: 'PUT', body: { code: nextCode(person) } }))
}
async function addPasskey(person: Person, visitor: Visitor) {
  person.device = new PasskeyDevice(studio.service.site)
  const { challenge } = ok(await post(visitor, '/me/passkeys/challenges'))
  ok(await post(visitor, '/me/passkeys', person.device.create(challenge)))
}

const invite = async (by: Visitor, account: string, email: string) => {
  const { url } = ok(await post(by, `/accounts/${accountOf(account)}/invitations`, { email, role: 'member' }))
  const mailed = /\/invitations\/([\w-]+)/.exec(await mailTo(email))![1]!
  return { handed: url.split('/').at(-1)! as string, mailed }
}
async function join(email: string, invitation: string): Promise<Visitor> {
  const visitor = visit(studio)
  ok(await post(visitor, '/sign_ups/invited', { name: email, email, password: PASSWORD, invitation }))
  return visitor
}
const personWith = async (email: string): Promise<Person> => ({ id: (await users.find(studio.db, email)).id, email })
const provision = (email: string) =>
  studio.ask('/scim/v2/Users', { method: 'POST', token: scimToken, body: { userName: email, displayName: email } })

const makeToken = async (visitor: Visitor): Promise<string> =>
  ok(await post(visitor, '/me/tokens', { name: 'mine', scopes: SCOPES })).token
async function logInCommandLine(visitor: Visitor): Promise<string> {
  const { code_verifier, code_challenge } = pkce()
  const consent = { allow: true, port: 50_123, state: 'x', code_challenge, client_name: 'cli', scopes: [] }
  const { redirect_to } = ok(await post(visitor, '/cli/authorizations', consent))
  const code = new URL(redirect_to).searchParams.get('code')
  return ok(await studio.ask('/api/v1/cli/token_exchange', { method: 'POST', body: { code, code_verifier } })).token
}
async function logInAssistant(visitor: Visitor): Promise<string> {
  const login = new Login(studio, visitor)
  const { code_verifier, code_challenge } = pkce()
  const { client_id, ...wishes } = await login.wishes({ code_challenge })
  const { location } = await login.authorize({ client_id, ...wishes })
  const { redirect_to } = ok(await login.decide(location!.searchParams.get('request')!))
  const code = new URL(redirect_to).searchParams.get('code')!
  const form = { grant_type: 'authorization_code', client_id: client_id!, redirect_uri: BACK, code, code_verifier }
  return ok(await login.exchange(form)).access_token
}

/** The credential for the account: a browser session, a token, or a token at the assistants' endpoint. */
type Key = { visitor: Visitor } | { token: string } | { assistant: string }

async function reach(key: Key): Promise<'in' | 'kept out'> {
  const tasks = `/projects/${studio.world.projects.star!.id}/tasks`
  if ('assistant' in key) {
    const params = { name: 'list_tasks', arguments: { project_id: studio.world.projects.star!.id } }
    const headers = { accept: 'application/json, text/event-stream' }
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params }
    const { text } = await studio.ask('/mcp', { method: 'POST', token: key.assistant, body, headers })
    return text.includes('second_factor_required') ? 'kept out' : text.includes('isError":true') ? fail(text) : 'in'
  }
  const { status, json, text } =
    'visitor' in key ? await key.visitor.app(tasks) : await studio.ask(`/api/v1${tasks}`, { token: key.token })
  if (status === 200) return 'in'
  return status === 403 && json.error === 'second_factor_required' ? 'kept out' : fail(text)
}
const fail = (text: string): never => {
  throw new Error(text)
}
const require = (required: boolean) =>
  studio.db.execute(sql`update accounts set requires_second_factor = ${required} where id = ${accountOf('owl')}`)

interface Way {
  come(): Promise<Key>
  /** For an account that requires a second factor; every method works for one that does not. */
  required: 'in' | 'kept out'
}

/** A person with these factors who signs in with `by`. */
const way = (
  required: Way['required'],
  domain: 'owl' | 'fox',
  by: (person: Person) => Promise<Visitor>,
  has: ((person: Person, visitor: Visitor) => Promise<void>)[] = [],
  key: (visitor: Visitor) => Promise<Key> = async (visitor) => ({ visitor }),
): Way => ({
  required,
  async come() {
    const person = await somebody(domain)
    const visitor = await byPassword(person.email)
    for (const add of has) await add(person, visitor)
    return key(await by(person))
  },
})
const password = (person: Person) => byPassword(person.email, PASSWORD, person)
const token = async (visitor: Visitor) => ({ token: await makeToken(visitor) })
const commandLine = async (visitor: Visitor) => ({ token: await logInCommandLine(visitor) })
const assistant = async (visitor: Visitor) => ({ assistant: await logInAssistant(visitor) })

const WAYS: Record<string, Way> = {
  'a password': way('kept out', 'owl', password),
  'a password and a code': way('in', 'owl', password, [addApp]),
  'a password of somebody with a passkey': way('kept out', 'owl', password, [addPasskey]),
  'a passkey': way('in', 'owl', byPasskey, [addPasskey]),
  'the account’s own provider': way('in', 'owl', throughProvider),
  'another account’s provider': way('kept out', 'fox', throughProvider),
  'another account’s provider, of somebody with an app': way('kept out', 'fox', throughProvider, [addApp]),
  'another account’s provider, of somebody with a passkey': way('kept out', 'fox', throughProvider, [addPasskey]),
  'another account’s provider and a code in the same session': way(
    'in',
    'fox',
    async (person) => {
      const visitor = await throughProvider(person)
      ok(await post(visitor, '/me/session/confirmation', { code: nextCode(person) }))
      return visitor
    },
    [addApp],
  ),
  'a provider that provisioned them by SCIM': {
    required: 'in',
    async come() {
      const email = `person${++numbered}@owl.example`
      ok(await provision(email))
      return { visitor: await throughProvider(await personWith(email)) }
    },
  },
  'a password of somebody provisioned by SCIM': {
    required: 'kept out',
    async come() {
      const email = `person${++numbered}@owl.example`
      ok(await provision(email))
      await resetPassword({ id: 0, email })
      return { visitor: await byPassword(email, CHOSEN) }
    },
  },
  'an invitation': {
    required: 'kept out',
    async come() {
      const email = `person${++numbered}@owl.example`
      const { mailed } = await invite(lead, 'owl', email)
      return { visitor: await join(email, mailed) }
    },
  },
  'a password after a reset': way('kept out', 'owl', async (person) => {
    await resetPassword(person)
    return byPassword(person.email, CHOSEN)
  }),
  'a password after a reset and a code': way(
    'in',
    'owl',
    async (person) => {
      await resetPassword(person)
      return byPassword(person.email, CHOSEN, person)
    },
    [addApp],
  ),
  'a token': way('kept out', 'owl', password, [], token),
  'a token of somebody with an app': way('in', 'owl', password, [addApp], token),
  'a token of somebody with a passkey': way('in', 'owl', byPasskey, [addPasskey], token),
  'a token of somebody who comes through the account’s own provider': way('in', 'owl', throughProvider, [], token),
  'a token of somebody who comes through another account’s provider': way('kept out', 'fox', throughProvider, [], token),
  'a command line': way('kept out', 'owl', password, [], commandLine),
  'a command line of somebody with an app': way('in', 'owl', password, [addApp], commandLine),
  'a command line of somebody who comes through another account’s provider': way(
    'kept out',
    'fox',
    throughProvider,
    [],
    commandLine,
  ),
  'an assistant': way('kept out', 'owl', password, [], assistant),
  'an assistant of somebody with an app': way('in', 'owl', password, [addApp], assistant),
  'an assistant of somebody who comes through another account’s provider': way('kept out', 'fox', throughProvider, [], assistant),
}

describe.each(Object.entries(WAYS))('%s', (_, { come, required }) => {
  test(`opens an account that requires no second factor, and is ${required === 'in' ? 'still in' : required} once it requires one`, async () => {
    await require(false)
    const key = await come()
    expect(await reach(key)).toBe('in')
    await require(true)
    expect(await reach(key)).toBe(required)
    await require(false)
  })

  test(`while a second factor is required, ${required === 'in' ? 'opens the account' : 'does not open the account'}`, async () => {
    await require(true)
    try {
      const outcome = await come().then(reach, (error: Error) =>
        error.message.includes('second_factor_required') ? 'kept out' : fail(error.message),
      )
      expect(outcome).toBe(required)
    } finally {
      await require(false)
    }
  })
})

test('a session from another account’s provider cannot add a factor before it has shown one', async () => {
  const person = await somebody('fox')
  await addApp(person, await byPassword(person.email))
  const visitor = await throughProvider(person)
  for (const required of [false, true]) {
    await require(required)
    expect(await post(visitor, '/me/passkeys/challenges')).toMatchObject({
      status: 403,
      json: { error: 'second_factor_not_shown' },
    })
  }
  await require(false)
})

const HELD = ['session', 'token', 'password', 'passkey', 'app'] as const
type Held = (typeof HELD)[number]

/** Who joined, and with which link; only owl unless they belong to fox. */
const JOINED = {
  'an admin’s copy of the link': (email: string) => invite(lead, 'owl', email).then(({ handed }) => join(email, handed)),
  'another account’s admin’s copy of the link': (email: string) =>
    invite(guest, 'fox', email).then(({ handed }) => join(email, handed)),
  'the mailed link': (email: string) => invite(lead, 'owl', email).then(({ mailed }) => join(email, mailed)),
}
const PROVEN = {
  'single sign-on': (person: Person) => throughProvider(person),
  SCIM: async ({ id, email }: Person) => {
    const made = await provision(email)
    // Already a member: providers continue with the existing user.
    if (made.status === 409)
      ok(await studio.ask(`/scim/v2/Users/${id}`, { method: 'PUT', token: scimToken, body: { active: true } }))
  },
  'a password reset': (person: Person) => resetPassword(person),
}

const FACTORS: Held[] = ['passkey', 'app']
const LINKING: [joined: keyof typeof JOINED, proven: keyof typeof PROVEN, left: readonly Held[]][] = [
  ['an admin’s copy of the link', 'single sign-on', []],
  ['an admin’s copy of the link', 'SCIM', []],
  ['an admin’s copy of the link', 'a password reset', []],
  ['another account’s admin’s copy of the link', 'single sign-on', []],
  // They belong to another account: a provider neither ends anything there nor makes them a member.
  ['another account’s admin’s copy of the link', 'SCIM', HELD],
  ['another account’s admin’s copy of the link', 'a password reset', []],
  ['the mailed link', 'single sign-on', HELD],
  ['the mailed link', 'SCIM', HELD],
  // Everything created with a password ends with it, for everybody.
  ['the mailed link', 'a password reset', FACTORS],
]

test.each(LINKING)('after sign-up with %s, %s keeps only: %j', async (joined, proven, left) => {
  const email = `person${++numbered}@owl.example`
  const visitor = await JOINED[joined](email)
  const person = await personWith(email)
  const token = await makeToken(visitor)
  await addPasskey(person, visitor)
  await addApp(person, visitor)
  await PROVEN[proven](person)

  const signIn = (chosen: string) =>
    visit(studio).ask('/app/auth/sign-in/email', { method: 'POST', body: { email, password: chosen } })
  const asksForCode = async () => (await signIn(PASSWORD)).json?.two_factor ?? (await signIn(CHOSEN)).json?.two_factor
  const there: Record<Held, boolean> = {
    session: (await visitor.app('/me')).status === 200,
    token: (await studio.ask('/api/v1/ping', { token })).status === 200,
    password: (await signIn(PASSWORD)).status === 200,
    passkey: await byPasskey(person).then(
      () => true,
      () => false,
    ),
    app: (await asksForCode()) !== undefined,
  }
  expect(HELD.filter((held) => there[held])).toEqual(left)
  const inOwl = await studio.db.rows(sql`
    select from account_members where account_id = ${accountOf('owl')} and user_id = ${person.id}`)
  // An attacker who keeps what they created has no access to the account with it.
  if (joined.startsWith('another account') && left.length > 0) expect(inOwl).toEqual([])
})
