import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { signIn } from '../../test/support/callers/visitor.ts'
import { type Registered, registeredRoutes } from '../../test/support/registered-routes.ts'
import { openStudio, type Studio } from '../../test/support/studio.ts'
import { appRoutes, tokenRoutes } from '../contract/app/routes.ts'
import type { Route } from '../contract/routes/route.ts'
import { PROVIDERS, SCOPES } from '../contract/sets.ts'
import * as connections from '../domain/sign-in/connections.ts'
import * as scim from '../domain/sign-in/scim.ts'
import { providers } from '../intake/providers/index.ts'
import { cookiesOf } from './auth/session-cookie.ts'

/** Every route that the server answers, with the only credential that opens it. */

const CREDENTIALS = ['API token', 'session', 'webhook token', 'Unreal Game Sync token', 'SCIM token'] as const
type Credential = (typeof CREDENTIALS)[number]

/** A secret that is a part of the path: a link, the key of a badge. */
type Opener = Credential | 'anyone' | 'path'

/** Routes that are not in the tables. A new one is named here. */
const OTHERS: [door: RegExp, opener: Opener][] = [
  [/^POST \/mcp$/, 'API token'],
  [/^GET \/api\/v1\/workspace\/events\/stream$/, 'API token'],
  [/^GET \/api\/v1\/projects\/:project_id\/files\/:id$/, 'API token'],
  [/^GET \/api\/v1\/projects\/:project_id\/artifacts\/(?::id|latest)$/, 'API token'],
  [/^GET \/api\/v1\/projects\/:project_id\/assets\/:asset_id\/versions\/:version\/preview$/, 'API token'],
  [/^GET \/app\/api\/v1\/workspace\/events\/stream$/, 'session'],
  [/^GET \/app\/api\/v1\/projects\/:project_id\/files\/:id$/, 'session'],
  [/^GET \/app\/api\/v1\/projects\/:project_id\/artifacts\/(?::id|latest)$/, 'session'],
  [/^GET \/app\/api\/v1\/projects\/:project_id\/assets\/:asset_id\/versions\/:version\/preview$/, 'session'],
  [/^GET \/app\/api\/v1\/accounts\/:account_id\/exports\/:id\/file$/, 'session'],
  [/^GET \/app\/api\/v1\/batch$/, 'session'],
  [/^POST \/webhooks\/(?:artifacts|people|tests)$/, 'webhook token'],
  [/^POST \/webhooks\/(?:ci|jenkins)(?:\/(?:build_notification|commit_trigger|log))?$/, 'webhook token'],
  [/^POST \/webhooks\/game_engine\/(?:(?:cooking|shaders|packaging)_started|asset_cooked|shaders_completed)$/, 'webhook token'],
  [/^POST \/webhooks\/game_engine\/build_(?:completed|failed)$/, 'webhook token'],
  [
    /^POST \/webhooks\/(?:asana|azure_devops|bitbucket|buildkite|circleci|clickup|deployment|diversion|gitea|github)$/,
    'webhook token',
  ],
  [
    /^POST \/webhooks\/(?:gitlab|horde|jira|linear|lore|monday|perforce|plastic|shortcut|subversion|teamcity|trello|youtrack)$/,
    'webhook token',
  ],
  [/^HEAD \/webhooks\/trello$/, 'webhook token'],
  [/^(?:GET|POST|PUT) \/ugs\/(?::token\/)?api\/\w+(?:\/:id(?:\/\w+)?)?$/, 'Unreal Game Sync token'],
  [/^(?:GET|POST|PUT|PATCH|DELETE) \/scim\/v2\/Users(?:\/:id)?$/, 'SCIM token'],
  [/^GET \/scim\/v2\/ServiceProviderConfig$/, 'SCIM token'],
  [/^GET \/badges\/:key\.svg$/, 'path'],
  [/^GET \/shared\/:token$/, 'path'],
  // A message's link or a provider's answer, with its own secret in the query or the body.
  [/^POST \/unsubscribe$/, 'anyone'],
  [/^GET \/app\/sso\/callback$/, 'anyone'],
  [/^(?:POST|GET) \/app\/auth\/(?:sign-in\/email|sign-out|send-verification-email|verify-email)$/, 'anyone'],
  [/^POST \/api\/v1\/cli\/token_exchange$/, 'anyone'],
  [/^POST \/oauth\/(?:register|revoke|token)$/, 'anyone'],
  [/^GET \/oauth\/authorize$/, 'anyone'],
  [/^GET \/(?:healthz|readyz|metrics)$/, 'anyone'],
  [/^GET \/api\/(?:openapi\.json|docs|docs\.css)$/, 'anyone'],
  [/^GET \/\.well-known\/security\.txt$/, 'anyone'],
  [/^GET \/\.well-known\/oauth-(?:protected-resource|authorization-server)(?:\/mcp)?$/, 'anyone'],
  [/^GET \/goldmaster(?:-run)?\.mjs(?:\.sha256)?$/, 'anyone'],
  [/^GET \/webhooks\/\w+\/verify$/, 'anyone'],
]

/** The web app, which is the same for everybody. */
const PAGE =
  /^GET \/(?:\*|settings(?:\/?\*)?|feed|inbox|sign-in|sign-up|welcome|verify|reset|unsubscribe|cli\/auth|oauth\/refused|assets\/[\w.-]+|[\w-]+\.(?:svg|png|webmanifest|txt))?$/
const WILDCARD_PAGE = /^GET \/(?:invitations|projects|settings)\/?\*$/

const inTable = (prefix: string, table: Record<string, Route>, opener: Credential): [string, Opener][] =>
  Object.values(table).map((route) => [`${route.method} ${prefix}${route.path}`, route.role === 'anyone' ? 'anyone' : opener])
const TABLES = new Map([...inTable('/api', tokenRoutes, 'API token'), ...inTable('/app/api', appRoutes, 'session')])

const nameOf = ({ method, url }: Registered) => `${method} ${url}`
const isPage = (name: string) => PAGE.test(name) || WILDCARD_PAGE.test(name)
const openerOf = (name: string): Opener | undefined =>
  TABLES.get(name) ?? OTHERS.find(([door]) => door.test(name))?.[1] ?? (isPage(name) ? 'anyone' : undefined)

const PASSWORD = 'a long enough password'
let studio: Studio
let doors: (Registered & { opener: Opener | undefined })[]
const secrets = {} as Record<Credential, string>
beforeAll(async () => {
  const world = {
    accounts: [{ key: 'owl', name: 'Night Owl' }],
    users: [{ key: 'kim', email: 'kim@example.com', name: 'Kim', password: PASSWORD, accounts: { owl: 'owner' } }],
    projects: [{ key: 'star', account: 'owl', name: 'Starfall' }],
    tokens: [{ key: 'all', user: 'kim', name: 'all', scopes: SCOPES }],
    integrations: PROVIDERS.map((provider) => ({ key: provider, project: 'star', provider })),
  }
  studio = await openStudio(world, { service: { securityContact: 'mailto:security@gold.example' } })
  doors = (await registeredRoutes(studio)).map((door) => ({ ...door, opener: openerOf(nameOf(door)) }))
  const kim = await signIn(studio, 'kim@example.com', PASSWORD)
  const account = studio.world.accounts.owl!.id as number
  await connections.set(studio.db, studio.service.vault, account, {
    issuer: 'https://id.example',
    client_id: 'goldmaster',
    client_secret: 'secret',
    trusts_email: false,
    groups_claim: 'groups',
    role_groups: [],
    default_role: 'member',
    domains: ['owl.example'],
    required: false,
  })
  const made = await kim.app(`/projects/${studio.world.projects.star!.id}/ugs_tokens`, {
    method: 'POST',
    body: { name: 'Everybody' },
  })
  Object.assign(secrets, {
    'API token': studio.world.tokens.all!.token,
    session: decodeURIComponent(kim.cookie.slice(kim.cookie.indexOf('=') + 1)),
    'webhook token': studio.world.integrations.jenkins!.webhook_token,
    'Unreal Game Sync token': made.json.token,
    'SCIM token': await scim.makeToken(studio.db, account),
  })
})
afterAll(() => studio.close())

test('every route that the server answers is in a table or named here, with what opens it', () => {
  expect(doors.length).toBeGreaterThan(400)
  expect(doors.filter(({ opener }) => opener === undefined).map(nameOf)).toEqual([])
})

test('every route of the tables and every other one named here is answered', () => {
  const served = doors.map(nameOf)
  expect([...TABLES.keys()].filter((name) => !served.includes(name))).toEqual([])
  expect(OTHERS.filter(([door]) => !served.some((name) => door.test(name))).map(([door]) => String(door))).toEqual([])
  const paths = Object.values(providers).flatMap((provider) => [...provider.paths, ...(provider.logPaths ?? [])])
  expect(paths.filter((path) => !served.includes(`POST /webhooks/${path}`))).toEqual([])
})

/** The request with a secret wherever the door looks for its own; without one, none is sent. */
function knock({ method, url, opener }: (typeof doors)[number], secret: string | undefined) {
  const path = url
    .replace(':project_id', String(studio.world.projects.star!.id))
    .replace(':account_id', String(studio.world.accounts.owl!.id))
    .replace(/:(?:token|key)\b/, encodeURIComponent(secret ?? 'x'))
    .replace(/:\w+/g, '1')
  const query = secret !== undefined && opener === 'webhook token' ? `?token=${encodeURIComponent(secret)}` : ''
  return studio.ask(`${path}${query}`, {
    method,
    ...(method === 'GET' || method === 'HEAD' ? {} : { body: {} }),
    headers: {
      'sec-fetch-site': 'same-origin',
      ...(secret !== undefined && headersWith(opener, secret)),
    },
  })
}

function headersWith(opener: Opener | undefined, secret: string): Record<string, string> {
  const cookie = `${cookiesOf(studio.service.site, '').name}=${encodeURIComponent(secret)}`
  if (opener === 'session') return { cookie, authorization: `Bearer ${secret}` }
  if (opener === 'webhook token') return { 'x-webhook-token': secret, 'x-service-token': secret, cookie }
  if (opener === 'Unreal Game Sync token')
    return { authorization: `Basic ${Buffer.from(`kim:${secret}`).toString('base64')}`, cookie }
  return { authorization: `Bearer ${secret}`, cookie }
}

const guarded = () => doors.filter(({ opener }) => opener !== 'anyone')
/** A secret of the right form that belongs to nobody here is as unknown as any other. */
const REFUSED: Record<Opener, number[]> = {
  anyone: [],
  'API token': [401],
  session: [401],
  'webhook token': [401, 404],
  'Unreal Game Sync token': [401, 404],
  'SCIM token': [401],
  path: [404],
}

describe('every guarded route', () => {
  test('refuses a caller without a credential', async () => {
    const open: string[] = []
    for (const door of guarded()) {
      const { status } = await knock(door, undefined)
      if (!REFUSED[door.opener!].includes(status)) open.push(`${nameOf(door)}: ${status}`)
    }
    expect(open).toEqual([])
  })

  test.each(CREDENTIALS)('is not opened by a valid %s unless that is its own', async (credential) => {
    const open: string[] = []
    for (const door of guarded().filter(({ opener }) => opener !== credential)) {
      const { status } = await knock(door, secrets[credential])
      if (!REFUSED[door.opener!].includes(status)) open.push(`${nameOf(door)}: ${status}`)
    }
    expect(open).toEqual([])
  })

  test.each([
    ['API token', 'GET /api/v1/projects'],
    ['session', 'GET /app/api/v1/projects'],
    ['webhook token', 'POST /webhooks/jenkins'],
    ['Unreal Game Sync token', 'GET /ugs/:token/api/latest'],
    ['SCIM token', 'GET /scim/v2/Users'],
  ] as const)('the %s that is refused elsewhere opens %s', async (credential, name) => {
    const { status } = await knock(doors.find((door) => nameOf(door) === name)!, secrets[credential])
    expect(REFUSED[credential]).not.toContain(status)
  })
})
