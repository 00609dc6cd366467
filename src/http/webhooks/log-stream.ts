import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { accountBusy, badEncoding, badSignature, invalidParameter, isUnknownBuild, tooLarge } from '../../contract/errors.ts'
import { IDENTIFIER_MAX } from '../../contract/limits.ts'
import type { RawQuery } from '../../contract/params.ts'
import { appendChunk, type LogChunk } from '../../domain/builds/log-stream.ts'
import type { IntegrationAuth } from '../../domain/integrations/webhook-access.ts'
import { scrub } from '../../domain/privacy/scrub.ts'
import { admit } from '../../intake/admission.ts'
import type { Provider } from '../../intake/provider.ts'
import { isAuthentic, senderSignature } from '../../intake/signatures.ts'
import { stripNul } from '../../intake/strip-nul.ts'
import type { Service } from '../service.ts'
import { admission } from './admission.ts'

/** Compressed or not. Four times what is kept of a log, since a character has up to four bytes. */
const CHUNK_LIMIT = 4 * 1024 * 1024
/** Other pieces and reports are written under the same lock. A sender that waits longer retries: it must not hold a connection. */
const LOCK_TIMEOUT_MS = 2_000

const unpack = promisify(gunzip)

/** The log of a running build, piece by piece. Pieces are not deliveries: stored as such, each log would be stored twice. */
export function serveLogStream(app: FastifyInstance, service: Service, provider: Provider, path: string) {
  app.post(`/webhooks/${path}`, {
    config: { bodyLimit: CHUNK_LIMIT },
    onRequest: admission(service, provider, CHUNK_LIMIT),
    handler: async (request) => {
      request.working = true
      try {
        const integration = request.integration!
        if (!isSigned(request, integration)) throw badSignature()
        const chunk = { ...placeOf(request), bytes: await textOf(request) }
        return await admit(service.intake, integration.account_id, () =>
          service.intake.transaction((db) => appendChunk(db, integration, chunk), { lockTimeout: LOCK_TIMEOUT_MS }),
        ).catch(unlessBehind(integration))
      } finally {
        request.memory?.release()
      }
    },
  })
}

/** An unknown build may be that of a report that is stored and not processed yet: the sender tries again. */
export const unlessBehind =
  ({ is_behind }: IntegrationAuth) =>
  (error: unknown): never => {
    throw is_behind && isUnknownBuild(error) ? accountBusy() : error
  }

/**
 * Runs before the body is decompressed. The signature covers the query as sent, a line break, then the body: only the query says which log a
 * piece belongs to.
 */
export function isSigned(
  request: FastifyRequest,
  { secrets, requires_signature }: IntegrationAuth,
  before = `${request.url.slice(request.url.indexOf('?') + 1)}\n`,
): boolean {
  const headers = request.headers as Record<string, string | undefined>
  return isAuthentic(secrets, requires_signature, senderSignature({ headers, raw: rawOf(request) }, secrets, before))
}

const rawOf = (request: FastifyRequest) => (request.body as Buffer | undefined) ?? Buffer.alloc(0)

async function textOf(request: FastifyRequest): Promise<Buffer> {
  const raw = rawOf(request)
  const encoding = request.headers['content-encoding'] ?? 'identity'
  if (encoding === 'identity') return raw
  if (encoding !== 'gzip') throw badEncoding('Send the log as it is, or with Content-Encoding: gzip.')
  request.memory?.grow(CHUNK_LIMIT)
  try {
    return await unpack(raw, { maxOutputLength: CHUNK_LIMIT })
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE' ? tooLarge() : badEncoding('The body is not gzip.')
  }
}

/** The log and offset of a piece. Names are normalized like those of reports. */
function placeOf({ query }: FastifyRequest): Omit<LogChunk, 'bytes'> {
  const given = new Map(query as unknown as RawQuery)
  const offset = given.get('offset') ?? ''
  if (!/^\d{1,15}$/.test(offset)) throw invalidParameter('offset', 'must be a number of bytes')
  return {
    job: nameOf('job_name', given),
    number: nameOf('build_number', given),
    offset: Number(offset),
    stream: stripNul((given.get('stream') ?? '').slice(0, 100)),
  }
}

export function nameOf(name: string, given: ReadonlyMap<string, string>): string {
  const value = given.get(name) ?? ''
  if (value === '' || Buffer.byteLength(value) > IDENTIFIER_MAX)
    throw invalidParameter(name, `must have 1 to ${IDENTIFIER_MAX} bytes`)
  return scrub(stripNul(value))
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The maximum size of a body here. */
    bodyLimit?: number
  }
}
