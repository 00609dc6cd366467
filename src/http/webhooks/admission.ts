import type { FastifyReply, FastifyRequest } from 'fastify'
import { ApiError, clientGone, tooLarge } from '../../contract/errors.ts'
import type { RawQuery } from '../../contract/params.ts'
import type { ProviderName } from '../../contract/sets.ts'
import * as webhooks from '../../domain/integrations/webhook-access.ts'
import type { Reservation } from '../../intake/body-memory.ts'
import { LONG } from '../../intake/heavy/heavy.ts'
import { PATIENCE_MS, type Provider } from '../../intake/provider.ts'
import { reserveBody } from '../limits/reserve-body.ts'
import type { Service } from '../service.ts'
import { leaveUnread } from './unread-body.ts'

/** An unauthenticated body is searched for the token only if it is short: a trigger's form has a few lines. */
const TOKEN_BODY_LIMIT = 64 * 1024

/** The part of a sender's patience that its body waits for memory; the rest is for reading and storing it. */
const MEMORY_SHARE = 0.8

/** The tools whose tokens a path accepts, and where the token is. */
export type Entry = Pick<Provider, 'tokenHeader' | 'tokenInBody' | 'patience'> & { name: ProviderName | readonly ProviderName[] }

/** Token, integration, limit, project and memory: the checks before a body is read. */
export const admission =
  (service: Service, provider: Entry, bodyLimit: number) => async (request: FastifyRequest, reply: FastifyReply) => {
    try {
      await admit(service, provider, bodyLimit, request, reply)
    } catch (error) {
      if (lengthOf(request) > LONG) leaveUnread(request, reply)
      throw error
    }
  }

/** Refused before the body is read, unless the token may be in it. */
async function admit(service: Service, provider: Entry, bodyLimit: number, request: FastifyRequest, reply: FastifyReply) {
  if (lengthOf(request) > bodyLimit) throw tooLarge()
  const token = tokenOutside(request, provider)
  if (token === undefined && mayHoldToken(request, provider)) return
  const integration = await authorize(service, provider, token, request)
  request.integration = integration
  const left = (provider.patience ?? PATIENCE_MS) * MEMORY_SHARE - reply.elapsedTime
  const memory = await reserveBody(reply, integration.account_id, lengthOf(request), left)
  request.memory = memory
  reply.raw.once('close', () => {
    if (!request.working) memory.release()
  })
}

const lengthOf = ({ headers }: FastifyRequest) => Number(headers['content-length'] ?? 0)

/**
 * Reads the body as far as memory allows. An announced length is already reserved, and filled as it arrives: concatenated at the end, a
 * large body would be in memory twice and block others. An unannounced one is reserved as it arrives.
 */
export async function receiveBody(payload: AsyncIterable<Buffer>, request: FastifyRequest, limit: number): Promise<Buffer> {
  const announced = request.headers['content-length'] === undefined ? undefined : Buffer.allocUnsafe(lengthOf(request))
  const chunks: Buffer[] = []
  let length = 0
  try {
    for await (const chunk of payload) {
      if (length + chunk.length > (announced?.length ?? limit)) throw tooLarge()
      if (announced) chunk.copy(announced, length)
      else {
        request.memory?.grow(chunk.length)
        chunks.push(chunk)
      }
      length += chunk.length
    }
  } catch (error) {
    throw error instanceof ApiError ? error : clientGone()
  }
  return announced?.subarray(0, length) ?? Buffer.concat(chunks, length)
}

export const aboutOf = ({ account_id, project_id, integration_id, provider }: webhooks.IntegrationAuth) => ({
  account_id,
  project_id,
  integration_id,
  provider,
})

export async function authorize(
  service: Service,
  provider: Entry,
  token: string | undefined,
  request: FastifyRequest,
): Promise<webhooks.IntegrationAuth> {
  const integration = await webhooks.open(service.db, service.vault, token, provider.name)
  request.about = aboutOf(integration)
  await service.limits.webhooks(String(integration.integration_id))
  webhooks.refuseUnlessActive(integration)
  await service.intakeQuota.refuseDelivery(service.db, integration.account_id)
  return integration
}

/** A header is preferred to the query, which ends up in other people's logs. */
export function tokenOutside({ headers, query }: FastifyRequest, { tokenHeader }: Entry): string | undefined {
  const header = tokenHeader === null ? undefined : headers[tokenHeader]
  if (header !== undefined) return String(header)
  const basic = tokenHeader === 'x-webhook-token' ? /^Basic +([A-Za-z0-9+/=]+)$/i.exec(headers.authorization ?? '') : null
  if (basic) return Buffer.from(basic[1]!, 'base64').toString().split(':').slice(1).join(':')
  return (query as unknown as RawQuery).find(([name]) => name === 'token')?.[1]
}

const mayHoldToken = ({ headers }: FastifyRequest, { tokenInBody }: Entry) =>
  tokenInBody && Number(headers['content-length']) <= TOKEN_BODY_LIMIT

declare module 'fastify' {
  interface FastifyRequest {
    integration?: webhooks.IntegrationAuth
    memory?: Reservation
    /** Its memory is released by the work on it, which continues when the client leaves. */
    working?: boolean
  }
}
