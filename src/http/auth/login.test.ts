import { createHash, randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { challengeOf, FIT_VERIFIERS, UNFIT_VERIFIERS } from '../../../test/support/callers/assistant-login.ts'
import { signIn, type Visitor } from '../../../test/support/callers/visitor.ts'
import { openStudio, type Studio } from '../../../test/support/studio.ts'
import { LOGIN_SCOPES } from '../../contract/sets.ts'
import { sql } from '../../db/database.ts'

const PASSWORD = 'a long enough password'
const REFUSED = { status: 422, json: { error: 'invalid_grant' } }

let studio: Studio
let lead: Visitor
beforeAll(async () => {
  studio = await openStudio({
    accounts: [{ key: 'owl', name: 'Night Owl', plan: 'team', payment_method: true }],
    users: [
      { key: 'lead', email: 'lead@example.com', name: 'Lead', password: PASSWORD, accounts: { owl: 'owner' } },
      { key: 'other', email: 'other@example.com', name: 'Other', accounts: { owl: 'owner' } },
    ],
  })
  lead = await signIn(studio, 'lead@example.com', PASSWORD)
})
afterAll(() => studio.close())

const pkce = () => {
  const code_verifier = randomBytes(32).toString('base64url')
  return { code_verifier, code_challenge: createHash('sha256').update(code_verifier).digest('base64url') }
}

const consent = (more: object = {}) =>
  lead.app('/cli/authorizations', {
    method: 'POST',
    body: {
      allow: true,
      port: 50123,
      state: 'xyz',
      code_challenge: pkce().code_challenge,
      client_name: 'goldmaster-cli',
      scopes: [],
      ...more,
    },
  })
const exchange = (body: unknown) => studio.ask('/api/v1/cli/token_exchange', { method: 'POST', body })

async function codeFor(more: object = {}) {
  const { code_verifier, code_challenge } = pkce()
  const { json } = await consent({ code_challenge, ...more })
  return { code: new URL(json.redirect_to).searchParams.get('code')!, code_verifier }
}

describe('the consent page', () => {
  test('redirects the browser only to this machine', async () => {
    const { json } = await consent()
    const url = new URL(json.redirect_to)
    expect([url.origin, url.pathname, url.searchParams.get('state')]).toEqual(['http://127.0.0.1:50123', '/callback', 'xyz'])
    for (const port of ['80@evil.example', 70_000, 0, -1]) expect((await consent({ port })).status).toBe(422)
  })

  test('returns a refusal as access_denied', async () => {
    const { json } = await consent({ allow: false })
    expect(json.redirect_to).toBe('http://127.0.0.1:50123/callback?error=access_denied&state=xyz')
  })

  test('requires a session', async () => {
    const stranger = await studio.ask('/app/api/v1/cli/authorizations', {
      method: 'POST',
      body: {},
      headers: { 'sec-fetch-site': 'same-origin' },
    })
    expect(stranger.status).toBe(401)
  })
})

describe('the exchange', () => {
  test('issues a token of 90 days with every scope but read:members, and notifies only its owner', async () => {
    const answer = await exchange({ ...(await codeFor()), device_name: 'laptop' })
    expect(answer.status).toBe(201)
    const { token, token_type, scopes, created_at, expires_at, ...rest } = answer.json
    expect(rest).toEqual({})
    expect(token_type).toBe('Bearer')
    expect(scopes).toEqual(LOGIN_SCOPES)
    expect(Date.parse(expires_at) - Date.parse(created_at)).toBeGreaterThan(89.9 * 86_400_000)
    expect(Date.parse(expires_at) - Date.parse(created_at)).toBeLessThan(90.1 * 86_400_000)
    const ping = await studio.ask('/api/v1/ping', { token })
    expect(ping.json.token).toMatchObject({ name: 'goldmaster-cli laptop', prefix: token.slice(0, 8) })
    const mails = await studio.db.rows<{ to_user_id: number; text: string }>(
      sql`select to_user_id, text from mails where text like ${`%${token.slice(0, 8)}%`}`,
    )
    expect(mails).toHaveLength(1)
    expect(mails[0]!.to_user_id).toBe(studio.world.users.lead!.id)
    for (const part of [
      'goldmaster-cli laptop',
      'command line',
      `${created_at.slice(0, 10)} ${created_at.slice(11, 19)} UTC`,
      'https://gold.example/settings/tokens',
    ])
      expect(mails[0]!.text).toContain(part)
    expect(mails[0]!.text).not.toContain(token)
  })

  test('grants the requested scopes, never read:members', async () => {
    const { json } = await exchange(await codeFor({ scopes: ['read:tasks', 'read:members'] }))
    expect(json.scopes).toEqual(['ping', 'read:tasks'])
  })

  test('refuses a second use and revokes the token of the first', async () => {
    const code = await codeFor()
    const { token } = (await exchange(code)).json
    expect((await studio.ask('/api/v1/ping', { token })).status).toBe(200)
    expect(await exchange(code)).toMatchObject(REFUSED)
    expect((await studio.ask('/api/v1/ping', { token })).status).toBe(401)
  })

  test('issues one token per code, however many requests come at once', async () => {
    const code = await codeFor()
    const answers = await Promise.all(Array.from({ length: 6 }, () => exchange(code)))
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
  })

  test('refuses a code after five minutes', async () => {
    const code = await codeFor()
    await studio.db.execute(sql`update oauth_codes set expires_at = now() - interval '1 second' where used_at is null`)
    expect(await exchange(code)).toMatchObject(REFUSED)
  })

  test.each([
    ['without a verifier', ({ code }: { code: string }) => ({ code })],
    ['with another verifier', ({ code }: { code: string }) => ({ code, code_verifier: pkce().code_verifier })],
    [
      'with the challenge as the verifier',
      ({ code, code_verifier }: { code: string; code_verifier: string }) => ({
        code,
        code_verifier: createHash('sha256').update(code_verifier).digest('base64url'),
      }),
    ],
    ['of an unknown code', ({ code_verifier }: { code_verifier: string }) => ({ code: 'nobody', code_verifier })],
    ['with a number as the code', () => ({ code: 5, code_verifier: 5 })],
    ['of a list', () => []],
    ['of nothing', () => undefined],
  ])('refuses a request %s', async (_, make) => {
    expect(await exchange((make as (code: object) => unknown)(await codeFor()))).toMatchObject(REFUSED)
  })

  test.each(UNFIT_VERIFIERS)('refuses a verifier that violates PKCE: %j', async (code_verifier) => {
    const { code } = await codeFor({ code_challenge: challengeOf(code_verifier) })
    expect(await exchange({ code, code_verifier })).toMatchObject(REFUSED)
  })

  test.each(FIT_VERIFIERS)('accepts a verifier of 43 to 128 characters: %s', async (code_verifier) => {
    const { code } = await codeFor({ code_challenge: challengeOf(code_verifier) })
    expect((await exchange({ code, code_verifier })).status).toBe(201)
  })

  test('refuses anything but JSON with the same error', async () => {
    for (const [raw, type] of [
      ['{', 'application/json'],
      ['code=1', 'application/x-www-form-urlencoded'],
      ['', 'application/json'],
    ] as const)
      expect(
        await studio.ask('/api/v1/cli/token_exchange', { method: 'POST', raw, headers: { 'content-type': type } }),
      ).toMatchObject(REFUSED)
  })
})
