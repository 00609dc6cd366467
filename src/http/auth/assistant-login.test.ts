import { auth as laterAuth } from '@modelcontextprotocol/client'
import { auth, type OAuthClientProvider, UnauthorizedError } from '@modelcontextprotocol/sdk/client/auth.js'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { BACK, type Login, openLogin, pkce } from '../../../test/support/callers/assistant-login.ts'
import { openStudio } from '../../../test/support/studio.ts'
import { LOGIN_SCOPES } from '../../contract/sets.ts'
import { sql } from '../../db/database.ts'
import * as assistants from '../../domain/access/assistants.ts'

let login: Login
beforeAll(async () => {
  login = await openLogin()
})
afterAll(() => login.studio.close())

const refusal = (error: string) => ({ status: 400, json: { error, error_description: expect.any(String) } })

/** An assistant built with the SDK, with its own storage. */
class Memory implements OAuthClientProvider {
  redirectUrl = 'http://localhost:51515/callback'
  clientMetadata = { client_name: 'SDK assistant', redirect_uris: [this.redirectUrl], scope: LOGIN_SCOPES.join(' ') }
  kept: Record<string, never> = {}
  sentTo: URL | undefined
  state = () => 'a state of its own'
  clientInformation = () => this.kept.client
  saveClientInformation = (client: unknown) => void Object.assign(this.kept, { client })
  tokens = () => this.kept.tokens
  saveTokens = (tokens: unknown) => void Object.assign(this.kept, { tokens })
  saveCodeVerifier = (verifier: string) => void Object.assign(this.kept, { verifier })
  codeVerifier = () => this.kept.verifier!
  discoveryState = () => this.kept.discovery
  saveDiscoveryState = (discovery: unknown) => void Object.assign(this.kept, { discovery })
  redirectToAuthorization = (url: URL) => {
    this.sentTo = url
  }
}

describe("the SDK's client", () => {
  test('discovers the endpoints, is authorized by a person, and calls a tool', async () => {
    const provider = new Memory()
    const url = new URL(`${login.site}/mcp`)
    const first = new StreamableHTTPClientTransport(url, { authProvider: provider })
    await expect(new Client({ name: 'test', version: '1' }).connect(first)).rejects.toThrow(UnauthorizedError)
    expect(provider.sentTo!.href).toMatch(new RegExp(`^${login.site}/oauth/authorize\\?`))
    expect(provider.sentTo!.searchParams.get('resource')).toBe(`${login.site}/mcp`)
    const back = await login.consent(provider.sentTo!.searchParams)
    expect(back.href.startsWith(provider.redirectUrl)).toBe(true)
    expect(Object.fromEntries(back.searchParams)).toMatchObject({ state: 'a state of its own', iss: login.site })
    await first.finishAuth(back.searchParams.get('code')!)

    const client = new Client({ name: 'test', version: '1' })
    await client.connect(new StreamableHTTPClientTransport(url, { authProvider: provider }))
    const { structuredContent } = await client.callTool({ name: 'list_projects', arguments: {} })
    expect(structuredContent).toMatchObject({ projects: [{ name: 'Starfall' }] })
    expect((await client.listTools()).tools.map(({ name }) => name)).not.toContain('list_members')
    await client.close()
  })

  test("gets a token like the CLI's: 90 days, all scopes but read:members, an email, its method recorded", async () => {
    const provider = new Memory()
    expect(await auth(provider, { serverUrl: `${login.site}/mcp` })).toBe('REDIRECT')
    const back = await login.consent(provider.sentTo!.searchParams)
    expect(await auth(provider, { serverUrl: `${login.site}/mcp`, authorizationCode: back.searchParams.get('code')! })).toBe(
      'AUTHORIZED',
    )
    const { access_token, token_type, expires_in, scope } = provider.tokens() as never as Record<string, string>
    expect([token_type, expires_in, scope]).toEqual(['Bearer', 90 * 86_400, LOGIN_SCOPES.join(' ')])
    const { json } = await login.lead.app('/me/tokens')
    const [token] = json.tokens
    expect(token).toMatchObject({
      name: 'SDK assistant',
      prefix: access_token!.slice(0, 8),
      created_via: 'mcp',
      scopes: LOGIN_SCOPES,
    })
    const days = (Date.parse(token.expires_at) - Date.parse(token.created_at)) / 86_400_000
    expect(Math.round(days)).toBe(90)
    const mails = await login.studio.db.rows<{ text: string; to_user_id: number }>(
      sql`select text, to_user_id from mails where text like ${`%${access_token!.slice(0, 8)}%`}`,
    )
    expect(mails).toMatchObject([
      { to_user_id: login.studio.world.users.lead!.id, text: expect.stringContaining('by an assistant') },
    ])
    expect(mails[0]!.text).toContain('SDK assistant')
    expect(mails[0]!.text).not.toContain(access_token)
  })

  test.each([
    ['first', auth],
    ['second', laterAuth as unknown as typeof auth],
  ])('of version %s refreshes its login automatically', async (_, auth) => {
    const provider = new Memory()
    const serverUrl = `${login.site}/mcp`
    await auth(provider, { serverUrl })
    const back = await login.consent(provider.sentTo!.searchParams)
    const [authorizationCode, iss] = [back.searchParams.get('code')!, back.searchParams.get('iss')!]
    expect(await auth(provider, { serverUrl, authorizationCode, ...{ iss } })).toBe('AUTHORIZED')
    const first = provider.tokens() as never as Record<string, string>
    expect(await auth(provider, { serverUrl })).toBe('AUTHORIZED')
    const second = provider.tokens() as never as Record<string, string>
    expect(second.access_token).not.toBe(first.access_token)
    expect((await login.studio.ask('/api/v1/ping', { token: second.access_token! })).status).toBe(200)
  })

  test('gets an error when the person refuses', async () => {
    const provider = new Memory()
    await auth(provider, { serverUrl: `${login.site}/mcp` })
    const back = await login.consent(provider.sentTo!.searchParams, false)
    expect(Object.fromEntries(back.searchParams)).toEqual({
      error: 'access_denied',
      state: 'a state of its own',
      iss: login.site,
    })
  })
})

describe('the documents', () => {
  test.each(['/.well-known/oauth-authorization-server', '/.well-known/oauth-authorization-server/mcp'])(
    '%s lists existing endpoints, only S256 and only public clients',
    async (path) => {
      const { status, json } = await login.studio.ask(path)
      expect(status).toBe(200)
      expect(json).toMatchObject({
        issuer: login.site,
        response_types_supported: ['code'],
        grant_types_supported: ['authorization_code', 'refresh_token'],
        code_challenge_methods_supported: ['S256'],
        token_endpoint_auth_methods_supported: ['none'],
        scopes_supported: LOGIN_SCOPES,
      })
      for (const name of ['authorization_endpoint', 'token_endpoint', 'registration_endpoint', 'revocation_endpoint'])
        expect((await login.studio.ask(new URL(json[name]).pathname)).status, name).not.toBe(404)
    },
  )
})

describe('registering', () => {
  test.each([
    ['cursor://anysphere.cursor-mcp/oauth/callback', 'cursor:'],
    ['vscode://publisher.extension/callback', 'vscode:'],
    ['com.example.app:/oauth/callback', 'com.example.app:'],
    ['com.example.app://callback', 'com.example.app:'],
  ])('accepts %s: a program of the person, which alone can exchange its code', async (redirect_uri, host) => {
    const client_id = await login.idOf({ redirect_uris: [redirect_uri, BACK, 'https://app.example/callback'] })
    const { location } = await login.authorize(await login.wishes({ client_id, redirect_uri }))
    const shown = await login.lead.app(`/assistants/authorizations${location!.search}`)
    expect(shown.json.host).toBe(host)
    const form = await login.codeFor({ client_id, redirect_uri })
    expect((await login.exchange({ ...form, code_verifier: pkce().code_verifier })).json.error).toBe('invalid_grant')
    expect((await login.exchange(await login.codeFor({ client_id, redirect_uri }))).status).toBe(200)
    const back = await login.consent(await login.wishes({ client_id, redirect_uri }))
    expect(back.href.startsWith(`${redirect_uri}?code=`)).toBe(true)
    for (const other of [`${redirect_uri}/more`, redirect_uri.replace(/^[a-z.]+/, 'com.evil.app')])
      expect((await login.authorize(await login.wishes({ client_id, redirect_uri: other }))).status).toBe(400)
  })

  test('returns what was granted, whatever was requested, and needs no secret', async () => {
    const wish = { token_endpoint_auth_method: 'client_secret_basic', grant_types: ['authorization_code', 'implicit'] }
    const { status, json } = await login.register({ ...wish, logo_uri: 'https://evil.example/x.svg' })
    expect(status).toBe(201)
    expect(json).toEqual({
      client_id: expect.stringMatching(/^[\w-]{43}$/),
      client_id_issued_at: expect.any(Number),
      client_name: 'Helpful',
      redirect_uris: [BACK],
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
    })
  })

  test.each([
    'javascript:alert(1)',
    'javascript://anysphere.cursor-mcp/%0aalert(1)',
    'data:text/html,hello',
    'data://anysphere.cursor-mcp/callback',
    'vbscript:msgbox(1)',
    'blob:https://app.example/1',
    'file:///etc/passwd',
    'file://app.example.com/callback',
    'about:blank',
    'mailto:kim@example.com',
    'ms-msdt:/id',
    'x-apple.systempreferences:/security',
    'intent://app.example/callback',
    'ws://app.example/callback',
    'ftp://app.example/callback',
    'view-source:https://app.example/',
    'name://publisher.extension/callback',
    'cursor://callback',
    'cursor:/anysphere.cursor-mcp/callback',
    'vscode://file/etc/passwd',
    'vscode://vscode-remote/ssh-remote+evil.example/home',
    'vscode:extension/evil.extension',
    'vscode://vscode.git/clone?url=https://evil.example/',
    'cursor://anysphere.cursor-deeplink/mcp/install?name=evil',
    'cursor://anysphere.cursor-mcp/oauth/callback#here',
    'cursor://kim:secret@anysphere.cursor-mcp/oauth/callback',
    'com.example.app:callback',
    'com.example.app:/callback?next=evil',
    'com.:/callback',
    'http://evil.example/callback',
    'http://127.0.0.1.evil.example/callback',
    'http://localhost@evil.example/',
    'https://user:secret@app.example/callback',
    'https://app.example/callback#here',
    'https://app.example/call\tback',
    'https://app.example/\\evil',
    ' https://app.example/',
    '//app.example/callback',
    '/callback',
    'https://',
    `https://app.example/${'x'.repeat(500)}`,
    '',
    7,
    null,
  ])('refuses to redirect a browser to %j', async (uri) => {
    const before = await login.studio.db.rows(sql`select from oauth_clients`)
    expect(await login.register({ redirect_uris: [BACK, uri] })).toMatchObject(refusal('invalid_redirect_uri'))
    expect(await login.studio.db.rows(sql`select from oauth_clients`)).toHaveLength(before.length)
  })

  test.each([
    ['no addresses', { redirect_uris: [] }, 'invalid_redirect_uri'],
    ['addresses that are not a list', { redirect_uris: BACK }, 'invalid_redirect_uri'],
    ['too many', { redirect_uris: Array.from({ length: 11 }, (_, i) => `${BACK}${i}`) }, 'invalid_redirect_uri'],
    ['an invalid name', { client_name: { a: 1 } }, 'invalid_client_metadata'],
    ['another grant type', { grant_types: ['client_credentials'] }, 'invalid_client_metadata'],
  ])('refuses %s', async (_, more, error) => {
    expect(await login.register(more)).toMatchObject(refusal(error))
  })

  test('refuses bodies that are too large or not JSON', async () => {
    expect((await login.register({ client_name: 'x'.repeat(9000) })).status).toBe(413)
    const raw = (text: string) => login.studio.ask('/oauth/register', { method: 'POST', raw: text })
    for (const text of ['{', '[]', 'null', '7', '"x"']) expect((await raw(text)).status).toBe(400)
  })

  test('stores the same assistant once, on whatever port it listens', async () => {
    const ids = await Promise.all(
      [40_001, 40_002, 40_003].map((port) => login.idOf({ redirect_uris: [`http://localhost:${port}/cb`] })),
    )
    expect(new Set(ids).size).toBe(1)
    expect(await login.idOf({ client_name: 'Another', redirect_uris: ['http://localhost:40001/cb'] })).not.toBe(ids[0])
  })

  test('is rate-limited per address', async () => {
    const slow = await openStudio({}, { beside: login.studio, rates: { signIns: { points: 2, seconds: 60 } } })
    const answers = [await login.register({}, slow), await login.register({}, slow), await login.register({}, slow)]
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 429])
    await slow.close()
  })

  test('does not fill the database: the oldest unused clients are removed, and all unused ones after a week', async () => {
    const used = await login.codeFor({ client_id: await login.idOf({ client_name: 'Let in' }) })
    await login.studio.db.execute(sql`
      insert into oauth_clients (id, name, redirect_uris, registered_at)
      select 'flood ' || n, 'Flood', '{}', now() - make_interval(secs => n) from generate_series(1, 10050) n`)
    const fresh = await login.idOf({ client_name: 'Fresh' })
    const unused = await login.studio.db.rows<{ id: string }>(sql`select id from oauth_clients where used_at is null`)
    expect(unused).toHaveLength(10_000)
    expect(unused.map(({ id }) => id)).toContain(fresh)
    expect(unused.map(({ id }) => id)).not.toContain('flood 10050')
    await login.studio.db.execute(sql`update oauth_clients set registered_at = now() - interval '8 days'`)
    await assistants.purge(login.studio.db)
    expect(await login.studio.db.rows(sql`select id from oauth_clients where used_at is null`)).toEqual([])
    expect(await assistants.find(login.studio.db, used.client_id)).toMatchObject({ name: 'Let in' })
  })
})
