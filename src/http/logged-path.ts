import type { FastifyRequest } from 'fastify'

/** What nobody types by hand may be a token that was pasted into the wrong address. */
const LONG_SEGMENT = /[^/]{20,}/g

/** An address as a log may hold it: without its query, and without a secret that stands in the path itself. */
export function loggedPath({ url, routeOptions }: FastifyRequest): string {
  const route = routeOptions.url
  if (route?.includes(':token') || route?.startsWith('/badges/')) return route
  const path = url.split(/[?#]/, 1)[0]!
  return route === undefined || route.startsWith('/invitations/') ? path.replace(LONG_SEGMENT, '…') : path
}
