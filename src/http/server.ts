import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify'
import { notFound, tooLarge } from '../contract/errors.ts'
import { exceedsJsonComplexity } from '../net/json-complexity.ts'
import { serveBatch } from './app/batch.ts'
import { serveExportDownload } from './app/export-download.ts'
import { appHandlers } from './app/handlers.ts'
import { serveArtifacts, serveSharedArtifacts } from './artifacts.ts'
import { serveAssistantLogin } from './auth/assistant-login.ts'
import type { Auth } from './auth/auth.ts'
import { sessionScheme, tokenScheme } from './auth/auth-scheme.ts'
import { serveLogin } from './auth/login.ts'
import { cookiesOf, resigned } from './auth/session-cookie.ts'
import { serveSignIn } from './auth/sign-in.ts'
import { serveBadges } from './badges.ts'
import { closeQuickly } from './closing.ts'
import { compressForBrowsers } from './compress.ts'
import { allowOrigins } from './cors.ts'
import { sendClientError, sendFailure } from './failures.ts'
import { serveFiles } from './files.ts'
import { isCounted } from './inner-request.ts'
import { networkOf } from './limits/network.ts'
import { noteRefusal } from './limits/note-refusal.ts'
import { serveMcp } from './mcp.ts'
import { serveClientFiles } from './ops/client-file.ts'
import { serveHealth } from './ops/health.ts'
import { serveMetrics } from './ops/metrics.ts'
import { openReadiness } from './ops/readiness.ts'
import { serveReference } from './ops/reference.ts'
import { serveSecurityText } from './ops/security-txt.ts'
import { serveStatic } from './ops/static.ts'
import { otherMethods } from './other-methods.ts'
import { servePreviews } from './previews.ts'
import { logRequests, PROBES, requestIdOf } from './request-log.ts'
import { restHandlers } from './routes/handlers.ts'
import { serveRoutes } from './routes/serve.ts'
import { securityHeaders } from './security-headers.ts'
import { serializerOf } from './serializers.ts'
import type { Service } from './service.ts'
import { serveScim } from './sso/scim.ts'
import { serveSingleSignOn } from './sso/sso.ts'
import { Hub } from './stream/hub.ts'
import { serveStream } from './stream/stream.ts'
import { serveUgs } from './ugs/ugs.ts'
import { serveUnsubscribe } from './unsubscribe.ts'
import { serveWebhooks } from './webhooks/webhooks.ts'
import { keepWhileWorking } from './working-requests.ts'

const BODY_LIMIT = 1024 * 1024

/** `ops`: serves metrics instead, on an internal port. */
export async function buildServer(service: Service, ops?: FastifyInstance): Promise<FastifyInstance> {
  const headers = securityHeaders(service.site)
  const readiness = openReadiness(service.db)
  const arrive = async (request: FastifyRequest, reply: FastifyReply) => {
    reply.headers(headers).header('x-request-id', request.id)
    const { url, config } = request.routeOptions
    if (!PROBES.has(url ?? '') && !config.uncounted && !isCounted()) await service.limits.requests(networkOf(request.ip))
  }
  const app = Fastify({
    loggerInstance: service.log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    // One logger for all, with the request's id in each line: a child logger per request costs more than the line it writes.
    childLoggerFactory: (log) => log,
    genReqId: requestIdOf,
    bodyLimit: BODY_LIMIT,
    trustProxy: service.trustProxy.length > 0 ? service.trustProxy : false,
    requestTimeout: 60_000,
    connectionTimeout: 60_000,
    keepAliveTimeout: 65_000,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    clientErrorHandler: sendClientError,
    http: {
      // Nothing here depends on the host name, and Node's own refusal has no body.
      requireHostHeader: false,
      // Shorter than the timeout for the whole request, or Node swaps the two; and checked often enough to be effective.
      headersTimeout: 15_000,
      connectionsCheckingInterval: 5_000,
    },
    // An unparsable URL is counted like any other.
    frameworkErrors: (error, request, reply) =>
      void arrive(request, reply).then(
        () => sendFailure(error, request, reply),
        (refused) => sendFailure(refused, request, reply),
      ),
    routerOptions: {
      maxParamLength: 4096,
      // As sent, in order: a repeated or bracketed name must stay visible.
      querystringParser: (text) => (text === '' ? [] : [...new URLSearchParams(text)]) as never,
    },
  })
  app.setSerializerCompiler(({ schema }) => serializerOf(schema as object))
  // Bodies stay bytes: signatures are computed over them, and a body is validated last.
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (request, body: Buffer, done) => {
    const isFile = request.routeOptions.config.takesFiles
    done(!isFile && exceedsJsonComplexity(body) ? tooLarge('The body holds too many values, or nests too deep.') : null, body)
  })
  app.setErrorHandler((error, request, reply) => {
    readiness.note(error)
    noteRefusal(service, error, request)
    return sendFailure(error, request, reply)
  })
  const others = otherMethods(app)
  /** The path prefixes of programs; all others belong to the web app. */
  const interfaces = new Set<string>()
  app.addHook('onRoute', ({ url, config }) => {
    if (!config?.uncounted) interfaces.add(firstOf(url))
  })
  logRequests(app)
  app.addHook('onRequest', arrive)
  keepWhileWorking(app)
  allowOrigins(app, service.corsOrigins)

  const { closing } = closeQuickly(app)
  const hub = new Hub(service.db, service.log)
  serveMetrics(app, ops ?? app, service, readiness, () => hub.listeners)
  serveHealth(app, readiness, closing)
  if (ops) serveHealth(ops, readiness, closing)
  serveReference(app, service.site)
  const cookies = cookiesOf(service.site, service.cookieKey)
  const { formerCookieKey } = service
  if (formerCookieKey !== undefined)
    app.addHook('onRequest', async ({ headers }) => {
      if (headers.cookie !== undefined) headers.cookie = resigned(headers.cookie, formerCookieKey, cookies)
    })
  const session = sessionScheme(cookies)
  let opened: Promise<Auth> | undefined
  // Loaded with the first sign-in: the first requests of most nodes come from programs.
  const auth = () => {
    opened ??= import('./auth/auth.ts').then(({ openAuth }) => openAuth(service))
    return opened
  }
  compressForBrowsers(app)
  const handlers = { ...restHandlers, ...appHandlers }
  for (const scheme of [tokenScheme, session]) serveRoutes(app, service, scheme, { handlers, auth })
  serveBatch(app, service, session)
  serveExportDownload(app, service, session)
  serveFiles(app, service, [tokenScheme, session])
  servePreviews(app, service, [tokenScheme, session])
  serveArtifacts(app, service, [tokenScheme, session])
  serveSharedArtifacts(app, service)
  serveSignIn(app, service, auth)
  serveSingleSignOn(app, service)
  serveScim(app, service)
  serveLogin(app, service)
  serveStream(app, service, hub, [tokenScheme, session])
  await serveWebhooks(app, service)
  serveUgs(app, service)
  serveBadges(app, service)
  serveUnsubscribe(app, service)
  const sendApp = serveStatic(app)
  app.setNotFoundHandler((request, reply) => {
    others.refuse(request.method, request.url)
    const isPage =
      request.method === 'GET' && /\btext\/html\b/.test(request.headers.accept ?? '') && !interfaces.has(firstOf(request.url))
    // The app shows that the page does not exist, and links back.
    return isPage ? sendApp(request, reply.code(404)) : sendFailure(notFound('Page'), request, reply)
  })
  serveClientFiles(app)
  serveSecurityText(app, service)
  serveMcp(app, service)
  serveAssistantLogin(app, service)
  return app
}

const firstOf = (url: string) => /^\/([^/?]*)/.exec(url)?.[1] ?? ''
