import { afterAll, beforeAll, expect, test } from 'vitest'
import { admin } from '../../../test/support/admin.ts'
import { signIn, type Visitor } from '../../../test/support/callers/visitor.ts'
import { openStudio, type Studio } from '../../../test/support/studio.ts'
import { SCOPES } from '../../contract/sets.ts'
import { sql } from '../../db/database.ts'
import type { SignInMethod } from '../../domain/audit/sign-ins.ts'
import { providerId } from '../../domain/sign-in/connections.ts'
import { codeAt, stepOf } from '../../domain/sign-in/totp.ts'

/** An account that requires a second factor. */

const PASSWORD = 'a long enough password'
const BLOCKED = { status: 403, json: { error: 'second_factor_required' } }

let studio: Studio
const visitors: Record<string, Visitor> = {}
beforeAll(async () => {
  const names = ['lead', 'kim', 'ann', 'bob', 'dot']
  studio = await openStudio({
    accounts: ['owl', 'fox'].map((key) => ({ key, name: key, plan: 'team', payment_method: true })),
    users: names.map((key) => ({
      key,
      email: `${key}@example.com`,
      name: key,
      password: PASSWORD,
      accounts: { owl: key === 'lead' ? 'owner' : 'member', ...(['kim', 'dot'].includes(key) ? { fox: 'member' } : {}) },
    })),
    projects: [
      { key: 'star', account: 'owl', name: 'Star' },
      { key: 'den', account: 'fox', name: 'Den' },
    ],
    tokens: names.map((user) => ({ key: user, user, name: user, scopes: SCOPES })),
  })
  for (const name of names) visitors[name] = await signIn(studio, `${name}@example.com`, PASSWORD)
})
afterAll(() => studio.close())

const account = () => studio.world.accounts.owl!.id
const star = () => `/projects/${studio.world.projects.star!.id}/tasks`
const require = (requires_second_factor: boolean) =>
  visitors.lead!.app(`/accounts/${account()}/security`, { method: 'PATCH', body: { requires_second_factor } })
const seen = (who: string) => visitors[who]!.app(star())
const byToken = (who: string, path = star()) => studio.ask(`/api/v1${path}`, { token: studio.world.tokens[who]!.token })

async function addApp(who: string) {
  const { secret } = (await visitors[who]!.app('/me/two_factor', { method: 'POST' })).json
  const body = { code: codeAt(secret, stepOf(Date.now())) }
  expect((await visitors[who]!.app('/me/two_factor', { method: 'PUT', body })).status).toBe(200)
}

test('nobody can require a factor that they do not have', async () => {
  expect(await require(true)).toMatchObject({ status: 422, json: { error: 'own_second_factor_missing' } })
  await addApp('lead')
  expect((await require(true)).json.requires_second_factor).toBe(true)
  expect((await seen('lead')).status).toBe(200)
})

test('a member without a factor sees nothing of the account, and everything else', async () => {
  expect(await seen('kim')).toMatchObject(BLOCKED)
  expect(await byToken('kim')).toMatchObject(BLOCKED)
  expect(await byToken('kim', `/workspace/events?account_id=${account()}`)).toMatchObject(BLOCKED)
  expect(await visitors.kim!.app(`/accounts/${account()}/members`)).toMatchObject(BLOCKED)
  expect((await byToken('kim', `/projects/${studio.world.projects.den!.id}/tasks`)).status).toBe(200)
  expect((await byToken('kim', '/projects')).json.projects.map(({ name }: { name: string }) => name)).toEqual(['Den'])
  const me = (await visitors.kim!.app('/me')).json
  expect(me.accounts.map(({ name, blocked }: { name: string; blocked: string | null }) => [name, blocked])).toEqual([
    ['owl', 'second_factor'],
    ['fox', null],
  ])
  // Nobody is locked out of adding one, not even a person without another account.
  expect((await visitors.ann!.app('/me')).json.accounts[0].blocked).toBe('second_factor')
})

test('an authenticator app gives access at once', async () => {
  await addApp('kim')
  expect([(await seen('kim')).status, (await byToken('kim')).status]).toEqual([200, 200])
})

test('a passkey counts for the session that it opened; so does the account’s own provider, but not another account’s', async () => {
  const session = sql`(select id from sessions where user_id = ${studio.world.users.ann!.id})`
  await studio.db.execute(sql`
    insert into passkeys (user_id, credential_id, public_key, name) values (${studio.world.users.ann!.id}, 'x', 'x', 'key')`)
  // The session was opened with only the password.
  expect(await seen('ann')).toMatchObject(BLOCKED)
  const openedBy = (method: SignInMethod) => studio.db.execute(sql`update sessions set method = ${method} where id = ${session}`)
  await openedBy('password')
  expect(await seen('ann')).toMatchObject(BLOCKED)
  await openedBy('passkey')
  expect((await seen('ann')).status).toBe(200)
  const bob = sql`(select id from sessions where user_id = ${studio.world.users.bob!.id})`
  const through = (key: string) =>
    studio.db.execute(sql`
      insert into sso_sessions (session_id, account_id, id_token_sealed) values (${bob}, ${studio.world.accounts[key]!.id}, '')
      on conflict (session_id) do update set account_id = excluded.account_id`)
  await through('fox')
  expect(await seen('bob')).toMatchObject(BLOCKED)
  await through('owl')
  expect((await seen('bob')).status).toBe(200)
})

test('a token has access while its owner could sign in through the account’s own provider, not through another’s', async () => {
  const signsInThrough = (key: string) =>
    studio.db.execute(sql`
      insert into logins (user_id, provider_id, provider_account_id)
      values (${studio.world.users.bob!.id}, ${providerId(studio.world.accounts[key]!.id)}, ${`bob of ${key}`})`)
  await signsInThrough('fox')
  expect(await byToken('bob')).toMatchObject(BLOCKED)
  await signsInThrough('owl')
  expect((await byToken('bob')).status).toBe(200)
})

test('a password alone creates nothing with access to the account, adds no factor to existing ones, and ends no session', async () => {
  const eve = await signIn(studio, 'dot@example.com', PASSWORD)
  const dot = studio.world.users.dot!.id
  const post = (path: string, body?: object, visitor = eve) => visitor.app(path, { method: 'POST', body })
  const token = { name: 'mine', scopes: SCOPES }
  const consent = { allow: true, port: 4321, state: 's', code_challenge: 'c'.repeat(43), client_name: 'cli', scopes: [] }
  // Without any factor, a factor that is added later must not give access to what was created before.
  for (const body of [token, { ...token, account_id: account() }]) expect(await post('/me/tokens', body)).toMatchObject(BLOCKED)
  expect(await post('/cli/authorizations', consent)).toMatchObject(BLOCKED)
  expect((await post('/me/tokens', { ...token, account_id: studio.world.accounts.fox!.id })).status).toBe(201)
  expect((await post('/me/two_factor')).status).toBe(200)

  await studio.db.execute(sql`insert into passkeys (user_id, credential_id, public_key, name) values (${dot}, 'd', 'd', 'key')`)
  const unshown = { status: 403, json: { error: 'second_factor_not_shown' } }
  expect(await post('/me/tokens', token)).toMatchObject(BLOCKED)
  for (const path of ['/me/two_factor', '/me/passkeys/challenges']) expect(await post(path)).toMatchObject(unshown)
  const { id } = (await studio.db.one<{ id: number }>(sql`select id from passkeys where user_id = ${dot}`))!
  expect(await eve.app(`/me/passkeys/${id}`, { method: 'DELETE' })).toMatchObject(unshown)
  expect(await post('/me/deletion', { email: 'dot@example.com' })).toMatchObject({ status: 403, json: { error: 'kept_out' } })

  // With it, all of that works, and sessions without it end when the app is added.
  const shown = await signIn(studio, 'dot@example.com', PASSWORD)
  await studio.db.execute(sql`
    update sessions set method = 'passkey' where id = (select max(id) from sessions where user_id = ${dot})`)
  expect((await post('/me/tokens', token, shown)).status).toBe(201)
  visitors.dot = shown
  await addApp('dot')
  expect((await shown.app(star())).status).toBe(200)
  expect((await eve.app('/me')).status).toBe(401)
})

test('the operator can disable the requirement', async () => {
  await studio.db.execute(sql`delete from two_factors`)
  expect(await seen('lead')).toMatchObject(BLOCKED)
  const words = ['account', 'set', String(account()), '--requires-second-factor', 'no', '--json']
  expect(JSON.parse(await admin({ db: studio.db, vault: studio.service.vault }, ...words)).requires_second_factor).toBe(false)
  expect((await seen('lead')).status).toBe(200)
})
