import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

const gzipped = promisify(gzip)

/** Below this size the headers outweigh the savings. */
const WORTHWHILE = 2_048

/** Responses to the web app are compressed: logs and lists are very repetitive. Responses to programs are not. */
export function compressForBrowsers(app: FastifyInstance) {
  app.addHook('onSend', async (request, reply, payload) => {
    if (!isFit(request, payload)) return payload
    reply.header('vary', 'accept-encoding')
    if (!/\bgzip\b/.test(String(request.headers['accept-encoding'] ?? ''))) return payload
    return pack(reply, payload)
  })
}

/** The response to a write may contain a new secret next to text that its sender chose: compression could leak it through its length. */
const isFit = (request: FastifyRequest, payload: unknown): payload is string | Buffer =>
  request.method === 'GET' &&
  request.url.startsWith('/app/api/') &&
  (typeof payload === 'string' || Buffer.isBuffer(payload)) &&
  payload.length >= WORTHWHILE

async function pack(reply: FastifyReply, payload: string | Buffer): Promise<Buffer> {
  // Speed matters more than the last percent: a log of 256,000 characters shrinks to a tenth either way.
  const packed = await gzipped(payload, { level: 4 })
  reply.header('content-encoding', 'gzip').header('content-length', packed.length)
  return packed
}
