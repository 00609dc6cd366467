import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { overlapping } from '../../../test/support/blocked.ts'
import { type Login, openLogin } from '../../../test/support/callers/assistant-login.ts'
import { keepLog } from '../../../test/support/log.ts'
import { openStudio } from '../../../test/support/studio.ts'
import { LOGIN_SCOPES } from '../../contract/sets.ts'
import { sql } from '../../db/database.ts'

let login: Login
beforeAll(async () => {
  login = await openLogin()
})
afterAll(() => login.studio.close())

interface Tokens {
  client_id: string
  access_token: string
  refresh_token: string
}

const REFUSED = { status: 400, json: { error: 'invalid_grant' } }

async function logIn(more = {}): Promise<Tokens> {
  const form = await login.codeFor(more)
  return { client_id: form.client_id, ...(await login.exchange(form)).json }
}
const formOf = ({ client_id, refresh_token }: Tokens) => ({ grant_type: 'refresh_token', client_id, refresh_token })
const refresh = (tokens: Tokens, more = {}) => login.exchange({ ...formOf(tokens), ...more })
async function refreshed(tokens: Tokens): Promise<Tokens> {
  const { status, json } = await refresh(tokens)
  expect(status).toBe(200)
  return { ...tokens, ...json }
}
const statusWith = async (token: string) => (await login.studio.ask('/api/v1/ping', { token })).status
const tokenRows = () =>
  login.studio.db.rows(sql`select id, name, scopes, created_at, expires_at, revoked_at from api_tokens order by id`)
/** As if the minute for retries were over. */
const letAMinutePass = () =>
  login.studio.db.execute(sql`update refresh_tokens set used_at = now() - interval '61 seconds' where used_at is not null`)

describe('refreshing a login', () => {
  test('changes only the value of the token: no new row, no later expiry, no email', async () => {
    const first = await logIn()
    const [rows, mails] = [await tokenRows(), await login.studio.db.rows(sql`select from mails`)]
    const { status, json, headers } = await refresh(first)
    expect(status).toBe(200)
    expect(headers.get('cache-control')).toBe('no-store')
    expect(json).toMatchObject({ token_type: 'Bearer', scope: LOGIN_SCOPES.join(' ') })
    expect(new Set([first.access_token, first.refresh_token, json.access_token, json.refresh_token]).size).toBe(4)
    expect([await statusWith(first.access_token), await statusWith(json.access_token)]).toEqual([401, 200])
    expect(await tokenRows()).toEqual(rows)
    expect(await login.studio.db.rows(sql`select from mails`)).toHaveLength(mails.length)
    const shown = (await login.lead.app('/me/tokens')).json.tokens[0]
    expect(shown.prefix).toBe(json.access_token.slice(0, 8))
  })

  test('is refused from an address that none of the accounts allows, and the refresh token stays valid', async () => {
    const tokens = await logIn()
    const allow = (list: string[] | null) => login.studio.db.execute(sql`update accounts set allowed_addresses = ${list}`)
    await allow(['192.0.2.0/24'])
    expect(await refresh(tokens)).toMatchObject({ status: 403, json: { error: 'address_not_allowed' } })
    await allow(null)
    await refreshed(tokens)
  })

  test('returns how long the login still lasts, and does not extend it', async () => {
    const tokens = await logIn()
    const age = (days: string) => login.studio.db.execute(sql`update api_tokens set expires_at = now() + ${days}::interval`)
    await age('3 days')
    const { json } = await refresh(tokens)
    expect(json.expires_in).toBeGreaterThan(3 * 86_400 - 3600)
    expect(json.expires_in).toBeLessThanOrEqual(3 * 86_400)
    await age('-1 second')
    expect(await refresh({ ...tokens, ...json })).toMatchObject(REFUSED)
  })

  test('keeps the granted scopes, whatever is requested', async () => {
    const tokens = await logIn({ scope: 'read:tasks' })
    const { json } = await refresh(tokens, { scope: 'read:tasks write:tasks read:members' })
    expect(json.scope).toBe('ping read:tasks')
  })

  test('continues as long as each refresh token is used once', async () => {
    let tokens = await logIn()
    for (let times = 0; times < 3; times++) {
      tokens = await refreshed(tokens)
      await letAMinutePass()
    }
    expect(await statusWith(tokens.access_token)).toBe(200)
  })
})

describe('a reused refresh token', () => {
  test('gets the same reply within a minute, because the first may be lost', async () => {
    const first = await logIn()
    const second = await refreshed(first)
    expect(await refreshed(first)).toEqual({ ...second, expires_in: expect.any(Number) })
    expect(await statusWith(second.access_token)).toBe(200)
    await refreshed(second)
  })

  test('gets the same reply while the first is still being handled: they wait for each other', async () => {
    const first = await logIn()
    const held = sql`select from api_tokens where revoked_at is null for update`
    const answers = await overlapping(login.studio.service.db, held, 3, () => [refresh(first), refresh(first), refresh(first)])
    const given = answers.map((each) => (each.status === 'fulfilled' ? each.value : undefined))
    expect(given.map((each) => each?.status)).toEqual([200, 200, 200])
    expect(new Set(given.map((each) => each!.json.access_token)).size).toBe(1)
    expect(await statusWith(given[0]!.json.access_token)).toBe(200)
  })

  test('ends the login later: somebody else has it too', async () => {
    const first = await logIn()
    const second = await refreshed(first)
    await letAMinutePass()
    expect(await refresh(first)).toMatchObject(REFUSED)
    expect(await statusWith(second.access_token)).toBe(401)
    expect(await refresh(second)).toMatchObject(REFUSED)
  })

  test('ends the login within a minute if the next one was already used', async () => {
    const first = await logIn()
    const third = await refreshed(await refreshed(first))
    expect(await refresh(first)).toMatchObject(REFUSED)
    expect(await statusWith(third.access_token)).toBe(401)
  })

  test('ends only its own login', async () => {
    const [one, other] = [await logIn(), await logIn()]
    await refreshed(one)
    await letAMinutePass()
    await refresh(one)
    expect(await statusWith(other.access_token)).toBe(200)
    await refreshed(other)
  })
})

describe('is refused', () => {
  test.each([
    ['without a refresh token', { refresh_token: '' }, 'invalid_request', 400],
    ['with an unknown one', { refresh_token: 'nobody' }, 'invalid_grant', 400],
    ['with one that contains a NUL', { refresh_token: 'a\0b' }, 'invalid_request', 400],
    ['for an unknown assistant', { client_id: 'nobody' }, 'invalid_client', 401],
    ['without an assistant', { client_id: '' }, 'invalid_request', 400],
    ['for another resource', { resource: 'https://evil.example/mcp' }, 'invalid_target', 400],
  ])('%s, and the login continues', async (_, change, error, status) => {
    const tokens = await logIn()
    expect(await refresh(tokens, change)).toMatchObject({ status, json: { error } })
    await refreshed(tokens)
  })

  test('for another assistant, which ends nothing', async () => {
    const tokens = await logIn()
    const client_id = await login.idOf({ client_name: 'Other' })
    expect(await refresh(tokens, { client_id })).toMatchObject(REFUSED)
    await refreshed(tokens)
  })

  test('with the access token, and the refresh token is not an access token', async () => {
    const tokens = await logIn()
    expect(await refresh({ ...tokens, refresh_token: tokens.access_token })).toMatchObject(REFUSED)
    expect(await statusWith(tokens.refresh_token)).toBe(401)
  })

  test('after the person has revoked the token in their settings', async () => {
    const tokens = await logIn()
    const { json } = await login.lead.app('/me/tokens')
    await login.lead.app(`/me/tokens/${json.tokens[0].id}`, { method: 'DELETE' })
    expect(await refresh(tokens)).toMatchObject(REFUSED)
  })

  test('after its code was used a second time', async () => {
    const form = await login.codeFor()
    const { json } = await login.exchange(form)
    await login.exchange(form)
    expect(await refresh({ ...json, client_id: form.client_id })).toMatchObject(REFUSED)
  })
})

describe('revoking a login', () => {
  const revoke = (client_id: string, token: string) =>
    login.studio.ask('/oauth/revoke', {
      method: 'POST',
      raw: String(new URLSearchParams({ client_id, token })),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    })

  test.each(['access_token', 'refresh_token'] as const)('by its %s ends both', async (which) => {
    const tokens = await logIn()
    expect(await revoke(tokens.client_id, tokens[which])).toMatchObject({ status: 200, text: '' })
    expect(await statusWith(tokens.access_token)).toBe(401)
    expect(await refresh(tokens)).toMatchObject(REFUSED)
  })

  test('does not affect those of others, and does not reveal that', async () => {
    const tokens = await logIn()
    const other = await login.idOf({ client_name: 'Other' })
    for (const token of [tokens.access_token, tokens.refresh_token, 'nobody'])
      expect(await revoke(other, token)).toMatchObject({ status: 200, text: '' })
    expect(await statusWith(tokens.access_token)).toBe(200)
    expect(await revoke('nobody', tokens.access_token)).toMatchObject({ status: 401, json: { error: 'invalid_client' } })
    expect(await revoke(tokens.client_id, '')).toMatchObject({ status: 400, json: { error: 'invalid_request' } })
  })
})

test('stored rows contain no token, and only the last hundred of a login are kept', async () => {
  const first = await logIn()
  const second = await refreshed(first)
  const kept = JSON.stringify(await login.studio.db.rows(sql`select * from refresh_tokens`))
  for (const secret of [first.refresh_token, second.refresh_token, second.access_token]) expect(kept).not.toContain(secret)
  await login.studio.db.execute(sql`
    insert into refresh_tokens (hash, token_id, assistant_id, used_at, expires_at, created_at)
    select sha256(n::text::bytea), token_id, assistant_id, now(), expires_at, now() - make_interval(secs => n)
    from generate_series(1, 150) n, (select * from refresh_tokens order by created_at desc limit 1) newest`)
  await refreshed(second)
  const count = await login.studio.db.one<{ count: number }>(sql`
    select count(*) from refresh_tokens where token_id = (select token_id from refresh_tokens order by created_at desc limit 1)`)
  expect(count!.count).toBe(100)
})

test('neither token is in the log', async () => {
  const { log, text } = keepLog()
  const logged = await openStudio({}, { beside: login.studio, service: { log } })
  const tokens = await logIn()
  const { json } = await login.exchange(formOf(tokens), logged)
  await logged.close()
  expect(json.refresh_token).toEqual(expect.any(String))
  expect(text()).toContain('/oauth/token')
  for (const secret of [tokens.refresh_token, json.refresh_token, json.access_token]) expect(text()).not.toContain(secret)
})
