import type { FastifyRequest } from 'fastify'
import { appRoutes, tokenRoutes } from '../../contract/app/routes.ts'
import { foreignHost, foreignOrigin, unauthorized } from '../../contract/errors.ts'
import type { Route } from '../../contract/routes/route.ts'
import type { Who } from '../../domain/access/access.ts'
import { hashOf } from '../../domain/privacy/secrets.ts'
import { addressOf } from '../limits/network.ts'
import { type Cookies, sessionOf } from './session-cookie.ts'

/** A way to call routes: below which prefix, which of them, and how a request says who asks. Behind it, the rules are the same. */
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

/** For the web app: the cookie of a session. */
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

/** The hash of the bearer token; a header that carries none is as good as no header. */
function hashOfToken(request: FastifyRequest): Buffer {
  const token = /^Bearer +([A-Za-z0-9._~+/=-]+)$/i.exec(request.headers.authorization ?? '')?.[1]
  if (token === undefined) throw unauthorized()
  return hashOf(token)
}

/**
 * Cookies travel by themselves, so whatever changes something must come from our own pages. Browsers say so in Sec-Fetch-Site, or,
 * where the connection is not secure, in Origin; what says neither is no page of ours.
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
 * Another name for this machine is somebody else's: a page elsewhere whose name was made to lead here is of the same origin to the
 * browser, and our own pages open under the name they are configured with. A site on one's own machine has several names.
 */
export function refuseForeignHost(site: string, request: FastifyRequest) {
  const own = new URL(site)
  const port = own.port === '' ? '' : `:${own.port}`
  const names = LOOPBACK.includes(own.hostname) ? LOOPBACK.map((name) => `${name}${port}`) : [own.host]
  const { origin } = request.headers
  const asked = [request.host, ...(origin === undefined ? [] : [hostOf(origin) ?? ''])]
  if (!asked.every((host) => names.includes(host?.toLowerCase() ?? ''))) throw foreignHost(site)
}
