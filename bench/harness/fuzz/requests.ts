import { readdirSync, readFileSync } from 'node:fs'
import { ownRoutes, sharedRoutes } from '../../../src/contract/app/routes.ts'
import { eventStream, type Route, routes } from '../../../src/contract/routes.ts'
import { providers } from '../../../src/intake/providers/index.ts'
import type { Loaded } from '../../../src/world/loaded.ts'
import { BODIES } from '../../../test/support/studios/every-route.ts'
import { below, chance, fitting, mutated, pick, type Random, text, value } from './values.ts'
import { idsOf, signatureFor } from './world.ts'

export interface FuzzRequest {
  /** The route, for the report. */
  name: string
  method: string
  path: string
  headers: Record<string, string>
  body?: string
}

export interface Caller {
  world: Loaded
  cookie: string
}

interface Asked {
  name: string
  method: string
  /** With `:names`. */
  path: string
  query: readonly string[]
  body?: (random: Random) => unknown
  door: 'token' | 'session' | 'none'
}

const PROVIDERS = new URL('../../../src/intake/providers/', import.meta.url)

interface Fixture {
  path: string
  headers: Record<string, string>
  body: unknown
}

const fixtures: Fixture[] = readdirSync(PROVIDERS, { recursive: true, encoding: 'utf8' })
  .filter((name) => /\/fixtures\/[^/]+(?<!\.facts)\.json$/.test(name))
  .map((name) => JSON.parse(readFileSync(new URL(name, PROVIDERS), 'utf8')) as Fixture)

const rest = (table: Partial<Record<string, Route>>, prefix: string, door: Asked['door']): Asked[] =>
  Object.entries(table as Record<string, Route>).map(([name, { method, path, query }]) => ({
    name,
    method,
    path: `${prefix}${path}`,
    query: Object.keys(query),
    door,
    ...(name in BODIES && { body: () => BODIES[name as keyof typeof BODIES] }),
  }))

/** Signing out and resetting would end the slice; they are called without a session. */
const own = Object.entries(ownRoutes as Record<string, Route>).map(
  ([name, { method, path, query, body }]): Asked => ({
    name,
    method,
    path: `/app/api${path}`,
    query: Object.keys(query),
    door: 'session',
    ...(body && { body: (random: Random) => fitting(random, body) }),
  }),
)

const plain = (method: string, path: string, query: string[] = [], body?: (random: Random) => unknown): Asked => ({
  name: path,
  method,
  path,
  query,
  door: 'none',
  ...(body && { body }),
})

const OTHERS: Asked[] = [
  plain('POST', '/api/v1/cli/token_exchange', [], (random) => ({ code: text(random), code_verifier: text(random) })),
  plain('POST', '/oauth/register', [], (random) => ({
    client_name: text(random),
    redirect_uris: [text(random), 'https://a.example/cb'],
  })),
  plain('GET', '/oauth/authorize', [
    'client_id',
    'redirect_uri',
    'response_type',
    'code_challenge',
    'code_challenge_method',
    'state',
    'scope',
    'resource',
  ]),
  plain('POST', '/oauth/token', ['grant_type', 'code']),
  plain('GET', '/.well-known/oauth-authorization-server'),
  plain('POST', '/app/auth/sign-in/email', [], (random) => ({ email: text(random), password: text(random) })),
  plain('POST', '/app/auth/send-verification-email', [], (random) => ({ email: text(random) })),
  plain('GET', '/app/auth/verify-email', ['token', 'callbackURL']),
  plain('POST', '/app/auth/sign-out'),
  plain('GET', '/api/docs'),
  plain('GET', '/api/openapi.json'),
  plain('GET', '/projects/:id'),
  plain('GET', '/cli/auth', ['port', 'state', 'code_challenge', 'request']),
  plain('GET', '/:id'),
  { ...plain('GET', `/api${eventStream.path}`, Object.keys(eventStream.query)), door: 'token' },
  ...['initialize', 'tools/list', 'tools/call', 'resources/list', 'prompts/get', 'ping'].map(
    (method): Asked => ({
      ...plain('POST', '/mcp', [], (random) => ({ jsonrpc: '2.0', id: 1, method, params: paramsOf(random, method) })),
      name: `mcp ${method}`,
      door: 'token',
    }),
  ),
]

const paramsOf = (random: Random, method: string) =>
  method === 'tools/call'
    ? { name: pick(random, ['list_tasks', 'show_build', 'create_task', 'search_log', 'list_events']), arguments: value(random) }
    : method === 'initialize'
      ? { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: text(random), version: '1' } }
      : { name: text(random) }

const ASKED: readonly Asked[] = [
  ...rest(routes, '/api', 'token'),
  ...rest(sharedRoutes, '/app/api', 'session'),
  ...own,
  ...OTHERS,
]
const WEBHOOKS = Object.values(providers).flatMap(({ paths }) => paths)

const WEBHOOK_SHARE = 0.35
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

/** One request of any kind: mostly valid, a little invalid, sometimes nonsense. */
export const requestOf = (random: Random, caller: Caller): FuzzRequest =>
  tricked(random, chance(random, WEBHOOK_SHARE) ? webhookOf(random, caller) : routeOf(random, caller))

function routeOf(random: Random, { world, cookie }: Caller): FuzzRequest {
  const asked = pick(random, ASKED)
  const ids = idsOf(world)
  const path = asked.path.replace(/:(\w+)/g, (_, name: string) =>
    encode(chance(random, 0.8) ? pick(random, ids[name] ?? ids.id!) : text(random)),
  )
  const body = asked.body?.(random)
  const method = chance(random, 0.97) ? asked.method : pick(random, METHODS)
  return {
    name: `${asked.method} ${asked.name}`,
    method,
    path: `${path}${queryOf(random, asked.query, ids)}`,
    headers: {
      ...(asked.door === 'token' && { authorization: `Bearer ${world.tokens.all!.token}` }),
      ...(asked.door !== 'token' && { 'sec-fetch-site': 'same-origin' }),
      ...(asked.door === 'session' && { cookie }),
      accept: 'application/json, text/event-stream',
    },
    ...(body !== undefined && { body: JSON.stringify(chance(random, 0.7) ? mutated(random, body) : body) }),
  }
}

const GOOD = [
  '1',
  '20',
  '50',
  'true',
  'failed',
  'to_do',
  'steam',
  'texture',
  '2026-10-01T00:00:00Z',
  'build_run.*',
  'handle:a',
  'user:1',
]

function queryOf(random: Random, names: readonly string[], ids: Record<string, string[]>): string {
  if (chance(random, 0.4)) return ''
  const pairs = Array.from({ length: 1 + below(random, 3) }, () => {
    const name = names.length > 0 && chance(random, 0.9) ? pick(random, names) : text(random)
    const suffix = chance(random, 0.05) ? pick(random, ['[]', '[x]', '[', ']', '[0][y]']) : ''
    const given = chance(random, 0.5) ? pick(random, Object.hasOwn(ids, name) ? ids[name]! : GOOD) : text(random)
    return `${encode(name)}${suffix}=${encode(given)}`
  })
  return `?${pairs.join('&')}`.slice(0, 7_000)
}

function webhookOf(random: Random, { world }: Caller): FuzzRequest {
  const fixture = pick(random, fixtures)
  const path = chance(random, 0.9) ? fixture.path : pick(random, WEBHOOKS)
  const body = chance(random, 0.95)
    ? mutated(random, chance(random, 0.5) ? mutated(random, fixture.body) : fixture.body)
    : value(random)
  const raw = JSON.stringify(body) ?? ''
  const provider = path.split('/')[0] === 'ci' ? 'jenkins' : path.split('/')[0]!
  const token = chance(random, 0.98) ? (world.integrations[provider]?.webhook_token ?? '') : text(random)
  return {
    name: `webhook ${path}`,
    method: 'POST',
    path: `/webhooks/${path}?token=${encode(String(token))}`,
    headers: {
      ...fixture.headers,
      ...deliveryId(random, fixture),
      'content-type': 'application/json',
      ...signatureFor(path, raw),
    },
    body: raw,
  }
}

/** A repeated delivery would be recognized and cost nothing. */
const deliveryId = (random: Random, { headers }: Fixture) =>
  Object.fromEntries(
    Object.keys(headers)
      .filter((name) => /delivery|webhook-id|request-id/i.test(name))
      .map((name) => [name, String(random())]),
  )

const TYPES = [
  'application/json',
  'application/json; charset=utf-16',
  'application/x-www-form-urlencoded',
  'text/plain',
  'multipart/form-data',
  '',
  'application/merge-patch+json',
]
const HEADERS: [string, string[]][] = [
  ['idempotency-key', ['x', '', 'k'.repeat(2_000), 'ÿ']],
  ['x-forwarded-for', ['1.2.3.4', '::1, x', '%']],
  ['content-encoding', ['gzip', 'identity', 'br']],
  ['accept', ['text/html', '*/*', '', 'application/json;q=0']],
  ['accept-encoding', ['gzip', 'br;q=1', '*']],
  ['range', ['bytes=0-1']],
  ['if-none-match', ['*', '"x"']],
  ['authorization', ['Bearer', 'Bearer \t', 'Basic Og==', 'Bearer ÿ', `Bearer ${'a'.repeat(4_000)}`]],
  ['cookie', ['a=b; c', '__Host-goldmaster.session_token=%', 'x'.repeat(4_000)]],
  ['last-event-id', ['-1', '9'.repeat(30), 'x']],
  ['origin', ['null', 'https://evil.example', 'x']],
  ['mcp-protocol-version', ['2025-06-18', 'x']],
  ['x-github-event', ['push', '', 'ÿ', 'workflow_run']],
]

/** Headers, types and bodies that do not match. */
function tricked(random: Random, request: FuzzRequest): FuzzRequest {
  const { headers } = request
  if (request.body !== undefined && headers['content-type'] === undefined)
    headers['content-type'] = chance(random, 0.95) ? 'application/json' : pick(random, TYPES)
  if (chance(random, 0.1)) {
    const [name, values] = pick(random, HEADERS)
    headers[name] = pick(random, values)
  }
  if (request.body !== undefined && chance(random, 0.03))
    request.body = pick(random, ['{', '', '[', 'nul', '\ufeff{}', request.body.slice(0, -1)])
  if (request.path.startsWith('/oauth/token')) {
    headers['content-type'] = 'application/x-www-form-urlencoded'
    request.body = `grant_type=authorization_code&client_id=${encode(text(random))}&code=${encode(text(random))}&code_verifier=${encode(text(random))}`
  }
  return request
}

/** As bytes of a URL; a lone surrogate cannot be written there. */
const encode = (given: string) =>
  encodeURIComponent(given.toWellFormed())
    .slice(0, 3_000)
    .replace(/%[0-9A-F]?$/, '')
