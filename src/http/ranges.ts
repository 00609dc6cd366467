import type { FastifyReply, FastifyRequest } from 'fastify'
import { rangeNotSatisfiable } from '../contract/errors.ts'

/** The requested range of a file; a request for several ranges gets the whole file. */
export function rangeOf(request: FastifyRequest, reply: FastifyReply, etag: string, bytes: number): [number, number] {
  reply.header('etag', etag)
  const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/.exec(String(request.headers.range ?? '')) ?? []
  const same = request.headers['if-range'] === undefined || request.headers['if-range'] === etag
  if (!same || (first === '' && last === '')) return [0, bytes]
  const from = first === '' ? Math.max(0, bytes - Number(last)) : Number(first)
  const until = first === '' || last === '' ? bytes : Math.min(bytes, Number(last) + 1)
  if (from >= until) throw rangeNotSatisfiable(bytes)
  reply.code(206).header('content-range', `bytes ${from}-${until - 1}/${bytes}`)
  return [from, until]
}
