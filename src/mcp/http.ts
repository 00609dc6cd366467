import {
  createMcpHandler,
  isLegacyRequest,
  type ServerEvent,
  type ServerEventBus,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'
import { type Assistance, createServer, protocolError } from './server.ts'
import { type Listen, listenOf, refusalOf } from './subscriptions/messages.ts'
import { type Follow, watch } from './subscriptions/watch.ts'

interface RemoteAssistance extends Assistance {
  follow: Follow
  /** Whether sent data still waits to be read. */
  congested(): boolean
}

/**
 * Handles one request of an assistant, in its protocol version: since 2026-07-28 each request names its version, before there was a
 * handshake. Stateless, so any node may handle the next one.
 */
export async function answerRequest(request: Request, parsedBody: unknown, assistance: RemoteAssistance): Promise<Response> {
  if (await isLegacyRequest(request, parsedBody)) return answerLegacy(request, parsedBody, assistance)
  const asked = listenOf(parsedBody)
  if (asked && asked.uris.length > 0) return answerListen(request, parsedBody, asked, assistance)
  const { fetch } = createMcpHandler(() => createServer({ ...assistance, changes: 'stream' }), { legacy: 'reject' })
  return fetch(request, { parsedBody })
}

/** A stream of resource updates, as long as somebody listens and has access. */
async function answerListen(request: Request, parsedBody: unknown, { id, uris }: Listen, assistance: RemoteAssistance) {
  let tell: ((event: ServerEvent) => void) | undefined
  let stop = () => {}
  const bus: ServerEventBus = {
    publish() {},
    subscribe(listener) {
      tell = listener
      return () => stop()
    },
  }
  const handler = createMcpHandler(() => createServer({ ...assistance, changes: 'stream' }), { legacy: 'reject', bus })
  try {
    stop = await watch(uris, {
      offer: assistance,
      follow: assistance.follow,
      congested: assistance.congested,
      updated: (uri) => tell?.({ kind: 'resource_updated', uri }),
      ended: () => void handler.close(),
    })
  } catch (error) {
    return Response.json(refusalOf(id, protocolError(error, assistance)))
  }
  const response = await handler.fetch(request, { parsedBody })
  // A request that the protocol refuses was never subscribed.
  if (tell === undefined) stop()
  // Kept alive for another request, it would delay the shutdown of the service.
  response.headers.set('connection', 'close')
  return response
}

/** Only progress needs a stream; a single response is simpler for everything in between. */
const wantsProgress = (body: unknown) =>
  ([body].flat() as ({ params?: { _meta?: { progressToken?: unknown } } } | null)[]).some(
    (message) => message?.params?._meta?.progressToken !== undefined,
  )

async function answerLegacy(request: Request, parsedBody: unknown, assistance: Assistance): Promise<Response> {
  const server = createServer(assistance)
  const enableJsonResponse = !wantsProgress(parsedBody)
  const transport = new WebStandardStreamableHTTPServerTransport({ sessionIdGenerator: undefined, enableJsonResponse })
  await server.connect(transport)
  if (!enableJsonResponse) return transport.handleRequest(request, { parsedBody })
  try {
    const response = await transport.handleRequest(request, { parsedBody })
    return new Response(await response.text(), { status: response.status, headers: response.headers })
  } finally {
    await server.close()
  }
}
