import { appRoutes, tokenRoutes } from '../../../src/contract/app/routes.ts'
import type { Route } from '../../../src/contract/routes/route.ts'
import * as connections from '../../../src/domain/sign-in/connections.ts'
import * as scim from '../../../src/domain/sign-in/scim.ts'
import { cookiesOf } from '../../../src/http/auth/session-cookie.ts'
import { type Registered, registeredRoutes } from '../registered-routes.ts'
import type { Studio } from '../studio.ts'
import { signIn } from './visitor.ts'

/** Every route that the server answers, with the only credential that opens it. */

export const CREDENTIALS = ['API token', 'session', 'webhook token', 'Unreal Game Sync token', 'SCIM token'] as const
export type Credential = (typeof CREDENTIALS)[number]

/** A secret that is a part of the path: a link, the key of a badge. */
export type Opener = Credential | 'anyone' | 'path'

/** Routes that are not in the tables. A new one is named here. */
export const OTHERS: [door: RegExp, opener: Opener][] = [
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
export const TABLES = new Map([...inTable('/api', tokenRoutes, 'API token'), ...inTable('/app/api', appRoutes, 'session')])

export const nameOf = ({ method, url }: Registered) => `${method} ${url}`
const isPage = (name: string) => PAGE.test(name) || WILDCARD_PAGE.test(name)
const openerOf = (name: string): Opener | undefined =>
  TABLES.get(name) ?? OTHERS.find(([door]) => door.test(name))?.[1] ?? (isPage(name) ? 'anyone' : undefined)

export interface Door extends Registered {
  /** Undefined if it is not in a table and not named here. */
  opener: Opener | undefined
}

export const doorsOf = async (studio: Studio): Promise<Door[]> =>
  (await registeredRoutes(studio)).map((door) => ({ ...door, opener: openerOf(nameOf(door)) }))

/** Who asks: the keys of an account, its owner and one of its projects in the world of the studio. */
export interface Place {
  account: string
  project: string
  owner: string
}

export const PASSWORD = 'a long enough password'

/** A valid credential of each kind; webhook tokens are those of the project's Jenkins. */
export async function credentialsOf(studio: Studio, { account, project, owner }: Place): Promise<Record<Credential, string>> {
  const { world } = studio
  const visitor = await signIn(studio, `${owner}@example.com`, PASSWORD)
  const id = world.accounts[account]!.id as number
  await connections.set(studio.db, studio.service.vault, id, {
    issuer: 'https://id.example',
    client_id: 'goldmaster',
    client_secret: 'secret',
    trusts_email: false,
    groups_claim: 'groups',
    role_groups: [],
    default_role: 'member',
    domains: [`${account}.example`],
    required: false,
  })
  const path = `/projects/${world.projects[project]!.id}/ugs_tokens`
  const made = await visitor.app(path, { method: 'POST', body: { name: 'Everybody' } })
  return {
    'API token': world.tokens[owner]!.token,
    session: decodeURIComponent(visitor.cookie.slice(visitor.cookie.indexOf('=') + 1)),
    'webhook token': world.integrations[`${project}-jenkins`]!.webhook_token,
    'Unreal Game Sync token': made.json.token,
    'SCIM token': await scim.makeToken(studio.db, id),
  }
}

/** The id of no record: a request that is let in changes nothing. */
const NOBODYS = '2000000000'

/** The request with a secret wherever the door looks for its own; without one, none is sent. */
export function knock(
  studio: Studio,
  { account, project }: Pick<Place, 'account' | 'project'>,
  { method, url, opener }: Door,
  secret: string | undefined,
  { query = {}, body = {} }: { query?: Record<string, string>; body?: object } = {},
) {
  const path = url
    .replace(':project_id', String(studio.world.projects[project]!.id))
    .replace(':account_id', String(studio.world.accounts[account]!.id))
    .replace(/:(?:token|key)\b/, encodeURIComponent(secret ?? 'x'))
    .replace(/:\w+/g, NOBODYS)
  const given = new URLSearchParams({ ...query, ...(secret !== undefined && opener === 'webhook token' && { token: secret }) })
  return studio.ask(`${path}?${given}`, {
    method,
    ...(method === 'GET' || method === 'HEAD' ? {} : { body }),
    headers: {
      accept: 'application/json, text/event-stream',
      'sec-fetch-site': 'same-origin',
      ...(secret !== undefined && headersWith(studio, opener, secret)),
    },
  })
}

function headersWith(studio: Studio, opener: Opener | undefined, secret: string): Record<string, string> {
  const cookie = `${cookiesOf(studio.service.site, '').name}=${encodeURIComponent(secret)}`
  if (opener === 'session') return { cookie, authorization: `Bearer ${secret}` }
  if (opener === 'webhook token') return { 'x-webhook-token': secret, 'x-service-token': secret, cookie }
  if (opener === 'Unreal Game Sync token')
    return { authorization: `Basic ${Buffer.from(`kim:${secret}`).toString('base64')}`, cookie }
  return { authorization: `Bearer ${secret}`, cookie }
}
