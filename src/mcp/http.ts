import { createMcpHandler, isLegacyRequest, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server'
import { type Assistance, createServer } from './server.ts'

/**
 * Answers one request of an assistant, in the protocol that it speaks: of 2026-07-28 each request says so itself, all before it began with
 * a handshake. Nothing is remembered between two requests, so any node may answer the next.
 */
export async function answerRequest(request: Request, parsedBody: unknown, assistance: Assistance): Promise<Response> {
  if (await isLegacyRequest(request, parsedBody)) return answerLegacy(request, parsedBody, assistance)
  return createMcpHandler(() => createServer(assistance), { legacy: 'reject' }).fetch(request, { parsedBody })
}

/** Only who wants to hear of progress needs a stream; one answer is simpler for everybody between. */
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
