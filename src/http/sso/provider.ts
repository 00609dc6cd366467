import * as oidc from 'openid-client'
import { invalidSingleSignOn, signInRefused } from '../../contract/errors.ts'
import type { Claims } from '../../domain/sign-in/admit.ts'
import { type Connection, clientSecret } from '../../domain/sign-in/connections.ts'
import { exceeds } from '../../net/json-complexity.ts'
import { safeFetch, Unreachable } from '../../net/safe-fetch.ts'
import type { Service } from '../service.ts'

/** Requests to an OpenID provider, whose URL somebody typed into a form: every request goes through `safeFetch`. */

const KEPT_MS = 10 * 60_000
const TIMEOUT_MS = 8_000
const SCOPE = 'openid email profile'
/** Of the largest providers' metadata and keys, some hundred; they are kept for minutes. */
const REPLY = { values: 5_000, depth: 20 }

export const CALLBACK = '/app/sso/callback'

interface CachedConfiguration {
  configuration: oidc.Configuration
  until: number
}

/** A provider's metadata by everything that it depends on; fetched again after a while. */
const known = new Map<string, CachedConfiguration>()
const KNOWN_MAX = 500

type ClientCredentials = Pick<Connection, 'issuer' | 'client_id'> & { secret: string }

/** Fetches the provider's metadata; throws errors that an owner can act on. */
export async function discover(service: Service, { issuer, client_id, secret }: ClientCredentials): Promise<oidc.Configuration> {
  const insecure = service.site.startsWith('http:')
  if (issuer.startsWith('http:') && !insecure) throw invalidSingleSignOn('The issuer must begin with https://.')
  const configuration = await oidc.discovery(new URL(issuer), client_id, secret, undefined, {
    [oidc.customFetch]: fetchSafely(service),
    timeout: TIMEOUT_MS / 1000,
    execute: [oidc.enableNonRepudiationChecks, ...(insecure ? [oidc.allowInsecureRequests] : [])],
  })
  const { authorization_endpoint, token_endpoint, jwks_uri, end_session_endpoint } = configuration.serverMetadata()
  for (const [name, url] of Object.entries({ authorization_endpoint, token_endpoint, jwks_uri }))
    if (!isWeb(url)) throw invalidSingleSignOn(`The provider names no ${name}.`)
  // The browser is redirected there.
  if (end_session_endpoint !== undefined && !isWeb(end_session_endpoint))
    throw invalidSingleSignOn('The provider’s end_session_endpoint is no address of the web.')
  return configuration
}

const isWeb = (url: string | undefined) =>
  url !== undefined && URL.canParse(url) && ['http:', 'https:'].includes(new URL(url).protocol)

async function configurationOf(service: Service, connection: Connection): Promise<oidc.Configuration> {
  const key = `${connection.account_id} ${connection.updated_at} ${connection.issuer}`
  const held = known.get(key)
  if (held && held.until > Date.now()) return held.configuration
  const secret = await clientSecret(service.db, service.vault, connection.account_id)
  const configuration = await discover(service, { ...connection, secret })
  if (known.size >= KNOWN_MAX) known.clear()
  known.set(key, { configuration, until: Date.now() + KEPT_MS })
  return configuration
}

/** The sealed state that the browser carries to the provider and back. */
export interface Pending {
  kind: 'sso'
  account_id: number
  state: string
  nonce: string
  verifier: string
  to: string
  until: number
}

const PENDING_MS = 10 * 60_000

interface Begun {
  email: string
  to: string
  /** The provider must ask for a sign-in even if it has a session. */
  again: boolean
}

export async function begin(service: Service, connection: Connection, { email, to, again }: Begun) {
  const configuration = await configurationOf(service, connection).catch(refuse(service))
  const pending: Pending = {
    kind: 'sso',
    account_id: connection.account_id,
    state: oidc.randomState(),
    nonce: oidc.randomNonce(),
    verifier: oidc.randomPKCECodeVerifier(),
    to,
    until: Date.now() + PENDING_MS,
  }
  const url = oidc.buildAuthorizationUrl(configuration, {
    redirect_uri: `${service.site}${CALLBACK}`,
    scope: SCOPE,
    state: pending.state,
    nonce: pending.nonce,
    code_challenge: await oidc.calculatePKCECodeChallenge(pending.verifier),
    code_challenge_method: 'S256',
    login_hint: email,
    ...(again ? { prompt: 'login' } : {}),
  })
  return { url: url.href, pending }
}

/** Exchanges the code for the id token, checks both, and fetches missing claims from the provider. */
export async function complete(service: Service, connection: Connection, pending: Pending, search: string) {
  const configuration = await configurationOf(service, connection).catch(refuse(service))
  try {
    const tokens = await oidc.authorizationCodeGrant(configuration, new URL(`${service.site}${CALLBACK}${search}`), {
      pkceCodeVerifier: pending.verifier,
      expectedState: pending.state,
      expectedNonce: pending.nonce,
      idTokenExpected: true,
    })
    const id = tokens.claims()!
    const more = configuration.serverMetadata().userinfo_endpoint
      ? await oidc.fetchUserInfo(configuration, tokens.access_token, id.sub)
      : {}
    return { claims: claimsOf({ ...more, ...id }, connection.groups_claim), idToken: tokens.id_token! }
  } catch (error) {
    return refuse(service)(error)
  }
}

function claimsOf(said: Record<string, unknown>, groupsClaim: string): Claims {
  const text = (value: unknown) => (typeof value === 'string' && !value.includes('\0') ? value : undefined)
  const groups = said[groupsClaim]
  return {
    sub: String(said.sub),
    email: text(said.email),
    // Some providers send it as a string: "false" is false.
    email_verified:
      typeof said.email_verified === 'boolean' ? said.email_verified : said.email_verified === 'false' ? false : undefined,
    user_name: text(said.preferred_username),
    name: text(said.name) ?? text(said.preferred_username),
    groups: [groups].flat().filter((group) => typeof group === 'string'),
  }
}

/** The URL that ends the session at the provider too, if it has one. */
export async function signOutUrl(service: Service, connection: Connection, idToken: string): Promise<string | undefined> {
  const configuration = await configurationOf(service, connection)
  if (configuration.serverMetadata().end_session_endpoint === undefined) return undefined
  return oidc.buildEndSessionUrl(configuration, { id_token_hint: idToken, post_logout_redirect_uri: `${service.site}/sign-in` })
    .href
}

/** Details go to the log; the person only learns whether it helps to try again. */
const refuse =
  ({ log }: Service) =>
  (error: unknown): never => {
    const reason = rootOf(error)
    log.warn({ error: reason.message }, 'single sign-on failed')
    if (reason instanceof Unreachable) throw signInRefused('sso_away')
    if (error instanceof oidc.AuthorizationResponseError) throw signInRefused('sso_refused')
    const status = (error as { status?: unknown }).status
    throw signInRefused(typeof status === 'number' && status >= 500 ? 'sso_away' : 'sso_failed')
  }

/** The library wraps errors of `fetch`. */
export function rootOf(error: unknown): Error {
  const { cause } = error as Error
  return cause instanceof Error ? rootOf(cause) : (error as Error)
}

const fetchSafely =
  ({ allowedHosts }: Service): oidc.CustomFetch =>
  async (url, { method, headers, body, signal }) => {
    const {
      status,
      headers: said,
      body: bytes,
    } = await safeFetch(url, (host, address, port) => allowedHosts(host, address, port, 'sign-in'), {
      method: method as 'GET' | 'POST',
      headers: Object.fromEntries(new Headers(headers as Record<string, string>)),
      ...(body === undefined || body === null ? {} : { body: String(body) }),
      ...(signal ? { signal } : {}),
      timeout: TIMEOUT_MS,
    })
    if (exceeds(bytes, REPLY)) throw new Unreachable(`${new URL(url).origin} answers with more than ${REPLY.values} values.`)
    const shown = new Headers()
    for (const [name, value] of Object.entries(said))
      if (typeof value === 'string' && name !== 'content-encoding') shown.set(name, value)
    return new Response([204, 304].includes(status) ? null : new Uint8Array(bytes), { status, headers: shown })
  }
