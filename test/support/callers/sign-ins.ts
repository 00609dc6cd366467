import { afterAll, beforeAll } from 'vitest'
import { SCOPES } from '../../../src/contract/sets.ts'
import { sql } from '../../../src/db/database.ts'
import * as users from '../../../src/domain/accounts/users.ts'
import * as connections from '../../../src/domain/sign-in/connections.ts'
import * as scim from '../../../src/domain/sign-in/scim.ts'
import { codeAt, stepOf } from '../../../src/domain/sign-in/totp.ts'
import { type OpenIdProvider, openIdProvider } from '../servers/openid-provider.ts'
import type { Answer, Studio } from '../studio.ts'
import { workOff } from '../work-off.ts'
import { BACK, Login, pkce } from './assistant-login.ts'
import { openSite } from './browser.ts'
import { signInThrough } from './openid-visitor.ts'
import { PasskeyDevice } from './passkey-device.ts'
import { type Visitor, visit } from './visitor.ts'

export const PASSWORD = 'a long enough password'
export const CHOSEN = 'another password, as long'

export interface Person {
  id: number
  email: string
  /** The secret of the authenticator app. */
  secret?: string
  step?: number
  device?: PasskeyDevice
}

export const post = (visitor: Visitor, path: string, body?: unknown) => visitor.app(path, { method: 'POST', body })
export const ok = (answer: Answer) => {
  if (answer.status >= 300) throw new Error(`${answer.status} ${answer.text}`)
  return answer.json
}

/**
 * Two accounts with an OpenID provider each: Owl, which people want to reach, for owl.example, and Fox, another account of theirs, for
 * fox.example; and every way to sign in to them.
 */
export function openSignIns() {
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

  return {
    studio: () => studio,
    lead: () => lead,
    guest: () => guest,
    scimToken: () => scimToken,
    newEmail: () => `person${++numbered}@owl.example`,
    accountOf,
    somebody,
    byPassword,
    byPasskey,
    throughProvider,
    resetPassword,
    nextCode,
    addApp,
    addPasskey,
    invite,
    join,
    personWith,
    provision,
    makeToken,
    logInCommandLine,
    logInAssistant,
  }
}
