import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

const gzipped = promisify(gzip)

/** Below, the headers weigh as much as what is saved. */
const WORTHWHILE = 2_048

/** What the web app reads travels compressed: logs and lists are mostly repetition. Programs get theirs as they always did. */
export function compressForBrowsers(app: FastifyInstance) {
  app.addHook('onSend', async (request, reply, payload) => {
    if (!isFit(request, payload)) return payload
    reply.header('vary', 'accept-encoding')
    if (!/\bgzip\b/.test(String(request.headers['accept-encoding'] ?? ''))) return payload
    return pack(reply, payload)
  })
}

/** What answers a write may hold a secret that was just made, beside text that its sender chose: those lengths stay as they are. */
const isFit = (request: FastifyRequest, payload: unknown): payload is string | Buffer =>
  request.method === 'GET' &&
  request.url.startsWith('/app/api/') &&
  (typeof payload === 'string' || Buffer.isBuffer(payload)) &&
  payload.length >= WORTHWHILE

async function pack(reply: FastifyReply, payload: string | Buffer): Promise<Buffer> {
  // Its speed matters more than the last percent: a log of 256,000 characters shrinks to a tenth either way.
  const packed = await gzipped(payload, { level: 4 })
  reply.header('content-encoding', 'gzip').header('content-length', packed.length)
  return packed
}
