import type { FastifyRequest } from 'fastify'
import { appRoutes, tokenRoutes } from '../../contract/app/routes.ts'
import { foreignHost, foreignOrigin, unauthorized } from '../../contract/errors.ts'
import type { Route } from '../../contract/routes/route.ts'
import type { Who } from '../../domain/access/access.ts'
import { hashOf } from '../../domain/privacy/secrets.ts'
import { addressOf } from '../limits/network.ts'
import { type Cookies, sessionOf } from './session-cookie.ts'

/** How a group of routes is called: its prefix, its routes, and how a request authenticates. The rules are the same for all. */
export interface AuthScheme {
  prefix: '/api' | '/app/api'
  table: Record<string, Route>
  who(request: FastifyRequest): Who
}

/** For programs: a bearer token. */
export const tokenScheme: AuthScheme = {
  prefix: '/api',
  table: tokenRoutes,
  who: (request) => ({ hash: hashOfToken(request), address: addressOf(request.ip) }),
}

/** For the web app: a session cookie. */
export const sessionScheme = (cookies: Cookies): AuthScheme => ({
  prefix: '/app/api',
  table: appRoutes,
  who(request) {
    requireSameOrigin(request)
    const session = sessionOf(request.headers.cookie ?? '', cookies)
    if (session === undefined) throw unauthorized()
    return { session, address: addressOf(request.ip) }
  },
})

/** The hash of the bearer token; a header without one counts as missing. */
function hashOfToken(request: FastifyRequest): Buffer {
  const token = /^Bearer +([A-Za-z0-9._~+/=-]+)$/i.exec(request.headers.authorization ?? '')?.[1]
  if (token === undefined) throw unauthorized()
  return hashOf(token)
}

/**
 * Browsers send cookies automatically, so a request that changes something must come from our own pages. Browsers state that in
 * Sec-Fetch-Site or, on insecure connections, in Origin; a request with neither is refused.
 */
export function requireSameOrigin(request: FastifyRequest) {
  if (request.method === 'GET' || request.method === 'HEAD') return
  const { origin, 'sec-fetch-site': site } = request.headers
  const ours = site === undefined ? hostOf(origin) === request.host : site === 'same-origin'
  if (!ours) throw foreignOrigin()
}

const hostOf = (origin: string | undefined) => (origin !== undefined && URL.canParse(origin) ? new URL(origin).host : undefined)

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]']

/**
 * Refuses another host name: with DNS rebinding a foreign page has the same origin to the browser, and our own pages open under the
 * configured name. A site on the own machine has several names.
 */
export function refuseForeignHost(site: string, request: FastifyRequest) {
  const own = new URL(site)
  const port = own.port === '' ? '' : `:${own.port}`
  const names = LOOPBACK.includes(own.hostname) ? LOOPBACK.map((name) => `${name}${port}`) : [own.host]
  const { origin } = request.headers
  const asked = [request.host, ...(origin === undefined ? [] : [hostOf(origin) ?? ''])]
  if (!asked.every((host) => names.includes(host?.toLowerCase() ?? ''))) throw foreignHost(site)
}
