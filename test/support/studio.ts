import { Readable } from 'node:stream'
import { pino } from 'pino'
import { Value } from 'typebox/value'
import { type Client, createClient } from '../../src/contract/client.ts'
import { type Route, routes } from '../../src/contract/routes.ts'
import { Cursors } from '../../src/db/page.ts'
import { LastUsed } from '../../src/domain/access/tokens.ts'
import type { Quotas } from '../../src/domain/accounts/quotas.ts'
import { RETENTION_DEFAULTS } from '../../src/domain/accounts/retention-days.ts'
import { Rollups } from '../../src/domain/feed/rollups.ts'
import { IntakeQuota } from '../../src/domain/integrations/intake-usage.ts'
import { RefusedRequests } from '../../src/domain/operations/refused-requests.ts'
import { keyFor, Vault } from '../../src/domain/privacy/secrets.ts'
import { AccountShare } from '../../src/http/limits/account-share.ts'
import { openLimits, type Rates } from '../../src/http/limits/limits.ts'
import { TokenStreams } from '../../src/http/limits/token-streams.ts'
import { buildServer } from '../../src/http/server.ts'
import type { Service } from '../../src/http/service.ts'
import type { Loaded } from '../../src/world/loaded.ts'
import { loadWorld } from '../../src/world/world.ts'
import { beginBeyond32Bits, createDatabase, type TestDatabase } from './database.ts'
import { nightOwl } from './studios/night-owl.ts'
import { addTests } from './studios/night-owl-tests.ts'

const SECRET = 'a secret that only tests know, 32 or more'
/** The default quotas in tests. */
export const UNLIMITED: Quotas = {
  stored_bytes: null,
  deliveries: null,
  webhooks: null,
  streams: null,
  integrations: null,
  invitations: null,
  file_bytes: null,
}
const OFF: Rates = { requests: null, taskWrites: null, comments: null, webhooks: null, ugs: null, signIns: null }

export interface Answer {
  status: number
  headers: Headers
  text: string
  // biome-ignore lint/suspicious/noExplicitAny: tests read replies of every shape
  json: any
}

export interface Asking {
  token?: string | null
  method?: string
  body?: unknown
  /** Sent unchanged, instead of `body`. */
  raw?: string | Buffer<ArrayBuffer>
  headers?: Record<string, string>
}

/** A running service over a real database with a world in it. */
export interface Studio extends TestDatabase {
  site: string
  service: Service
  world: Loaded
  load(world: object): Promise<Loaded>
  client(token: string): Client
  /** One request; every successful reply is checked against its shape, without extra fields. */
  ask(path: string, asking?: Asking): Promise<Answer>
  close(): Promise<void>
}

export interface StudioSettings {
  rates?: Partial<Rates>
  redisUrl?: string
  /** How long a request waits for Redis; the service's default unless given. */
  redisTimeout?: number
  /** Parts of the service that a test replaces: a log it reads, an unreachable database. */
  service?: Partial<Service>
  /** The port to listen on, if the URL must be known before. */
  port?: number
  /** Changes, builds, investigations and tasks get ids of more than 32 bits. */
  wideIds?: boolean
  /** Shares another studio's database: a second node. */
  beside?: TestDatabase
}

export async function openStudio(world: object = {}, settings: StudioSettings = {}): Promise<Studio> {
  const { rates = {}, redisUrl, redisTimeout, beside, port = 0 } = settings
  const own = beside ?? (await createDatabase())
  if (settings.wideIds) await beginBeyond32Bits(own.db)
  const log = settings.service?.log ?? pino({ level: process.env.TEST_LOG ?? 'silent' })
  const vault = settings.service?.vault ?? new Vault(SECRET)
  const db = settings.service?.db ?? own.db
  const service: Service = {
    db,
    intake: db,
    connections: { statements: db.pool },
    site: 'https://gold.example',
    cursors: new Cursors(keyFor(SECRET, 'cursors')),
    vault,
    limits: openLimits({ ...OFF, ...rates }, redisUrl, log, redisTimeout),
    refusedRequests: new RefusedRequests(),
    share: new AccountShare(100),
    tokenStreams: new TokenStreams(10),
    lastUsed: new LastUsed(),
    rollups: new Rollups(),
    intakeQuota: new IntakeQuota(UNLIMITED, 30),
    quotas: UNLIMITED,
    log,
    cookieKey: 'cookies are signed with this in tests',
    signUp: undefined,
    setUpToken: 'the-set-up-token-of-tests',
    sessionSeconds: 14 * 86_400,
    breachedPasswords: 'builtin',
    metering: false,
    mailing: false,
    retention: RETENTION_DEFAULTS,
    allowedHosts: () => false,
    trustProxy: [],
    corsOrigins: [],
    ...settings.service,
  }
  const app = await buildServer(service)
  const site = await app.listen({ host: '127.0.0.1', port })
  const load = (more: object) => loadWorld(own.db, Readable.from([Buffer.from(JSON.stringify(more))]), { vault })
  const loaded = await load(world)
  const tests = 'tasks' in world && world.tasks === nightOwl.tasks ? { tests: await addTests(own.db, loaded) } : {}
  return {
    ...own,
    site,
    service,
    world: { ...loaded, ...tests },
    load,
    client: (token) => createClient({ site, token, fetch: checkedFetch }),
    ask: (path, asking) => ask(site, path, asking),
    async close() {
      await app.close()
      service.limits.close()
      if (!beside) await own.drop()
    },
  }
}

async function ask(site: string, path: string, { token, method = 'GET', body, raw, headers = {} }: Asking = {}): Promise<Answer> {
  const response = await checkedFetch(`${site}${path}`, {
    method,
    headers: {
      ...(token == null ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined && raw === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(raw !== undefined ? { body: raw } : body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  return { status: response.status, headers: response.headers, text, json: jsonOrUndefined(text) }
}

const jsonOrUndefined = (text: string) => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const shapes = Object.values(routes as Record<string, Route>).map((route) => ({
  route,
  path: new RegExp(`^/api${route.path.replace(/:\w+/g, '[^/]+')}$`),
}))

const checkedFetch: typeof fetch = async (input, init) => {
  const response = await fetch(input, init)
  const url = new URL(String(input))
  const found = shapes.find(({ route, path }) => route.method === (init?.method ?? 'GET') && path.test(url.pathname))
  if (found && response.ok && !found.route.produces) {
    const wrong = Value.Errors(found.route.reply, await response.clone().json())
    if (wrong.length > 0) throw new Error(`${url.pathname} answers outside its shape: ${JSON.stringify(wrong.slice(0, 3))}`)
  }
  return response
}
