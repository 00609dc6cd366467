import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'
import { type Assistance, createServer } from './server.ts'

/** Only who wants to hear of progress needs a stream; one answer is simpler for everybody between. */
const wantsProgress = (body: unknown) =>
  ([body].flat() as ({ params?: { _meta?: { progressToken?: unknown } } } | null)[]).some(
    (message) => message?.params?._meta?.progressToken !== undefined,
  )

/** Answers one request of an assistant; nothing is remembered between two, so any node may answer the next. */
export async function answerRequest(request: Request, parsedBody: unknown, assistance: Assistance): Promise<Response> {
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
