import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { beginSpan, endSpan, type Span, within } from '../net/tracing.ts'
import { loggedPath } from './logged-path.ts'

/** The account and project of a request, as soon as they are known. */
interface About {
  account_id?: number | null
  project_id?: number | null
  integration_id?: number
  delivery_id?: string
  /** For a delivery: the tool and the outcome. */
  provider?: string
  outcome?: string
}

declare module 'fastify' {
  interface FastifyRequest {
    about?: About
    span?: Span | undefined
  }
}

/** A request id of a proxy or tool is used, unless it could break a line or a header. */
const REQUEST_ID = /^[\w.:+/=@-]{1,128}$/
export const requestIdOf = ({ headers }: Pick<IncomingMessage, 'headers'>): string => {
  const given = headers['x-request-id']
  return typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID()
}

/** Probes of the operators' tools: they don't count against limits and are logged only if they fail. */
export const PROBES: ReadonlySet<string> = new Set(['/healthz', '/readyz', '/metrics'])
const isProbe = ({ routeOptions: { url } }: FastifyRequest) => url !== undefined && PROBES.has(url)

/** One line per request once it is answered, and a span if traces are exported. */
export function logRequests(app: FastifyInstance) {
  app.addHook('onRequest', (request, _, done) => {
    if (!isProbe(request))
      request.span = beginSpan(
        `${request.method} ${request.routeOptions.url ?? 'unknown'}`,
        'server',
        request.headers.traceparent as string | undefined,
      )
    within(request.span, done)
  })
  // Reading a body leaves the async context of the request.
  app.addHook('preHandler', (request, _, done) => within(request.span, done))
  app.addHook('onResponse', (request, reply, done) => {
    const { method, ip, id: reqId, span, about } = request
    const { statusCode: status, elapsedTime } = reply
    if (!isProbe(request) || status >= 400) {
      const { account_id, project_id, integration_id, delivery_id } = about ?? {}
      request.log.info(
        {
          reqId,
          method,
          path: loggedPath(request),
          status,
          ms: Math.round(elapsedTime),
          ip,
          account_id: account_id ?? undefined,
          project_id: project_id ?? undefined,
          integration_id,
          delivery_id,
          trace_id: span?.traceId,
        },
        'request',
      )
      endSpan(
        span,
        {
          'http.request.method': method,
          'http.route': request.routeOptions.url,
          'http.response.status_code': status,
          'goldmaster.request_id': reqId,
          'goldmaster.delivery_id': delivery_id,
          'goldmaster.account_id': account_id ?? undefined,
          'goldmaster.project_id': project_id ?? undefined,
        },
        status >= 500,
      )
    }
    done()
  })
}
