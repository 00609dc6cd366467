import { STATUS_CODES } from 'node:http'
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import {
  ApiError,
  badRequest,
  headersTooLarge,
  internalError,
  isStopping,
  notFound,
  requestTimeout,
  serviceBusy,
  tooLarge,
  tooSlow,
  unavailable,
  unstorable,
  unsupportedType,
} from '../contract/errors.ts'
import { isConnectionError, isContended, isTooSlow, isTransient, isUnstorable } from '../db/database.ts'
import { scrubAll } from '../domain/privacy/scrub.ts'

/** Any error as an API error. */
function asApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  const { code, statusCode } = error as FastifyError
  if (statusCode === undefined && isTooSlow(error)) return tooSlow()
  if (statusCode === undefined && isContended(error)) return serviceBusy()
  // A client that hangs up causes a reset too; only an error without a status comes from the database.
  if (statusCode === undefined && (isConnectionError(error) || isTransient(error))) return unavailable()
  if (statusCode === undefined && isUnstorable(error)) return unstorable()
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return tooLarge()
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return unsupportedType()
  if (code === 'FST_ERR_BAD_URL' || code === 'FST_ERR_MAX_PARAM_LENGTH') return notFound('Page')
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500) return badRequest((error as Error).message, statusCode)
  return internalError()
}

export function sendFailure(error: unknown, request: FastifyRequest, reply: FastifyReply) {
  const failure = asApiError(error)
  // A value that only the database rejected should have been rejected earlier. A client's cancellation is not our failure.
  if ((failure.status >= 500 && !isStopping(error)) || isUnstorable(error))
    request.log.error({ reqId: request.id, err: error }, failure.code)
  reply.code(failure.status).headers(failure.headers)
  if (failure.body === undefined) return reply.header('www-authenticate', 'Bearer').send()
  return reply.type('application/json; charset=utf-8').serializer(JSON.stringify).send(scrubAll(failure.body))
}

const CLIENT_ERRORS: Record<string, () => ApiError> = {
  HPE_HEADER_OVERFLOW: headersTooLarge,
  ERR_HTTP_REQUEST_TIMEOUT: requestTimeout,
}

/** A request that does not parse as HTTP gets an error in the same format. */
export function sendClientError(error: NodeJS.ErrnoException, socket: import('node:net').Socket) {
  if (error.code === 'ECONNRESET' || !socket.writable) return socket.destroy()
  const refusal = CLIENT_ERRORS[error.code ?? '']?.() ?? badRequest('This is not HTTP.')
  const status = `${refusal.status} ${STATUS_CODES[refusal.status]}`
  const body = JSON.stringify(refusal.body)
  return socket.end(
    `HTTP/1.1 ${status}\r\nContent-Type: application/json; charset=utf-8\r\nX-Content-Type-Options: nosniff\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  )
}
