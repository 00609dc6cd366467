import { randomUUID } from 'node:crypto'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { badSignature, invalidParameter } from '../../contract/errors.ts'
import { ARTIFACT_PIECE_MAX, IDENTIFIER_MAX } from '../../contract/limits.ts'
import { isUuid, type RawQuery } from '../../contract/params.ts'
import { ofAccount } from '../../db/database.ts'
import { type ArtifactPiece, addPiece } from '../../domain/artifacts/upload.ts'
import { scrub } from '../../domain/privacy/scrub.ts'
import { admit } from '../../intake/admission.ts'
import { stripNul } from '../../intake/strip-nul.ts'
import type { Service } from '../service.ts'
import { admission } from './admission.ts'
import { BUILD_ENTRY } from './build-entry.ts'
import { isSigned, nameOf, unlessBehind } from './log-stream.ts'

/** Another piece of the same build is written under the same lock. */
const LOCK_TIMEOUT_MS = 10_000

/** Files of a build, a piece at a time, with the webhook token of any tool that reports builds. */
export function serveArtifactUploads(app: FastifyInstance, service: Service) {
  const { intake, quotas } = service
  app.post('/webhooks/artifacts', {
    config: { bodyLimit: ARTIFACT_PIECE_MAX },
    onRequest: admission(service, BUILD_ENTRY, ARTIFACT_PIECE_MAX),
    handler: async (request) => {
      request.working = true
      try {
        const integration = request.integration!
        if (!isSigned(request, integration)) throw badSignature()
        return await addPiece(ofAccount(service.db, integration.account_id), integration, pieceOf(request), {
          quotas,
          transaction: (work) =>
            admit(intake, integration.account_id, () => intake.transaction(work, { lockTimeout: LOCK_TIMEOUT_MS })),
        }).catch(unlessBehind(integration))
      } finally {
        request.memory?.release()
      }
    },
  })
}

function pieceOf({ query, body }: FastifyRequest): ArtifactPiece {
  const given = new Map(query as unknown as RawQuery)
  const upload = given.get('upload') ?? ''
  if (!isUuid(upload)) throw invalidParameter('upload', `must be a UUID that you choose for this upload, such as ${randomUUID()}`)
  return {
    job: nameOf('job_name', given),
    number: nameOf('build_number', given),
    name: pathOf(given),
    upload,
    size: bytesOf('size', given),
    offset: bytesOf('offset', given),
    bytes: (body as Buffer | undefined) ?? Buffer.alloc(0),
  }
}

function bytesOf(name: string, given: ReadonlyMap<string, string>): number {
  const value = given.get(name) ?? ''
  if (!/^\d{1,15}$/.test(value)) throw invalidParameter(name, 'must be a number of bytes')
  return Number(value)
}

/** With slashes on every system, without marks that reverse its direction. A client may name a download by its last part. */
function pathOf(given: ReadonlyMap<string, string>): string {
  const path = scrub(stripNul(given.get('name') ?? ''))
    .replace(/[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu, '')
    .replaceAll('\\', '/')
    .replace(/^(\.?\/)+/, '')
  if (path === '' || Buffer.byteLength(path) > IDENTIFIER_MAX)
    throw invalidParameter('name', `must be a path of 1 to ${IDENTIFIER_MAX} bytes`)
  if (path.endsWith('/') || path.split('/').includes('..'))
    throw invalidParameter('name', 'must be the path of a file without ..')
  return path
}
