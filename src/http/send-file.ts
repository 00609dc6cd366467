import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Database } from '../db/database.ts'
import * as files from '../domain/files/files.ts'
import { rangeOf } from './ranges.ts'
import { isKnown } from './routes/entity-tags.ts'

/** Nothing in a file runs, loads or is framed, whatever it contains. */
const SANDBOX = "default-src 'none'; sandbox; frame-ancestors 'none'"

interface Download {
  /** Of all its bytes, in hexadecimal. */
  sha256: string
  bytes: number
  name: string
  /** A type that browsers show and never execute; undefined for a file that is only downloaded. */
  shownAs?: string | undefined
  caching: string
  /** The bytes from one offset to before another. */
  read(from: number, until: number): AsyncGenerator<Buffer>
}

type Sent = Pick<files.File, 'account_id' | 'sha256' | 'bytes' | 'name'> & Pick<Download, 'shownAs' | 'caching'>

/** Sends a file, or the requested range of it, to a caller who may see it. */
export const sendFile = (request: FastifyRequest, reply: FastifyReply, db: Database, file: Sent) =>
  sendBytes(request, reply, {
    ...file,
    sha256: file.sha256.toString('hex'),
    read: (from, until) => files.read(db, file, from, until),
  })

/** The same for bytes that are not one file of the store. */
export async function sendBytes(request: FastifyRequest, reply: FastifyReply, file: Download) {
  const tag = `"${file.sha256}"`
  reply
    .header('content-security-policy', SANDBOX)
    .header('cross-origin-resource-policy', 'same-origin')
    .header('cache-control', file.caching)
    .header('accept-ranges', 'bytes')
  if (isKnown(request.headers['if-none-match'], tag)) return reply.code(304).header('etag', tag).send()
  const [from, until] = rangeOf(request, reply, tag, file.bytes)
  reply
    .type(file.shownAs ?? 'application/octet-stream')
    .header('content-length', until - from)
    .header('repr-digest', `sha-256=:${Buffer.from(file.sha256, 'hex').toString('base64')}:`)
    .header('content-disposition', dispositionOf(file.shownAs ? 'inline' : 'attachment', file.name))
  // A stream, because Fastify counts the bytes of any other body.
  if (request.method === 'HEAD') return reply.send(Readable.from([]))
  // The first bytes decide whether the file is there, while an error can still be sent.
  const pieces = file.read(from, until)
  const { value: first } = await pieces.next()
  return reply.send(Readable.from(continued(first, pieces)))
}

async function* continued(first: Buffer | undefined, rest: AsyncGenerator<Buffer>) {
  if (first) yield first
  yield* rest
}

/** The name twice: in ASCII for old clients, and as it is. */
function dispositionOf(how: 'inline' | 'attachment', name: string): string {
  const plain = name.replace(/[^\x20-\x7e]|["\\%]/g, '_')
  const exact = encodeURIComponent(name.toWellFormed()).replace(
    /['()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `${how}; filename="${plain}"; filename*=UTF-8''${exact}`
}
