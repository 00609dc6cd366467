import { createHash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { text } from 'node:stream/consumers'
import { openLocalServer } from '../servers/local-server.ts'
import type { ToolState } from './world.ts'

interface Answer {
  status?: number
  body: unknown
  headers?: Record<string, string>
}

interface Stub {
  isAllowed(headers: IncomingHttpHeaders): boolean
  /** On every reply. */
  headers?(state: ToolState): Record<string, string>
  /** If nothing is left in the window. */
  refusal?: Answer
  /** A reply that the asker knows is 304 and costs nothing. */
  hasEtags?: true
  /** Undefined: there is no such page. */
  answer(path: string, query: URLSearchParams, headers: IncomingHttpHeaders, sent: string): Answer | string | undefined
}

/** The REST API of a tool: only with its token, and only so many requests. A text is answered as it is. */
export async function openStub({ isAllowed, headers, refusal, hasEtags, answer }: Stub) {
  const calls: string[] = []
  const unchanged: string[] = []
  const state: ToolState = { remaining: 5000 }
  const { url, close } = await openLocalServer(async (request, reply) => {
    const sent = await text(request)
    const asked = new URL(request.url!, 'http://tool')
    calls.push(request.url!)
    const send = ({ status = 200, body, headers: more }: Answer) =>
      reply
        .writeHead(status, { 'content-type': 'application/json; charset=utf-8', ...headers?.(state), ...more })
        .end(JSON.stringify(body))
    if (!isAllowed(request.headers)) return send({ status: 401, body: { message: 'Bad credentials' } })
    if (state.instead?.(asked.pathname, reply)) return
    if (state.remaining === 0 && refusal) return send(refusal)
    state.remaining--
    const answered = answer(asked.pathname, asked.searchParams, request.headers, sent)
    if (typeof answered === 'string') return reply.end(answered)
    if (!hasEtags || answered === undefined || answered.status !== undefined)
      return send(answered ?? { status: 404, body: { message: 'Not Found' } })
    const etag = `W/"${createHash('sha256')
      .update(JSON.stringify([answered.body, answered.headers]))
      .digest('hex')}"`
    if (request.headers['if-none-match'] !== etag) return send({ ...answered, headers: { ...answered.headers, etag } })
    state.remaining++
    unchanged.push(request.url!)
    return reply.writeHead(304, { etag, ...headers?.(state) }).end()
  })
  return { url, calls, unchanged, state, close }
}

/** Newest first, with what comes after the page. */
export function page<T>(all: readonly T[], number: number, size: number) {
  const last = Math.ceil(all.length / size)
  return { items: all.slice((number - 1) * size, number * size), next: number < last ? number + 1 : undefined, last }
}
