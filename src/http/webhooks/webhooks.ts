import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ApiError, clientGone, refusedDelivery, tooLarge } from '../../contract/errors.ts'
import type { RawQuery } from '../../contract/params.ts'
import { REFUSED_MAX } from '../../domain/integrations/stored-bodies.ts'
import * as webhooks from '../../domain/integrations/webhook-access.ts'
import { type Reservation, reserve } from '../../intake/body-memory.ts'
import { Refused, refuse } from '../../intake/deliver.ts'
import { acceptHandshake } from '../../intake/handshake.ts'
import { LONG, receiveHeavy } from '../../intake/heavy/heavy.ts'
import { parseBody } from '../../intake/parse-body.ts'
import { type Provider, Unreadable } from '../../intake/provider.ts'
import { providers } from '../../intake/providers/index.ts'
import { at, text } from '../../intake/reading.ts'
import { type Received, type Request, receive } from '../../intake/receive.ts'
import { exceedsJsonComplexity } from '../../net/json-complexity.ts'
import type { Service } from '../service.ts'
import { leaveUnread } from './unread-body.ts'

/** The largest that a tool sends has 25 MB. */
const BODY_LIMIT = 26 * 1024 * 1024
/** A stranger's body is looked into for the token only while it is short: a trigger's form has a few lines. */
const TOKEN_BODY_LIMIT = 64 * 1024

/** One path for every tool: token, integration, limit, project, signature, reading, recording. */
export async function serveWebhooks(app: FastifyInstance, service: Service) {
  await app.register(async (app) => {
    app.removeAllContentTypeParsers()
    app.addContentTypeParser('*', (request: FastifyRequest, payload: IncomingMessage) => receiveBody(payload, request))
    for (const provider of Object.values(providers)) {
      for (const path of provider.paths) servePath(app, service, provider, path)
      if (!provider.withoutVerify)
        app.get(`/webhooks/${provider.name}/verify`, async () => ({ status: 'verified', service: provider.name }))
      if (provider.answersHead) serveHead(app, service, provider)
    }
  })
}

/** With a token that is not ours the address must not be registered. */
function serveHead(app: FastifyInstance, service: Service, provider: Provider) {
  app.head(`/webhooks/${provider.name}`, async (request) => {
    await authorize(service, provider, tokenOutside(request, provider))
    return ''
  })
}

function servePath(app: FastifyInstance, service: Service, provider: Provider, path: string) {
  app.post(`/webhooks/${path}`, {
    onRequest: async (request, reply) => {
      try {
        await admit(service, provider, request, reply)
      } catch (error) {
        if (lengthOf(request) > LONG) leaveUnread(request, reply)
        throw error
      }
    },
    handler: async (request, reply) => {
      request.working = true
      try {
        const raw = (request.body as Buffer | undefined) ?? Buffer.alloc(0)
        const integration =
          request.integration ?? (await authorize(service, provider, tokenInside(raw, request.headers['content-type'])))
        const received = await receiveDelivery(
          service,
          integration,
          await requestOf(service, request, integration, path, raw),
          reply,
        )
        if ('delivered' in received)
          return reply.code(received.delivered.status === 'accepted' ? 202 : 200).send(received.delivered)
        const { headers, body } = received.handshake
        return reply.headers(headers ?? {}).send(body ?? { status: 'verified' })
      } finally {
        request.memory?.release()
      }
    },
  })
}

/** Refused before the body is read, unless the token may stand in it. */
async function admit(service: Service, provider: Provider, request: FastifyRequest, reply: FastifyReply) {
  if (lengthOf(request) > BODY_LIMIT) throw tooLarge()
  const token = tokenOutside(request, provider)
  if (token === undefined && mayHoldToken(request, provider)) return
  const integration = await authorize(service, provider, token)
  request.integration = integration
  request.memory = reserve(integration.account_id, lengthOf(request))
  reply.raw.once('close', () => {
    if (!request.working) request.memory!.release()
  })
}

const lengthOf = ({ headers }: FastifyRequest) => Number(headers['content-length'] ?? 0)

/**
 * All of it, as far as there is memory for it. A length that was announced is paid for already, and filled as it comes: joined in the
 * end, a large body would be held twice and keep others waiting. One that was not announced is paid for as it comes.
 */
async function receiveBody(payload: AsyncIterable<Buffer>, request: FastifyRequest): Promise<Buffer> {
  const announced = request.headers['content-length'] === undefined ? undefined : Buffer.allocUnsafe(lengthOf(request))
  const chunks: Buffer[] = []
  let length = 0
  try {
    for await (const chunk of payload) {
      if (length + chunk.length > (announced?.length ?? BODY_LIMIT)) throw tooLarge()
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

async function receiveDelivery(
  service: Service,
  integration: webhooks.IntegrationAuth,
  request: Request,
  reply: FastifyReply,
): Promise<Received> {
  const { intake: db, vault, bodyQuota } = service
  try {
    const received = await receiveSomewhere(db, integration, request, reply)
    if ('handshake' in received) await acceptHandshake(db, vault, integration, request, received.handshake)
    else if (received.delivered.status !== 'duplicate' && !request.over_quota)
      await bodyQuota.add(db, integration.account_id, request.raw.length)
    return received
  } catch (error) {
    const refused = error instanceof Unreadable ? await refuseUnread(db, integration, request, error) : error
    if (!(refused instanceof Refused)) throw refused
    await bodyQuota.add(db, integration.account_id, Math.min(request.raw.length, REFUSED_MAX))
    throw refusedDelivery(refused.status, refused.message, refused.delivery_id)
  }
}

function receiveSomewhere(
  db: Service['db'],
  integration: webhooks.IntegrationAuth,
  request: Request,
  reply: FastifyReply,
): Promise<Received> {
  if (request.raw.length < LONG && !exceedsJsonComplexity(request.raw)) return receive(db, integration, request)
  const left = new AbortController()
  reply.raw.once('close', () => left.abort())
  return receiveHeavy(db, integration, request, left.signal)
}

/** Nobody came to read it; what can be said without is kept. */
const refuseUnread = (db: Service['db'], integration: webhooks.IntegrationAuth, request: Request, { message }: Unreadable) =>
  refuse(
    db,
    integration,
    providers[integration.provider],
    { ...request, config: integration.config, body: undefined },
    422,
    message,
  )

async function authorize(service: Service, provider: Provider, token: string | undefined): Promise<webhooks.IntegrationAuth> {
  const integration = await webhooks.open(service.db, service.vault, token, provider.name)
  await service.limits.webhooks(String(integration.integration_id))
  webhooks.refuseUnlessActive(integration)
  return integration
}

/** A header beats the query, which lands in other people's logs. */
function tokenOutside({ headers, query }: FastifyRequest, { tokenHeader }: Provider): string | undefined {
  const header = tokenHeader === null ? undefined : headers[tokenHeader]
  if (header !== undefined) return String(header)
  const basic = tokenHeader === 'x-webhook-token' ? /^Basic +([A-Za-z0-9+/=]+)$/i.exec(headers.authorization ?? '') : null
  if (basic) return Buffer.from(basic[1]!, 'base64').toString().split(':').slice(1).join(':')
  return (query as unknown as RawQuery).find(([name]) => name === 'token')?.[1]
}

const mayHoldToken = ({ headers }: FastifyRequest, { tokenInBody }: Provider) =>
  tokenInBody && Number(headers['content-length']) <= TOKEN_BODY_LIMIT

function tokenInside(raw: Buffer, type: string | undefined): string | undefined {
  try {
    return text(at(parseBody(raw, type), 'token'))
  } catch (error) {
    if (error instanceof Unreadable) return undefined
    throw error
  }
}

const requestOf = async (
  { site, db, bodyQuota }: Service,
  request: FastifyRequest,
  integration: webhooks.IntegrationAuth,
  path: string,
  raw: Buffer,
): Promise<Request> => ({
  path,
  headers: Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, [value].flat()[0]])),
  raw,
  url: `${site}${request.url}`,
  received: new Date(),
  over_quota: await bodyQuota.isOver(db, integration.account_id),
})

declare module 'fastify' {
  interface FastifyRequest {
    integration?: webhooks.IntegrationAuth
    memory?: Reservation
    /** Its memory is given back by the work on it, which goes on when the client leaves. */
    working?: boolean
  }
}
