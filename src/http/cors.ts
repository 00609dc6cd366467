import type { FastifyInstance } from 'fastify'

const METHODS = 'GET, POST, PATCH, PUT, DELETE'
const SENT = 'authorization, content-type, idempotency-key, if-match, if-none-match, last-event-id'
const READ = 'etag, retry-after, x-request-id'
/** Chromium's maximum. */
const SECONDS = 7_200

/** Allows pages of these origins to call the API with a token. Cookies never count there, so credentials are not allowed. */
export function allowOrigins(app: FastifyInstance, origins: readonly string[]) {
  if (origins.length === 0) return
  const isAny = origins.includes('*')
  app.addHook('onRequest', async (request, reply) => {
    const { origin } = request.headers
    if (origin === undefined || !request.url.startsWith('/api/')) return
    // Set on the raw response: the event stream bypasses the framework's.
    if (!isAny) reply.raw.setHeader('vary', 'origin')
    if (!isAny && !origins.includes(origin)) return
    reply.raw.setHeader('access-control-allow-origin', isAny ? '*' : origin)
    reply.raw.setHeader('access-control-expose-headers', READ)
    if (request.method !== 'OPTIONS') return
    return reply
      .code(204)
      .headers({
        'access-control-allow-methods': METHODS,
        'access-control-allow-headers': SENT,
        'access-control-max-age': SECONDS,
      })
      .send()
  })
}
