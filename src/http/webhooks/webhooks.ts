import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ApiError, clientGone, tooLarge } from '../../contract/errors.ts'
import type { RawQuery } from '../../contract/params.ts'
import { REFUSED_MAX } from '../../domain/integrations/stored-bodies.ts'
import * as webhooks from '../../domain/integrations/webhook-access.ts'
import { readBody } from '../../intake/body.ts'
import { type Reservation, reserve } from '../../intake/body-memory.ts'
import { Refused, refuse } from '../../intake/deliver.ts'
import { type Provider, Unreadable } from '../../intake/facts.ts'
import { acceptHandshake } from '../../intake/handshake.ts'
import { LONG, receiveHeavy } from '../../intake/heavy/heavy.ts'
import { providers } from '../../intake/providers/index.ts'
import { at, text } from '../../intake/reading.ts'
import { type Request, type TakenIn, takeIn } from '../../intake/take-in.ts'
import { isHeavy } from '../../net/weight.ts'
import type { Service } from '../service.ts'
import { leaveUnread } from './unread-body.ts'

/** GitHub sends up to 25 MB. */
const BODY_LIMIT = 26 * 1024 * 1024
/** A stranger's body is looked into for the token only while it is short: a trigger's form has a few lines. */
const FORM_LIMIT = 64 * 1024

/** One path for every tool: token, integration, limit, project, signature, reading, recording. */
export async function serveWebhooks(app: FastifyInstance, service: Service) {
  await app.register(async (app) => {
    app.removeAllContentTypeParsers()
    app.addContentTypeParser('*', (request: FastifyRequest, payload: IncomingMessage) => receiveBody(payload, request))
    for (const provider of Object.values(providers)) {
      for (const path of provider.paths) servePath(app, service, provider, path)
      if (provider.name !== 'jenkins')
        app.get(`/webhooks/${provider.name}/verify`, async () => ({ status: 'verified', service: provider.name }))
    }
    // Trello registers an address that answers this: with a token that is not ours it must not.
    app.head('/webhooks/trello', async (request) => {
      await enter(service, providers.trello, tokenBeside(request, providers.trello))
      return ''
    })
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
        const door = request.door ?? (await enter(service, provider, tokenInside(raw, request.headers['content-type'])))
        const taken = await takeInSomewhere(service, door, await requestOf(service, request, door, path, raw), reply)
        if ('delivered' in taken) return reply.code(taken.delivered.status === 'accepted' ? 202 : 200).send(taken.delivered)
        const { headers, body } = taken.handshake
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
  const token = tokenBeside(request, provider)
  if (token === undefined && mayHoldToken(request, provider)) return
  const door = await enter(service, provider, token)
  request.door = door
  request.memory = reserve(door.account_id, lengthOf(request))
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

async function takeInSomewhere(service: Service, door: webhooks.Door, request: Request, reply: FastifyReply): Promise<TakenIn> {
  const { intake: db, vault, bodyQuota } = service
  try {
    const taken = await receive(db, door, request, reply)
    if ('handshake' in taken) await acceptHandshake(db, vault, door, request, taken.handshake)
    else if (taken.delivered.status !== 'duplicate' && !request.over_quota)
      await bodyQuota.add(db, door.account_id, request.raw.length)
    return taken
  } catch (error) {
    const refused = error instanceof Unreadable ? await refuseUnread(db, door, request, error) : error
    if (!(refused instanceof Refused)) throw refused
    await bodyQuota.add(db, door.account_id, Math.min(request.raw.length, REFUSED_MAX))
    throw asRefusal(refused)
  }
}

function receive(db: Service['db'], door: webhooks.Door, request: Request, reply: FastifyReply): Promise<TakenIn> {
  if (request.raw.length < LONG && !isHeavy(request.raw)) return takeIn(db, door, request)
  const left = new AbortController()
  reply.raw.once('close', () => left.abort())
  return receiveHeavy(db, door, request, left.signal)
}

/** Nobody came to read it; what can be said without is kept. */
const refuseUnread = (db: Service['db'], door: webhooks.Door, request: Request, { message }: Unreadable) =>
  refuse(db, door, providers[door.provider], { ...request, config: door.config, body: undefined }, 422, message)

const asRefusal = ({ status, message, delivery_id }: Refused) =>
  new ApiError(status, status === 401 ? 'unauthorized' : 'unreadable_body', message, { delivery_id })

async function enter(service: Service, provider: Provider, token: string | undefined): Promise<webhooks.Door> {
  const door = await webhooks.open(service.db, service.vault, token, provider.name)
  await service.limits.webhooks(String(door.integration_id))
  webhooks.refuseUnlessActive(door)
  return door
}

/** A header beats the query, which lands in other people's logs. */
function tokenBeside({ headers, query }: FastifyRequest, { tokenHeader }: Provider): string | undefined {
  const header = tokenHeader === null ? undefined : headers[tokenHeader]
  if (header !== undefined) return String(header)
  const basic = tokenHeader === 'x-webhook-token' ? /^Basic +([A-Za-z0-9+/=]+)$/i.exec(headers.authorization ?? '') : null
  if (basic) return Buffer.from(basic[1]!, 'base64').toString().split(':').slice(1).join(':')
  return (query as unknown as RawQuery).find(([name]) => name === 'token')?.[1]
}

/** A submit trigger may put its token into the form. */
const mayHoldToken = ({ headers }: FastifyRequest, { name }: Provider) =>
  name === 'perforce' && Number(headers['content-length']) <= FORM_LIMIT

function tokenInside(raw: Buffer, type: string | undefined): string | undefined {
  try {
    return text(at(readBody(raw, type), 'token'))
  } catch (error) {
    if (error instanceof Unreadable) return undefined
    throw error
  }
}

const requestOf = async (
  { site, db, bodyQuota }: Service,
  request: FastifyRequest,
  door: webhooks.Door,
  path: string,
  raw: Buffer,
): Promise<Request> => ({
  path,
  headers: Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, [value].flat()[0]])),
  raw,
  url: `${site}${request.url}`,
  received: new Date(),
  over_quota: await bodyQuota.isOver(db, door.account_id),
})

declare module 'fastify' {
  interface FastifyRequest {
    door?: webhooks.Door
    memory?: Reservation
    /** Its memory is given back by the work on it, which goes on when the client leaves. */
    working?: boolean
  }
}
