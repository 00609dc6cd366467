import type { FastifyInstance } from 'fastify'
import { EVENT_TYPES, EVENTS, type EventType } from '../../contract/events.ts'
import { type RawQuery, readNames, readValues } from '../../contract/params.ts'
import { eventStream } from '../../contract/routes.ts'
import { authorize } from '../../domain/access/access.ts'
import { refuseStream } from '../../domain/accounts/quotas.ts'
import * as feed from '../../domain/feed/reader.ts'
import type { AuthScheme } from '../auth/auth-scheme.ts'
import { isCounted } from '../inner-request.ts'
import { captureRefusal } from '../routes/capture-refusal.ts'
import { typesOf } from '../routes/events.ts'
import { securityHeaders } from '../security-headers.ts'
import type { Service } from '../service.ts'
import type { Hub } from './hub.ts'

/** The live feed: server-sent events with the scope, plan and filters of the list. */
export function serveStream(app: FastifyInstance, service: Service, hub: Hub, schemes: AuthScheme[]) {
  app.addHook('preClose', async () => hub.close())
  for (const scheme of schemes) serveAt(app, scheme, hub, service)
}

function serveAt(app: FastifyInstance, scheme: AuthScheme, hub: Hub, { db, site, quotas, tokenStreams }: Service) {
  app.get(`${scheme.prefix}${eventStream.path}`, async (request, reply) => {
    const who = scheme.who(request)
    const { scope } = eventStream
    const [given, misnamed] = captureRefusal(() => readNames(eventStream.query, request.query as unknown as RawQuery))
    const ask = { who, scope, account: given?.get('account_id'), project: given?.get('project_id') }
    const reader = await feed.findReader(db, ask)
    if (misnamed) throw misnamed
    feed.admitToAccount(reader, ask, site)
    const all = given.get('include') === 'all'
    const query = readValues(all ? eventStream.queryOfAll : eventStream.query, given)
    const chosen = typesOf<EventType>(query, given)
    authorize(reader, ask)
    const { token_id, session_id, address, account_id, project_id, project_ids } = reader
    // Streams for assistants are opened internally and counted at the assistant's own stream.
    const release = isCounted() ? () => {} : tokenStreams.open(token_id)
    reply.raw.once('close', release)
    if (reply.raw.destroyed) release()
    await refuseStream(db, quotas, account_id, hub.listenersOf(account_id))
    const last = request.headers['last-event-id']
    const end = await hub.open(account_id)
    reply.hijack()
    const response = reply.raw
    response.writeHead(200, {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
      ...securityHeaders(site),
      'x-request-id': request.id,
    })
    response.write('retry: 2000\n\n')
    const types = new Set(EVENT_TYPES.filter((type) => chosen?.includes(type) ?? (all || EVENTS[type].feed)))
    const listener = {
      response,
      token_id,
      session_id,
      address,
      account_id,
      project_id: project_id ?? undefined,
      project_ids,
      types,
    }
    const lastId = typeof last === 'string' && /^\d{1,15}$/.test(last) ? Number(last) : undefined
    // Too late for an error response: clients reconnect with their last id.
    await hub.follow(listener, lastId, end).catch((error: Error) => {
      request.log.warn({ reqId: request.id, error: error.message }, 'could not start an event stream')
      response.destroy()
    })
  })
}
