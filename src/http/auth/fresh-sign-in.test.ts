import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { PasskeyDevice } from '../../../test/support/callers/passkey-device.ts'
import { signIn, type Visitor } from '../../../test/support/callers/visitor.ts'
import { openStudio, type Studio } from '../../../test/support/studio.ts'
import { sql } from '../../db/database.ts'
import { codeAt, stepOf } from '../../domain/sign-in/totp.ts'

const PASSWORD = 'a long enough password'
const SITE = 'https://gold.example'

let studio: Studio
let owner: Visitor
beforeAll(async () => {
  studio = await openStudio({
    accounts: [{ key: 'owl', name: 'Night Owl', plan: 'team', payment_method: true }],
    users: ['owner', 'moth', 'bat', 'crow'].map((key) => ({
      key,
      email: `${key}@example.com`,
      name: key,
      password: PASSWORD,
      accounts: { owl: key === 'owner' ? 'owner' : 'member' },
    })),
    projects: [{ key: 'star', account: 'owl', name: 'Star' }],
    tokens: [{ key: 'owner', user: 'owner', name: 'CI', scopes: ['ping', 'admin:tokens'] }],
  })
  owner = await signIn(studio, 'owner@example.com', PASSWORD)
})
afterAll(() => studio.close())

const post = (visitor: Visitor, path: string, body?: unknown) => visitor.app(path, { method: 'POST', body })
const confirm = (visitor: Visitor, body: object) => post(visitor, '/me/session/confirmation', body)
/** As if everybody had signed in this long ago. */
const age = (minutes: number) =>
  studio.db.execute(sql`update sessions set confirmed_at = now() - make_interval(mins => ${minutes})`)
const stale = (...methods: string[]) => ({ status: 403, json: { error: 'fresh_sign_in_required', methods } })

const consent = { allow: true, port: 50_123, state: 'x', code_challenge: 'A'.repeat(43), client_name: 'cli', scopes: [] }
const NEEDS: [string, () => string, object][] = [
  ['an export of the account', () => `/accounts/${studio.world.accounts.owl!.id}/exports`, {}],
  ['an export of a project', () => `/projects/${studio.world.projects.star!.id}/exports`, {}],
  ['an API token', () => '/me/tokens', { name: 'mine', scopes: ['ping'] }],
  ['a token of Unreal Game Sync', () => `/projects/${studio.world.projects.star!.id}/ugs_tokens`, { name: 'mine' }],
  ['the login of a command line', () => '/cli/authorizations', consent],
  ['a passkey', () => '/me/passkeys/challenges', {}],
  ['an authenticator app', () => '/me/two_factor', {}],
]

describe.each(NEEDS)('%s', (_, path, body) => {
  test('needs a sign-in from the last ten minutes, or the password again', async () => {
    await age(11)
    const made = () => post(owner, path(), Object.keys(body).length === 0 && !path().includes('exports') ? undefined : body)
    expect(await made()).toMatchObject(stale('password'))
    expect(await confirm(owner, { password: 'a wrong password' })).toMatchObject({
      status: 422,
      json: { error: 'invalid_password' },
    })
    expect(await made()).toMatchObject(stale('password'))
    expect((await confirm(owner, { password: PASSWORD })).status).toBe(200)
    expect((await made()).status).toBeLessThan(300)
  })
})

test('reading pages needs no fresh sign-in and does not renew it', async () => {
  await age(11)
  for (const path of ['/me', '/me/tokens', '/me/sign_in']) expect((await owner.app(path)).status).toBe(200)
  expect(await post(owner, '/me/tokens', { name: 'mine', scopes: ['ping'] })).toMatchObject(stale('password'))
})

test('a program with a token needs no fresh sign-in', async () => {
  await age(11)
  const token = studio.world.tokens.owner!.token
  const body = { name: 'mine', scopes: ['ping'] }
  expect((await studio.ask('/api/v1/me/tokens', { method: 'POST', token, body })).status).toBe(201)
})

test.each([[{}], [{ password: PASSWORD, code: '123456' }], [{ pin: '1' }]])('%j does not confirm a sign-in', async (body) => {
  expect((await confirm(owner, body)).status).toBe(422)
})

test('with an authenticator app the password is not enough: a code or a passkey of that person is needed, each valid once', async () => {
  const moth = await signIn(studio, 'moth@example.com', PASSWORD)
  const device = new PasskeyDevice(SITE)
  await post(moth, '/me/passkeys', device.create((await post(moth, '/me/passkeys/challenges')).json.challenge))
  const { secret } = (await post(moth, '/me/two_factor')).json
  const now = stepOf(Date.now())
  expect((await moth.app('/me/two_factor', { method: 'PUT', body: { code: codeAt(secret, now) } })).status).toBe(200)
  await age(11)
  expect(await confirm(moth, { password: PASSWORD })).toMatchObject(stale('code', 'passkey'))
  expect(await confirm(moth, { code: codeAt(secret, now) })).toMatchObject({ status: 422, json: { error: 'invalid_code' } })
  expect((await confirm(moth, { code: codeAt(secret, now + 1) })).status).toBe(200)
  expect((await post(moth, '/me/tokens', { name: 'mine', scopes: ['ping'] })).status).toBe(201)

  await age(11)
  const question = async () => (await post(moth, '/passkey_sign_ins/challenges')).json.challenge
  const passkey = device.answer(await question())
  const bat = await signIn(studio, 'bat@example.com', PASSWORD)
  expect(await confirm(bat, { passkey: device.answer(await question()) })).toMatchObject({ status: 403 })
  const another = new PasskeyDevice(SITE)
  expect(
    (await post(bat, '/me/passkeys', another.create((await post(bat, '/me/passkeys/challenges')).json.challenge))).status,
  ).toBe(201)
  // Both have one, and each confirms only its owner's session.
  expect(await confirm(moth, { passkey: another.answer(await question()) })).toMatchObject({
    status: 422,
    json: { error: 'invalid_passkey' },
  })
  expect((await post(moth, '/me/tokens', { name: 'mine', scopes: ['ping'] })).status).toBe(403)
  expect((await confirm(moth, { passkey })).status).toBe(200)
  expect((await confirm(moth, { passkey })).status).toBe(422)
})

describe('an authenticator app that waits for its first code', () => {
  let crow: Visitor
  let secret: string
  beforeEach(async () => {
    await studio.db.execute(sql`delete from two_factors where user_id = ${studio.world.users.crow!.id}`)
    crow = await signIn(studio, 'crow@example.com', PASSWORD)
    ;({ secret } = (await post(crow, '/me/two_factor')).json)
  })
  const give = (visitor: Visitor) =>
    visitor.app('/me/two_factor', { method: 'PUT', body: { code: codeAt(secret, stepOf(Date.now())) } })
  const expired = { status: 403, json: { error: 'set_up_expired' } }

  test('can only be turned on by the session that started it', async () => {
    expect(await give(await signIn(studio, 'crow@example.com', PASSWORD))).toMatchObject(expired)
    expect((await give(crow)).status).toBe(200)
  })

  test('expires after ten minutes, even with a fresh sign-in', async () => {
    await studio.db.execute(sql`update two_factors set created_at = now() - interval '11 minutes'`)
    expect(await give(crow)).toMatchObject(expired)
  })

  test('ends with its session', async () => {
    await crow.ask('/app/auth/sign-out', { method: 'POST' })
    expect(await studio.db.rows(sql`select from two_factors where user_id = ${studio.world.users.crow!.id}`)).toEqual([])
  })

  test('cannot be turned on once the sign-in is no longer fresh', async () => {
    await age(11)
    expect(await give(crow)).toMatchObject(stale('password'))
  })

  test('cannot be turned on with the password alone if the person has a passkey and one of their accounts requires a factor', async () => {
    const account = studio.world.accounts.owl!.id
    const real = await signIn(studio, 'crow@example.com', PASSWORD)
    const device = new PasskeyDevice(SITE)
    const { challenge } = (await post(real, '/me/passkeys/challenges')).json
    // Only the session that requested it can add it.
    expect((await post(crow, '/me/passkeys', device.create(challenge))).status).toBe(422)
    const asked = (await post(real, '/me/passkeys/challenges')).json.challenge
    expect((await post(real, '/me/passkeys', device.create(asked))).status).toBe(201)
    await studio.db.execute(sql`update accounts set requires_second_factor = true where id = ${account}`)
    expect(await give(crow)).toMatchObject({ status: 403, json: { error: 'second_factor_not_shown' } })
    await studio.db.execute(sql`update accounts set requires_second_factor = false where id = ${account}`)
  })
})

test('changing the password keeps the factors that the session has shown and adds none', async () => {
  const bat = await signIn(studio, 'bat@example.com', PASSWORD)
  const { secret } = (await post(bat, '/me/two_factor')).json
  await bat.app('/me/two_factor', { method: 'PUT', body: { code: codeAt(secret, stepOf(Date.now())) } })
  const methods = () => studio.db.rows(sql`select method from sessions where user_id = ${studio.world.users.bat!.id}`)
  const change = (current_password: string, new_password: string) =>
    bat.app('/me/password', { method: 'PUT', body: { current_password, new_password } })
  expect((await change(PASSWORD, `${PASSWORD}!`)).status).toBe(200)
  expect(await methods()).toEqual([{ method: 'second_factor' }])
  await studio.db.execute(sql`update sessions set method = 'sso' where user_id = ${studio.world.users.bat!.id}`)
  expect((await change(`${PASSWORD}!`, PASSWORD)).status).toBe(200)
  expect(await methods()).toEqual([{ method: null }])
})
