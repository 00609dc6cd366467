import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { get } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { CommandLine } from '../../../test/support/callers/command-line.ts'
import { type LocalServer, openLocalServer } from '../../../test/support/servers/local-server.ts'
import { testWith } from '../../../test/support/skippable.ts'
import { LOGIN_SCOPES } from '../../contract/sets.ts'

const TOKEN = 'kR3vZ0pYx7QwErTyUiOpAsDfGhJkLzXcVbNm12345'
/** Far from the boundary of "in 3 mo", so that neither a fast nor a slow machine prints another number. */
const EXPIRES = new Date(Date.now() + 100 * 86_400_000).toISOString()

/** A service that grants what the test sets, with the rules of the login: the verifier must match, a code works once. */
let granted: readonly string[] | undefined
let exchanged: Record<string, string> | undefined
let asked: URLSearchParams | undefined
let site: string
let server: LocalServer
let line: CommandLine

const answer = async (path: string, body: string): Promise<[number, object]> => {
  const token = {
    name: 'Goldmaster CLI',
    prefix: TOKEN.slice(0, 8),
    scopes: granted ?? asked!.get('scope')!.split(' '),
    expires_at: EXPIRES,
  }
  if (path === '/api/v1/ping') return [200, { ok: true, user_id: 5, account_id: 2, token }]
  exchanged = JSON.parse(body)
  const { code, code_verifier } = exchanged!
  const fits = createHash('sha256').update(code_verifier!).digest('base64url') === asked!.get('code_challenge')
  if (code !== 'the-code' || !fits) return [422, { error: 'invalid_grant', message: 'The code is unknown.' }]
  return [201, { token: TOKEN, token_type: 'Bearer', scopes: token.scopes, created_at: EXPIRES, expires_at: EXPIRES }]
}

beforeAll(async () => {
  server = await openLocalServer(async (request, response) => {
    const [status, body] = await answer(request.url!, await text(request))
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  })
  site = server.url
})
beforeEach(async () => {
  granted = exchanged = asked = undefined
  line = new CommandLine()
})
afterEach(() => line.close())
afterAll(() => server?.close())

/** Signs in like a browser, which is redirected with the service's response. */
const login = (
  args: string[],
  back: (state: string) => string[] = (state) => [`code=the-code&state=${state}`],
  env = {},
  before: (port: number) => Promise<unknown> = async () => {},
) => {
  let visited: Promise<unknown> | undefined
  const pages: { status: number; text: string }[] = []
  const visit = async (url: URL) => {
    asked = url.searchParams
    await before(Number(asked.get('port')))
    for (const query of back(asked.get('state')!)) {
      const response = await fetch(`http://127.0.0.1:${asked.get('port')}/callback?${query}`)
      pages.push({ status: response.status, text: await response.text() })
    }
  }
  const ended = line.run(['login', '--host', site, ...args], {
    env,
    watch(written) {
      const found = /^ {2}(http\S+)\n/m.exec(written)
      if (found) visited ??= visit(new URL(found[1]!)).catch(() => {})
    },
  })
  return ended.then(async (result) => {
    await visited
    return { ...result, pages }
  })
}
/** `fetch` sends no path that is not one of a URL. */
const statusOf = (port: number, path: string) =>
  new Promise<number>((done, failed) => {
    get({ host: '127.0.0.1', port, path }, (response) => done(response.resume().statusCode!)).on('error', failed)
  })
const kept = () => join(line.home, 'config/goldmaster/hosts.json')

test('login requests all ten scopes with PKCE, waits for the browser, and stores the token with its expiry', async () => {
  const { code, err, pages } = await login(['--no-browser'])
  expect(err).toContain('as user 5')
  expect(code).toBe(0)
  expect(err).toContain(EXPIRES)
  expect(err).toMatch(/in 3 mo/)
  expect(Object.fromEntries(asked!)).toMatchObject({
    code_challenge_method: 'S256',
    client_name: 'Goldmaster CLI',
    scope: LOGIN_SCOPES.join(' '),
  })
  expect(asked!.get('code_challenge')).toMatch(/^[\w-]{43}$/)
  expect(exchanged).toMatchObject({ code: 'the-code', device_name: expect.any(String) })
  expect(pages).toMatchObject([{ status: 200, text: expect.stringContaining('You are signed in') }])
  expect(JSON.parse(readFileSync(kept(), 'utf8')).hosts[site]).toEqual({
    token: TOKEN,
    scopes: LOGIN_SCOPES,
    expires_at: EXPIRES,
  })
  expect((await line.run(['whoami', '--pick', 'token.expires_at'])).out).toBe(`${EXPIRES}\n`)
})

test('login opens the available browser, and prints the URL anyway', async () => {
  const { code, err } = await login([], undefined, { BROWSER: '/bin/true' })
  expect(code).toBe(0)
  expect(err).toContain('Opening your browser')
  const without = await login([], undefined, { BROWSER: '/no/such/browser' })
  expect(without.err).toContain('go to this URL')
  expect(without.code).toBe(0)
})

test('login requests fewer scopes on request', async () => {
  expect((await login(['--no-browser', '--scope', 'ping,read:builds'])).code).toBe(0)
  expect(asked!.get('scope')).toBe('ping read:builds')
  expect((await line.run(['login', '--host', site, '--scope', 'read:members'])).code).toBe(2)
})

test('login refuses a grant that is wider than requested, and stores nothing', async () => {
  granted = ['ping', 'read:builds', 'write:tasks']
  const { code, err } = await login(['--no-browser', '--scope', 'ping,read:builds'])
  expect(code).toBe(1)
  expect(err).toContain('granted scopes that were not requested (write:tasks)')
  expect(existsSync(kept())).toBe(false)
})

test('login refuses requests with a wrong state, and continues to wait', async () => {
  const { code, pages } = await login(['--no-browser'], (state) => [
    'code=stolen&state=guessed',
    'code=x',
    `code=the-code&state=${state}`,
  ])
  expect(code).toBe(0)
  expect(pages.map(({ status }) => status)).toEqual([400, 400, 200])
})

test('login answers a path without a URL with 404, and continues to wait', async () => {
  const paths: number[] = []
  const { code, pages } = await login(
    ['--no-browser'],
    (state) => [`code=the-code&state=${state}`],
    {},
    async (port) => {
      for (const path of ['//', '/callback/']) paths.push(await statusOf(port, path))
    },
  )
  expect(code).toBe(0)
  expect([paths, pages.map(({ status }) => status)]).toEqual([[404, 404], [200]])
})

test('login reports that it was denied, or that the code is invalid', async () => {
  const denied = await login(['--no-browser'], (state) => [`error=access_denied&state=${state}`])
  expect(denied).toMatchObject({ code: 1, err: expect.stringContaining('denied in the browser') })
  const wrong = await login(['--no-browser'], (state) => [`code=another&state=${state}`])
  expect(wrong).toMatchObject({ code: 1, err: expect.stringContaining('rejected the login: The code is unknown.') })
  expect(existsSync(kept())).toBe(false)
})

test('login keeps several hosts apart', async () => {
  await login(['--no-browser'])
  const other = site.replace('127.0.0.1', 'localhost')
  expect(await line.run(['whoami', '--host', other])).toMatchObject({ code: 4 })
  expect((await line.run(['login', '--token', '--host', other], { input: TOKEN })).code).toBe(0)
  expect(Object.keys(JSON.parse(readFileSync(kept(), 'utf8')).hosts)).toEqual([site, other])
  expect((await line.run(['logout', '--host', other])).code).toBe(0)
  expect((await line.run(['whoami'])).out).toContain(site)
})

testWith('script')('without a browser the URL of one elsewhere can be pasted, and that of another login is refused', async () => {
  const paste = (back: (state: string) => string) =>
    new Promise<Awaited<ReturnType<CommandLine['terminal']>>>((resolve, reject) => {
      let typed = false
      const ended = line.terminal(['login', '--no-browser', '--host', site], {
        watch(written, _end, type) {
          const found = /^ {2}(http\S+)/m.exec(written)
          if (!found || typed || !written.includes('Address: ')) return
          typed = true
          asked = new URL(found[1]!).searchParams
          type(`http://127.0.0.1:${asked.get('port')}/callback?${back(asked.get('state')!)}\n`)
        },
      })
      ended.then(resolve, reject)
    })
  const wrong = await paste(() => 'code=the-code&state=other')
  expect(wrong).toMatchObject({ code: 1, out: expect.stringContaining('another login') })
  expect(existsSync(kept())).toBe(false)
  const { code, out } = await paste((state) => `code=the-code&state=${state}`)
  expect(out).toContain('as user 5')
  expect(code).toBe(0)
})
