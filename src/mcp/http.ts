import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'
import { type Assistance, createServer } from './server.ts'

/** Answers one request of an assistant; nothing is remembered between two, so any node may answer the next. */
export async function answerRequest(request: Request, parsedBody: unknown, assistance: Assistance): Promise<Response> {
  const server = createServer(assistance)
  const transport = new WebStandardStreamableHTTPServerTransport({ sessionIdGenerator: undefined, enableJsonResponse: true })
  try {
    await server.connect(transport)
    const response = await transport.handleRequest(request, { parsedBody })
    return new Response(await response.text(), { status: response.status, headers: response.headers })
  } finally {
    await server.close()
  }
}
