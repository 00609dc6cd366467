import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { PasskeyDevice } from '../../../test/support/callers/passkey-device.ts'
import { signIn, type Visitor, visit } from '../../../test/support/callers/visitor.ts'
import { openStudio, type Studio } from '../../../test/support/studio.ts'
import { sql } from '../../db/database.ts'
import { codeAt, stepOf } from '../../domain/sign-in/totp.ts'
import { sealChallenge } from '../auth/two-factor-challenge.ts'

const PASSWORD = 'a long enough password'
const SITE = 'https://gold.example'
const names = ['lead', 'moth', 'bat', 'crow', 'wren']

let studio: Studio
beforeAll(async () => {
  studio = await openStudio({
    accounts: [{ key: 'owl', name: 'Night Owl', plan: 'team', payment_method: true }],
    users: names.map((key) => ({
      key,
      email: `${key}@example.com`,
      name: key,
      password: PASSWORD,
      accounts: { owl: key === 'lead' ? 'owner' : 'member' },
    })),
  })
})
afterAll(() => studio.close())

const post = (visitor: Visitor, path: string, body?: unknown) => visitor.app(path, { method: 'POST', body })
const password = (email: string, visitor = visit(studio)) =>
  visitor.ask('/app/auth/sign-in/email', { method: 'POST', body: { email, password: PASSWORD } })

describe('an authenticator app', () => {
  test('is required after the password; each code and each recovery code is valid once', async () => {
    const [visitor, other] = [
      await signIn(studio, 'moth@example.com', PASSWORD),
      await signIn(studio, 'moth@example.com', PASSWORD),
    ]
    expect((await other.app('/me')).status).toBe(200)
    const { secret, otpauth_url } = (await post(visitor, '/me/two_factor')).json
    expect(otpauth_url).toContain(`secret=${secret}`)
    // Not before the app has shown that it has the secret.
    expect((await password('moth@example.com')).json.two_factor).toBeUndefined()
    const put = (code: string) => visitor.app('/me/two_factor', { method: 'PUT', body: { code } })
    expect(await put('000000x')).toMatchObject({ status: 422, json: { error: 'invalid_code' } })
    const now = stepOf(Date.now())
    const { recovery_codes } = (await put(codeAt(secret, now))).json
    expect(recovery_codes).toHaveLength(10)
    // The other session was opened with a password alone.
    expect((await other.app('/me')).status).toBe(401)
    expect((await visitor.app('/me')).status).toBe(200)
    expect((await post(visitor, '/me/two_factor')).status).toBe(409)

    const begun = visit(studio)
    const answer = await password('moth@example.com', begun)
    const challenge = answer.json.two_factor
    expect(answer.headers.getSetCookie()).toEqual([])
    expect(Object.keys(answer.json)).toEqual(['two_factor'])
    const complete = (code: string, of = challenge) => post(begun, '/two_factor_sign_ins', { challenge: of, code })
    // The code that turned it on is used up.
    expect((await complete(codeAt(secret, now))).status).toBe(422)
    expect(await complete('123456', 'made up')).toMatchObject({ status: 403, json: { error: 'sign_in_expired' } })
    const code = codeAt(secret, now + 1)
    expect((await complete(code)).status).toBe(200)
    expect((await begun.app('/me')).json.user.email).toBe('moth@example.com')
    expect((await complete(code)).status).toBe(422)
    expect((await complete(recovery_codes[0].toUpperCase().replaceAll('-', ' '))).status).toBe(200)
    expect((await complete(recovery_codes[0])).status).toBe(422)
    expect((await begun.app('/me/sign_in')).json).toMatchObject({ two_factor: true, recovery_codes: 9 })

    expect((await post(begun, '/me/two_factor/remove', { code: '000000' })).status).toBe(422)
    expect((await post(begun, '/me/two_factor/remove', { code: recovery_codes[1] })).status).toBe(200)
    expect((await password('moth@example.com')).json.two_factor).toBeUndefined()
  })

  test('a code is only valid after the password it belongs to', async () => {
    const visitor = await signIn(studio, 'bat@example.com', PASSWORD)
    const { secret } = (await post(visitor, '/me/two_factor')).json
    const code = codeAt(secret, stepOf(Date.now()))
    const { recovery_codes } = (await visitor.app('/me/two_factor', { method: 'PUT', body: { code } })).json
    const challenge = (await password('bat@example.com')).json.two_factor
    await studio.db.execute(sql`
      update logins set password = 'another' where user_id = ${studio.world.users.bat!.id} and provider_id = 'credential'`)
    expect(await post(visit(studio), '/two_factor_sign_ins', { challenge, code: recovery_codes[0] })).toMatchObject({
      status: 403,
      json: { error: 'sign_in_expired' },
    })
  })

  test('guessing codes is slowed down like guessing passwords', async () => {
    const slow = await openStudio({}, { beside: studio, rates: { signIns: { points: 3, seconds: 300 } } })
    const challenge = sealChallenge(studio.service.vault, studio.world.users.bat!.id as number, '')
    const statuses: number[] = []
    for (let n = 0; n < 4; n++)
      statuses.push((await post(visit(slow), '/two_factor_sign_ins', { challenge, code: '000000' })).status)
    expect(statuses).toEqual([422, 422, 422, 429])
    await slow.close()
  })
})

describe('wrong codes after a correct password', () => {
  test('are counted from all addresses and make the next wait longer; a recovery code or a correct one ends that', async () => {
    const visitor = await signIn(studio, 'wren@example.com', PASSWORD)
    const { secret } = (await post(visitor, '/me/two_factor')).json
    const now = stepOf(Date.now())
    const { recovery_codes } = (await visitor.app('/me/two_factor', { method: 'PUT', body: { code: codeAt(secret, now) } })).json
    const challenge = (await password('wren@example.com')).json.two_factor
    const give = (code: string) => post(visit(studio), '/two_factor_sign_ins', { challenge, code })
    const right = () => codeAt(secret, Math.max(now + 1, stepOf(Date.now())))
    // None of these may be valid this minute or the next by accident.
    const coming = Array.from({ length: 9 }, (_, i) => codeAt(secret, now - 2 + i))
    const wrong = ['000000', '111111', '222222'].find((code) => !coming.includes(code))!
    const waiting = async () => {
      const { status, json, headers } = await give(right())
      expect({ status, error: json.error }).toEqual({ status: 429, error: 'too_many_codes' })
      return Number(headers.get('retry-after'))
    }
    const rest = (seconds: number) =>
      studio.db.execute(sql`
        with rested as materialized (
          select user_id, wrong_at - make_interval(secs => ${seconds}) as wrong_at from two_factors where user_id = ${studio.world.users.wren!.id})
        update two_factors f set wrong_at = rested.wrong_at from rested where f.user_id = rested.user_id`)
    const told = () => studio.db.rows(sql`select from mails where subject = 'Failed sign-ins to your account'`)

    for (let n = 0; n < 4; n++) expect((await give(wrong)).status).toBe(422)
    expect(await told()).toEqual([])
    // One more by somebody at an unattended browser.
    expect((await post(visitor, '/me/two_factor/remove', { code: wrong })).status).toBe(422)
    expect(await told()).toHaveLength(1)
    expect(await waiting()).toBeLessThanOrEqual(30)
    await rest(30)
    expect((await give(wrong)).status).toBe(422)
    await rest(30)
    expect(await waiting()).toBeLessThanOrEqual(30)
    await studio.db.execute(sql`update two_factors set wrong_codes = 5000`)
    expect(await waiting()).toBeLessThanOrEqual(3_600)
    expect((await give(recovery_codes[0])).status).toBe(200)
    expect((await give(wrong)).status).toBe(422)
    expect((await give(right())).status).toBe(200)
    expect(await told()).toHaveLength(1)
    const [{ count }] = (await studio.db.rows<{ count: number }>(sql`
      select wrong_codes as count from two_factors where user_id = ${studio.world.users.wren!.id}`)) as [{ count: number }]
    expect(count).toBe(0)
  })
})

describe('a passkey', () => {
  const device = new PasskeyDevice(SITE)
  const question = async () => (await post(visit(studio), '/passkey_sign_ins/challenges')).json.challenge as string
  let owner: Visitor
  beforeAll(async () => {
    owner = await signIn(studio, 'lead@example.com', PASSWORD)
    const { challenge, rp_id } = (await post(owner, '/me/passkeys/challenges')).json
    expect(rp_id).toBe('gold.example')
    expect((await post(owner, '/me/passkeys', device.create(challenge))).status).toBe(201)
  })

  test('signs its owner in, once per challenge', async () => {
    const visitor = visit(studio)
    const answer = device.answer(await question())
    expect((await post(visitor, '/passkey_sign_ins', answer)).status).toBe(200)
    expect(await studio.db.rows(sql`select from sessions where method = 'passkey'`)).toHaveLength(1)
    expect((await visitor.app('/me')).json.user.email).toBe('lead@example.com')
    expect((await post(visit(studio), '/passkey_sign_ins', answer)).status).toBe(422)
  })

  test.each([
    ['for another site', { origin: 'https://gold.example.evil.example' }],
    ['for another port of this one', { origin: 'https://gold.example:444' }],
    ['without user presence', { flags: 4 }],
    ['without user verification', { flags: 1 }],
    ['to a registration challenge', { type: 'webauthn.create' }],
    ['by another key', { key: new PasskeyDevice(SITE).keys.privateKey }],
  ])('is refused with a response %s', async (_, how) => {
    expect(await post(visit(studio), '/passkey_sign_ins', device.answer(await question(), how))).toMatchObject({
      status: 422,
      json: { error: 'invalid_passkey' },
    })
  })

  test('is refused with an unknown challenge, or with one for somebody else', async () => {
    const made = randomBytes(32).toString('base64url')
    expect((await post(visit(studio), '/passkey_sign_ins', device.answer(made))).status).toBe(422)
    const { challenge } = (await post(owner, '/me/passkeys/challenges')).json
    expect((await post(visit(studio), '/passkey_sign_ins', device.answer(challenge))).status).toBe(422)
    const crow = await signIn(studio, 'crow@example.com', PASSWORD)
    const other = (await post(owner, '/me/passkeys/challenges')).json.challenge
    expect((await post(crow, '/me/passkeys', new PasskeyDevice(SITE).create(other))).status).toBe(422)
    expect((await post(crow, '/me/passkeys', new PasskeyDevice(SITE).create(await question()))).status).toBe(422)
  })

  test('with too long a name is refused', async () => {
    const { challenge } = (await post(owner, '/me/passkeys/challenges')).json
    expect(await post(owner, '/me/passkeys', new PasskeyDevice(SITE, 1024).create(challenge))).toMatchObject({
      status: 422,
      json: { error: 'invalid_passkey' },
    })
  })

  test('whose counter falls behind was cloned and is refused', async () => {
    device.count = 5
    expect((await post(visit(studio), '/passkey_sign_ins', device.answer(await question()))).status).toBe(200)
    expect((await post(visit(studio), '/passkey_sign_ins', device.answer(await question()))).status).toBe(422)
  })

  test('can be added after a recent sign-in, and its owner is notified by email', async () => {
    await studio.db.execute(
      sql`update sessions set confirmed_at = now() - interval '1 hour' where user_id = ${studio.world.users.lead!.id}`,
    )
    const stale = { status: 403, json: { error: 'fresh_sign_in_required', methods: ['password', 'passkey'] } }
    expect(await post(owner, '/me/passkeys/challenges')).toMatchObject(stale)
    expect(await post(owner, '/me/two_factor')).toMatchObject(stale)
    const mails = await studio.db.rows<{ text: string }>(
      sql`select text from mails where subject = 'Your sign-in settings changed'`,
    )
    expect(mails.some(({ text }) => text.includes('A passkey was added'))).toBe(true)
  })

  test('no longer works after it is removed, which only its owner can do', async () => {
    const [{ id }] = (await owner.app('/me/sign_in')).json.passkeys
    expect((await post(owner, '/me/session/confirmation', { password: PASSWORD })).status).toBe(200)
    const crow = await signIn(studio, 'crow@example.com', PASSWORD)
    expect((await crow.app(`/me/passkeys/${id}`, { method: 'DELETE' })).status).toBe(404)
    expect((await owner.app(`/me/passkeys/${id}`, { method: 'DELETE' })).status).toBe(200)
    device.count = 99
    expect((await post(visit(studio), '/passkey_sign_ins', device.answer(await question()))).status).toBe(422)
  })
})
