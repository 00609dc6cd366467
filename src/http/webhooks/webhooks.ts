import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { refusedDelivery } from '../../contract/errors.ts'
import { VERSION, VERSION_HEADER } from '../../contract/version.ts'
import { ofAccount } from '../../db/database.ts'
import { REFUSED_MAX } from '../../domain/integrations/intake-usage.ts'
import * as resultAddresses from '../../domain/integrations/result-addresses.ts'
import type { IntegrationAuth } from '../../domain/integrations/webhook-access.ts'
import { Refused, refuse } from '../../intake/deliver.ts'
import { acceptHandshake } from '../../intake/handshake.ts'
import { LONG, receiveHeavy } from '../../intake/heavy/heavy.ts'
import { parseBody } from '../../intake/parse-body.ts'
import type { Provider } from '../../intake/provider.ts'
import { providers } from '../../intake/providers/index.ts'
import { at, text, Unreadable } from '../../intake/reading.ts'
import { type Received, type Request, receive } from '../../intake/receive.ts'
import { exceedsJsonComplexity } from '../../net/json-complexity.ts'
import type { Service } from '../service.ts'
import { aboutOf, admission, authorize, receiveBody, tokenOutside } from './admission.ts'
import { serveArtifactUploads } from './artifacts.ts'
import { serveLogStream } from './log-stream.ts'
import { servePeople } from './people.ts'
import { serveTests } from './tests.ts'

/** The largest body that a tool sends is 25 MB. */
const BODY_LIMIT = 26 * 1024 * 1024

/** The same steps for every tool: token, integration, limit, project, signature, parsing, recording. */
export async function serveWebhooks(app: FastifyInstance, service: Service) {
  await app.register(async (app) => {
    app.removeAllContentTypeParsers()
    app.addContentTypeParser('*', (request: FastifyRequest, payload: IncomingMessage) =>
      receiveBody(payload, request, request.routeOptions.config.bodyLimit ?? BODY_LIMIT),
    )
    serveTests(app, service)
    serveArtifactUploads(app, service)
    servePeople(app, service)
    for (const provider of Object.values(providers)) {
      for (const path of provider.paths) servePath(app, service, provider, path)
      for (const path of provider.logPaths ?? []) serveLogStream(app, service, provider, path)
      if (!provider.withoutVerify)
        app.get(`/webhooks/${provider.name}/verify`, async () => ({ status: 'verified', service: provider.name }))
      if (provider.answersHead) serveHead(app, service, provider)
    }
  })
}

/** A webhook must not be registered with an unknown token. */
function serveHead(app: FastifyInstance, service: Service, provider: Provider) {
  app.head(`/webhooks/${provider.name}`, async (request) => {
    await authorize(service, provider, tokenOutside(request, provider), request)
    return ''
  })
}

function servePath(app: FastifyInstance, service: Service, provider: Provider, path: string) {
  app.post(`/webhooks/${path}`, {
    onRequest: admission(service, provider, BODY_LIMIT),
    handler: async (request, reply) => {
      request.working = true
      try {
        const raw = (request.body as Buffer | undefined) ?? Buffer.alloc(0)
        const integration =
          request.integration ?? (await authorize(service, provider, tokenInside(raw, request.headers['content-type']), request))
        const received = await receiveDelivery(
          service,
          integration,
          await requestOf(service, request, reply, integration, path, raw),
        )
        if ('delivered' in received) {
          const { status: outcome, delivery_id } = received.delivered
          request.about = { ...aboutOf(integration), delivery_id, outcome }
          return reply
            .code(outcome === 'accepted' ? provider.answers : 200)
            .header(VERSION_HEADER, VERSION)
            .send(received.delivered)
        }
        request.about = { ...aboutOf(integration), outcome: 'handshake' }
        const { headers, body } = received.handshake
        return reply.headers(headers ?? {}).send(body ?? { status: 'verified' })
      } finally {
        request.memory?.release()
      }
    },
  })
}

async function receiveDelivery(service: Service, integration: IntegrationAuth, request: Request): Promise<Received> {
  const { vault, intakeQuota } = service
  const db = ofAccount(service.intake, integration.account_id)
  try {
    const received = await receiveSomewhere(db, integration, request)
    if ('handshake' in received) await acceptHandshake(db, vault, integration, request, received.handshake)
    else {
      // Also of a repeated delivery: the first attempt may have ended before this.
      if (received.resultAddress) await resultAddresses.keep(db, vault, integration, received.resultAddress)
      const stored = received.delivered.status !== 'duplicate' && !request.over_quota
      await intakeQuota.add(db, integration.account_id, stored ? request.raw.length : 0)
    }
    return received
  } catch (error) {
    const refused = error instanceof Unreadable ? await refuseUnread(db, integration, request, error) : error
    if (!(refused instanceof Refused)) throw refused
    await intakeQuota.add(db, integration.account_id, Math.min(request.raw.length, REFUSED_MAX))
    const { status, message, delivery_id } = refused
    if (status === 422 && providers[integration.provider].stopsAfterErrors)
      return { delivered: { status: 'failed', delivery_id, message, records: [] } }
    throw refusedDelivery(status, message, delivery_id)
  }
}

/** What has arrived is recorded, even if its sender has left. */
function receiveSomewhere(db: Service['db'], integration: IntegrationAuth, request: Request): Promise<Received> {
  if (request.raw.length < LONG && !exceedsJsonComplexity(request.raw)) return receive(db, integration, request)
  return receiveHeavy(db, integration, request)
}

/** The body was not read; the rest is recorded. */
const refuseUnread = (db: Service['db'], integration: IntegrationAuth, request: Request, { message }: Unreadable) =>
  refuse(
    db,
    integration,
    providers[integration.provider],
    { ...request, config: integration.config, body: undefined },
    422,
    message,
  )

function tokenInside(raw: Buffer, type: string | undefined): string | undefined {
  try {
    return text(at(parseBody(raw, type), 'token'))
  } catch (error) {
    if (error instanceof Unreadable) return undefined
    throw error
  }
}

const requestOf = async (
  { site, db, intakeQuota }: Service,
  request: FastifyRequest,
  reply: FastifyReply,
  integration: IntegrationAuth,
  path: string,
  raw: Buffer,
): Promise<Request> => ({
  path,
  headers: Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, [value].flat()[0]])),
  raw,
  url: `${site}${request.url}`,
  received: new Date(Date.now() - reply.elapsedTime),
  over_quota: await intakeQuota.isBodyOver(db, integration.account_id),
})
