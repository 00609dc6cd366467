import { PassThrough } from 'node:stream'
import { constants, createGzip } from 'node:zlib'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { BATCH_MAX, BATCH_PATH } from '../../contract/app/batch.ts'
import { appRoutes } from '../../contract/app/routes.ts'
import { invalidParameter, unknownParameter } from '../../contract/errors.ts'
import type { RawQuery } from '../../contract/params.ts'
import { admit } from '../../domain/access/access.ts'
import type { AuthScheme } from '../auth/auth-scheme.ts'
import { inner } from '../inner-request.ts'
import type { Service } from '../service.ts'

const READABLE = Object.values(appRoutes)
  .filter(({ method }) => method === 'GET')
  .map(({ path }) => new RegExp(`^${path.replace(/:\w+/g, '[^/]+')}$`))

/** Renews the session cookie, which has to be in the response headers. */
const RENEWS = appRoutes.showMe.path

/**
 * The requests of a web app page as it opens, combined into one request for the rate limit. Each part goes through its own route with the
 * caller's session, and is sent as a line of JSON as soon as it is ready.
 */
export function serveBatch(app: FastifyInstance, service: Service, session: AuthScheme) {
  const ask = async (request: FastifyRequest, url: string) => {
    const headers = { cookie: request.headers.cookie ?? '' }
    return inner(() => app.inject({ url: `${session.prefix}${url}`, headers, remoteAddress: request.ip }))
  }
  app.get(`${session.prefix}${BATCH_PATH}`, {
    // Every signed-in user may call it; each part checks its own permissions.
    onRequest: async (request) =>
      void (await admit(service.db, { who: session.who(request), scope: undefined, role: undefined })),
    handler: async (request, reply) => {
      const parts = readParts(request.query as RawQuery).map((url) => ({ url, answer: ask(request, url) }))
      for (const { url, answer } of parts)
        if (url === RENEWS)
          for (const cookie of [(await answer).headers['set-cookie'] ?? []].flat()) reply.header('set-cookie', cookie)
      reply.header('cache-control', 'no-store').header('vary', 'accept-encoding').type('application/x-ndjson')
      const isPacked = /\bgzip\b/.test(String(request.headers['accept-encoding'] ?? ''))
      if (isPacked) reply.header('content-encoding', 'gzip')
      const lines = isPacked ? createGzip({ level: 4, flush: constants.Z_SYNC_FLUSH }) : new PassThrough()
      void Promise.all(parts.map(async ({ answer }, part) => lines.write(lineOf(part, await answer)))).then(
        () => lines.end(),
        (error) => lines.destroy(error),
      )
      return reply.send(lines)
    },
  })
}

function readParts(query: RawQuery): string[] {
  for (const [name] of query) if (name !== 'get') throw unknownParameter(name, ['get'])
  const urls = query.map(([, url]) => url)
  if (urls.length === 0 || urls.length > BATCH_MAX) throw invalidParameter('get', `must be given 1 to ${BATCH_MAX} times`)
  for (const url of urls)
    if (!READABLE.some((path) => path.test(url.split('?', 1)[0]!)))
      throw invalidParameter('get', 'must be the path of something to read')
  return urls
}

interface Inner {
  statusCode: number
  headers: Record<string, unknown>
  payload: string
}

/** PostgreSQL adds line breaks between the rows of a list; JSON strings contain none. */
function lineOf(part: number, { statusCode, headers, payload }: Inner): string {
  const isJson = String(headers['content-type']).startsWith('application/json')
  const body = isJson ? payload.replaceAll('\n', ' ') : JSON.stringify(payload)
  return `{"part":${part},"status":${statusCode},"retry_after":${JSON.stringify(headers['retry-after'] ?? null)},"body":${body}}\n`
}
