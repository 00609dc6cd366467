import type { FastifyRequest } from 'fastify'

/** A long segment that nobody types by hand may be a token pasted into the wrong place. */
const LONG_SEGMENT = /[^/]{20,}/g

/** A path for the log: without its query, and without a secret in the path itself. */
export function loggedPath({ url, routeOptions }: FastifyRequest): string {
  const route = routeOptions.url
  if (route?.includes(':token') || route?.startsWith('/badges/')) return route
  const path = url.split(/[?#]/, 1)[0]!
  return route === undefined || route.startsWith('/invitations/') ? path.replace(LONG_SEGMENT, '…') : path
}
