import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  BACK,
  challengeOf,
  FIT_VERIFIERS,
  type Login,
  openLogin,
  pkce,
  UNFIT_VERIFIERS,
  type Wishes,
} from '../../../test/support/callers/assistant-login.ts'
import { keepLog } from '../../../test/support/log.ts'
import { openStudio } from '../../../test/support/studio.ts'
import { sql } from '../../db/database.ts'

let login: Login
beforeAll(async () => {
  login = await openLogin()
})
afterAll(() => login.studio.close())

const refusal = (error: string, status = 400) => ({ status, json: { error, error_description: expect.any(String) } })

describe('asking for consent', () => {
  test.each([
    ['an unregistered assistant', { client_id: 'nobody' }],
    ['no assistant', { client_id: undefined }],
    ['a NUL', { client_id: 'a\0b' }],
    ['another address', { redirect_uri: 'https://evil.example/callback' }],
    ['another path', { redirect_uri: 'http://127.0.0.1:43210/other' }],
    ['another name of this machine', { redirect_uri: 'http://localhost:43210/callback' }],
    ['an additional query', { redirect_uri: `${BACK}?next=https://evil.example` }],
    ['a script', { redirect_uri: 'javascript:alert(1)' }],
    ['no address', { redirect_uri: undefined }],
  ])('%s gets no redirect', async (_, more) => {
    const { status, location, text } = await login.authorize(await login.wishes(more))
    expect([status, location]).toEqual([400, null])
    expect(JSON.parse(text)).toMatchObject({ error: expect.stringMatching(/^invalid_(client|request)$/) })
  })

  test('a person without a redirect sees a page with the reason', async () => {
    const accept = 'text/html,application/xhtml+xml,*/*;q=0.8'
    const look = async (more: Wishes) => login.authorize(await login.wishes(more), { accept })
    const why = async (more: Wishes) => (await look(more)).location?.href
    expect(await why({ client_id: 'nobody' })).toBe(`${login.site}/oauth/refused?why=invalid_client`)
    expect(await why({ redirect_uri: 'https://evil.example/' })).toBe(`${login.site}/oauth/refused?why=invalid_request`)
    expect((await fetch(`${login.site}/oauth/refused`)).headers.get('content-type')).toMatch(/^text\/html/)
    expect((await look({})).location!.pathname).toBe('/cli/auth')
  })

  test('a repeated parameter gets no redirect', async () => {
    const query = new URLSearchParams((await login.wishes()) as Record<string, string>)
    query.append('redirect_uri', 'https://evil.example/')
    expect(await login.authorize(query)).toMatchObject({ status: 400, location: null })
  })

  test('a port on the own machine may change, that of a site may not', async () => {
    expect((await login.authorize(await login.wishes({ redirect_uri: BACK.replace('43210', '1') }))).location!.pathname).toBe(
      '/cli/auth',
    )
    const client_id = await login.idOf({ redirect_uris: ['https://app.example/cb'] })
    const at = async (redirect_uri: string) => (await login.authorize(await login.wishes({ client_id, redirect_uri }))).status
    expect([await at('https://app.example/cb'), await at('https://app.example:8443/cb')]).toEqual([302, 400])
  })

  test.each([
    ['plain PKCE', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['PKCE without its method', { code_challenge_method: undefined }, 'invalid_request'],
    ['no PKCE', { code_challenge: undefined, code_challenge_method: undefined }, 'invalid_request'],
    ['an invalid challenge', { code_challenge: 'short' }, 'invalid_request'],
    ['a token at once', { response_type: 'token' }, 'unsupported_response_type'],
    ['no response type', { response_type: undefined }, 'invalid_request'],
    ['scopes of others', { scope: 'openid email' }, 'invalid_scope'],
    ['read:members alone', { scope: 'read:members' }, 'invalid_scope'],
    ['a token for another resource', { resource: 'https://evil.example/mcp' }, 'invalid_target'],
  ])('%s is returned to the assistant as an error', async (_, more, error) => {
    const { status, location } = await login.authorize(await login.wishes(more))
    expect(status).toBe(302)
    expect(location!.href.startsWith(`${BACK}?`)).toBe(true)
    expect(Object.fromEntries(location!.searchParams)).toMatchObject({ error, state: 'xyz', iss: login.site })
    expect(location!.searchParams.has('code')).toBe(false)
  })

  test.each([
    ['no response type', { response_type: undefined }, 'invalid_request'],
    ['a token at once', { response_type: 'token' }, 'unsupported_response_type'],
    ['no PKCE', { code_challenge: undefined }, 'invalid_request'],
    ['scopes of others', { scope: 'openid' }, 'invalid_scope'],
    ['a long state', { state: 's'.repeat(2001) }, 'invalid_request'],
  ])('%s does not redirect to a site that anybody may have registered before sign-in', async (_, more, error) => {
    const redirect_uri = 'https://evil.example/landing'
    const client_id = await login.idOf({ redirect_uris: [redirect_uri] })
    const wishes = await login.wishes({ client_id, redirect_uri, ...more })
    const { status, location, text } = await login.authorize(wishes)
    expect([status, location, JSON.parse(text).error]).toEqual([400, null, error])
    const page = await login.authorize(wishes, { accept: 'text/html' })
    expect(page.location!.href).toBe(`${login.site}/oauth/refused?why=${error}`)
  })

  test('grants the requested scopes that a login can have, and returns them', async () => {
    const { json } = await login.exchange(await login.codeFor({ scope: 'openid read:tasks read:members' }))
    expect(json.scope).toBe('ping read:tasks')
  })

  test('returns the state unchanged, whatever it contains', async () => {
    for (const state of ['12345678901234567890', '1e3', 'null', '{"a":"b c&d"}', ' ä\u202e+%']) {
      const back = await login.consent(await login.wishes({ state }))
      expect(back.searchParams.get('state')).toBe(state)
    }
    const { location } = await login.authorize(await login.wishes({ state: 's'.repeat(2001) }))
    expect(location!.searchParams.get('error')).toBe('invalid_request')
  })
})

describe('the consent page', () => {
  const requestOf = async (more = {}) => (await login.authorize(await login.wishes(more))).location!.searchParams.get('request')!
  const show = (request: string) => login.lead.app(`/assistants/authorizations?${new URLSearchParams({ request })}`)

  test('shows who asks, in one short line, for which scopes, and where the browser goes', async () => {
    const client_name = `<b>Nice</b>\u202e\n\r\u0000 ${'name '.repeat(40)}`
    const client_id = await login.idOf({ client_name, redirect_uris: ['https://app.example/cb'] })
    const { json } = await show(await requestOf({ client_id, redirect_uri: 'https://app.example/cb', scope: 'read:tasks' }))
    expect(json).toMatchObject({ host: 'app.example', scopes: ['ping', 'read:tasks'] })
    expect(json.client_name).toMatch(/^<b>Nice<\/b> name [\w ]+$/)
    expect(json.client_name.length).toBeLessThanOrEqual(60)
    const nameless = await login.idOf({ client_name: '\u200b \u202e' })
    expect((await show(await requestOf({ client_id: nameless }))).json.client_name).toBe('An assistant')
  })

  test('accepts only requests that we sealed, and only with a session', async () => {
    const request = await requestOf()
    const forged = `${request.slice(0, -6)}AAAAA=`
    const seal = (text: string) => login.studio.service.vault.seal(text, 'assistant-request')
    for (const bad of [forged, '', 'x', seal('{}'), seal('null'), login.studio.service.vault.seal('{}', 'unsubscribe')]) {
      expect((await show(bad)).status).toBe(422)
      expect((await login.decide(bad)).status).toBe(422)
    }
    const stranger = await login.studio.ask('/app/api/v1/assistants/authorizations', {
      method: 'POST',
      body: { allow: true, request },
      headers: { 'sec-fetch-site': 'same-origin' },
    })
    expect(stranger.status).toBe(401)
  })
})

describe('the exchange', () => {
  test('responds as OAuth specifies and is not cached', async () => {
    const { status, json, headers } = await login.exchange(await login.codeFor())
    expect(status).toBe(200)
    expect(Object.keys(json).sort()).toEqual(['access_token', 'expires_in', 'refresh_token', 'scope', 'token_type'])
    expect(headers.get('cache-control')).toBe('no-store')
    expect((await login.studio.ask('/api/v1/ping', { token: json.access_token })).json.token.name).toBe('Helpful')
  })

  test('refuses a second use and revokes the token of the first', async () => {
    const form = await login.codeFor()
    const { access_token: token } = (await login.exchange(form)).json
    expect((await login.studio.ask('/api/v1/ping', { token })).status).toBe(200)
    expect(await login.exchange(form)).toMatchObject(refusal('invalid_grant'))
    expect((await login.studio.ask('/api/v1/ping', { token })).status).toBe(401)
  })

  test('issues one token per code, however many requests come at once', async () => {
    const form = await login.codeFor()
    const answers = await Promise.all(Array.from({ length: 6 }, () => login.exchange(form)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  })

  test('refuses a code after five minutes', async () => {
    const form = await login.codeFor()
    await login.studio.db.execute(sql`update oauth_codes set expires_at = now() - interval '1 second' where used_at is null`)
    expect(await login.exchange(form)).toMatchObject(refusal('invalid_grant'))
  })

  test('refuses a code that was issued for another assistant, or for the CLI', async () => {
    const other = await login.idOf({ client_name: 'Other' })
    const form = await login.codeFor()
    expect(await login.exchange({ ...form, client_id: other })).toMatchObject(refusal('invalid_grant'))
    const { code, code_verifier } = form
    const asCommandLine = await login.studio.ask('/api/v1/cli/token_exchange', { method: 'POST', body: { code, code_verifier } })
    expect(asCommandLine).toMatchObject({ status: 422, json: { error: 'invalid_grant' } })
    const { code_verifier: verifier, code_challenge } = pkce()
    const body = { allow: true, port: 50123, state: '', code_challenge, client_name: 'cli', scopes: [] }
    const { json } = await login.lead.app('/cli/authorizations', { method: 'POST', body })
    const theirs = { ...form, code: new URL(json.redirect_to).searchParams.get('code')!, code_verifier: verifier }
    expect(await login.exchange(theirs)).toMatchObject(refusal('invalid_grant'))
    expect((await login.exchange(form)).status).toBe(200)
  })

  test.each([
    ['another verifier', () => ({ code_verifier: pkce().code_verifier }), 'invalid_grant', 400],
    ['another address', () => ({ redirect_uri: 'http://127.0.0.1:43211/callback' }), 'invalid_grant', 400],
    ['an unknown code', () => ({ code: 'nobody' }), 'invalid_grant', 400],
    ['no verifier', () => ({ code_verifier: '' }), 'invalid_request', 400],
    ['no code', () => ({ code: '' }), 'invalid_request', 400],
    ['no assistant', () => ({ client_id: '' }), 'invalid_request', 400],
    ['a NUL', () => ({ code: 'a\0b' }), 'invalid_request', 400],
    ['an unknown assistant', () => ({ client_id: 'nobody' }), 'invalid_client', 401],
    ['another grant type', () => ({ grant_type: 'password' }), 'unsupported_grant_type', 400],
    ['a prototype property as the grant type', () => ({ grant_type: 'toString' }), 'unsupported_grant_type', 400],
    ['no way', () => ({ grant_type: '' }), 'invalid_request', 400],
    ['another resource', () => ({ resource: 'https://evil.example/mcp' }), 'invalid_target', 400],
  ])('refuses %s, and the code stays valid', async (_, change, error, status) => {
    const form = await login.codeFor()
    expect(await login.exchange({ ...form, ...change() })).toMatchObject(refusal(error, status))
    expect((await login.exchange(form)).status).toBe(200)
  })

  test('refuses bodies that are not a form, are too large, or repeat a parameter', async () => {
    const form = await login.codeFor()
    const json = await login.studio.ask('/oauth/token', { method: 'POST', body: form })
    expect(json).toMatchObject(refusal('invalid_request'))
    expect((await login.exchange(`x=${'y'.repeat(9000)}`)).status).toBe(413)
    expect(await login.exchange(`${new URLSearchParams(form)}&code=again`)).toMatchObject(refusal('invalid_request'))
    expect((await login.exchange(form)).status).toBe(200)
  })

  test.each(UNFIT_VERIFIERS)('refuses a verifier that violates PKCE: %j', async (code_verifier) => {
    const form = await login.codeFor({ code_challenge: challengeOf(code_verifier) })
    expect(await login.exchange({ ...form, code_verifier })).toMatchObject(refusal('invalid_grant'))
  })

  test.each(FIT_VERIFIERS)('accepts a verifier of 43 to 128 characters: %s', async (code_verifier) => {
    const form = await login.codeFor({ code_challenge: challengeOf(code_verifier) })
    expect((await login.exchange({ ...form, code_verifier })).status).toBe(200)
  })

  test('writes neither code, verifier nor token to the log', async () => {
    const { log, text } = keepLog()
    const logged = await openStudio({}, { beside: login.studio, service: { log } })
    const form = await login.codeFor()
    const { json } = await login.exchange(form, logged)
    await logged.close()
    expect(json.access_token).toEqual(expect.any(String))
    expect(text()).toContain('/oauth/token')
    for (const secret of [form.code, form.code_verifier, json.access_token]) expect(text()).not.toContain(secret)
  })
})
