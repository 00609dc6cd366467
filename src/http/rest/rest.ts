import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { invalidJson, unsupportedType } from '../../contract/errors.ts'
import { type RawQuery, readQuery, readShortId } from '../../contract/params.ts'
import { roleOf } from '../../contract/routes/route.ts'
import type { BodyOf, PathOf, QueryOf, Route, RouteName } from '../../contract/routes.ts'
import * as access from '../../domain/access/access.ts'
import { scrubberOf } from '../../domain/privacy/replies.ts'
import { audited, entryOf } from '../audited.ts'
import type { AuthScheme } from '../auth/auth-scheme.ts'
import { searches } from '../limits/search-gate.ts'
import type { Service } from '../service.ts'
import { attempt } from './asking.ts'
import { serveEvents } from './events.ts'
import { type Call, type HandledName, handlers, WITH_ENTRY } from './handlers.ts'
import { KnownCallers } from './known-callers.ts'
import { findListed, isList, type ListName, listingOf, looksForText, type PageQuery, placeOf, renderPage } from './lists.ts'
import { EDITED, isKnown, requireMatch, tagOf } from './preconditions.ts'

/** Serves the route table to callers of one authentication scheme. */
export function serveRest(app: FastifyInstance, service: Service, scheme: AuthScheme) {
  for (const name of Object.keys(scheme.table) as RouteName[]) {
    if (isList(name)) serveList(app, service, scheme, name)
    else if (name === 'listEvents') serveEvents(app, service, scheme)
    else serveRoute(app, service, scheme, name)
  }
}

/** Token, scope, project and page in one statement; a query that does not read is refused only after all of these. */
function serveList(app: FastifyInstance, service: Service, scheme: AuthScheme, name: ListName) {
  const { cursors, db, lastUsed, replica, share, site } = service
  const route = scheme.table[name]!
  const pages = 'cursor' in route.query
  app.get(`${scheme.prefix}${route.path}`, async (request, reply) => {
    const ask = askOf(request, scheme, route)
    const [read, refused] = attempt(() => {
      const { cursor, ...rest } = readQuery(route.query, request.query as RawQuery) as QueryOf<'listTasks'>
      const place = placeOf(name, ask.project, rest)
      return { place, query: { ...rest, ...(cursor !== undefined && { cursor: cursors.open(place, cursor) }) } }
    })
    if (refused) {
      await access.admit(db, ask)
      throw refused
    }
    const { place, query } = read
    const readPage = () => access.readListing(db, ask, listingOf(name, query, site), replica)
    const { caller, page } = looksForText(name, query)
      ? await findAdmitted(service, ask, name, query)
      : await share.enterAs(ask.who, String(ask.project), readPage, ({ caller }) => caller.account_id)
    request.about = caller
    lastUsed.note(caller.token_id)
    reply.type('application/json; charset=utf-8')
    return renderPage(name, query.limit, page, pages ? (key) => cursors.seal(place, key) : undefined)
  })
}

async function findAdmitted({ db, share, site }: Service, ask: access.Ask, name: ListName, query: PageQuery) {
  const caller = await access.admit(db, ask)
  const find = () => share.enter(caller.account_id!, () => findListed(db, caller, name, query, site))
  return { caller, page: await searches.enter(caller.user_id, find) }
}

function serveRoute(app: FastifyInstance, service: Service, scheme: AuthScheme, name: HandledName) {
  const route = scheme.table[name]!
  const handler = handlers[name] as (call: Call<RouteName>) => Promise<unknown>
  const shown = route.produces ? undefined : scrubberOf(route.reply)
  const asShown = (answer: unknown) => (shown ? shown(answer as never) : answer)
  const edited = EDITED[name]
  const showing = edited && (handlers[edited.shown] as typeof handler)
  const known = WITH_ENTRY.has(name) ? new KnownCallers() : undefined
  const admit = (caller: access.Caller, ask: access.Ask) => {
    access.authorize(caller, ask)
    if (route.writes) access.refuseIfReadOnly(caller, service.site)
  }
  const isTagged = edited !== undefined || (route.method === 'GET' && /\/:\w+$/.test(route.path))
  app.route({
    method: route.method,
    url: `${scheme.prefix}${route.path}`,
    // Everything that can be refused without the body is refused before it is read.
    onRequest: async (request) => {
      const ask = askOf(request, scheme, route)
      const remembered = request.headers['idempotency-key'] === undefined ? known?.get(ask) : undefined
      const caller = remembered ?? (await access.findCaller(service.db, ask))
      request.about = caller
      if (route.limited && caller.token_id !== null) await service.limits.taskWrites(String(caller.token_id))
      if (!remembered) {
        admit(caller, ask)
        known?.note(ask, caller)
        service.lastUsed.note(caller.token_id)
      }
      request.call = {
        ask,
        caller,
        isRemembered: remembered !== undefined,
        query: readQuery(route.query, request.query as RawQuery),
      }
    },
    ...(route.produces ? {} : { schema: { response: { '2xx': route.reply } } }),
    handler: async (request, reply) => {
      const { ask, caller, isRemembered, query } = request.call!
      reply.code(route.created ?? 200)
      const call: Call<RouteName> = {
        db: service.db,
        site: service.site,
        caller,
        by: {
          project_id: caller.project_id!,
          account_id: caller.account_id!,
          token_id: caller.token_id,
          user_id: caller.user_id,
        },
        path: request.params as PathOf<RouteName>,
        query: query as QueryOf<RouteName>,
        body: async (missing) => {
          const [read, refused] = attempt(() => route.body!.read(jsonOf(request)) as BodyOf<RouteName>)
          if (!refused) return read
          if (isRemembered) admit(await access.findCaller(service.db, ask), ask)
          await missing?.()
          throw refused
        },
        header: (header) => request.headers[header] as string | undefined,
        status: (code) => void reply.code(code),
        unchanged: () => {},
        entry: () => entryOf(name, call.by, request),
        stillAdmitted: isRemembered ? access.stillAdmitted(ask, caller) : undefined,
      }
      const work = () =>
        route.writes && !WITH_ENTRY.has(name)
          ? audited(service.db, { action: name, by: call.by, request, detached: undefined }, async (db, unchanged) => {
              const inside = { ...call, unchanged, db: { ...service.db, ...db } }
              if (edited) await requireMatch(edited, inside, async () => asShown(await showing!(inside)))
              return handler(inside)
            })
          : handler(call)
      const answer = await service.share.enter(caller.account_id ?? `user ${caller.user_id}`, work).catch(async (error) => {
        if (!(error instanceof access.NoLongerAdmitted)) throw error
        const found = await access.findCaller(service.db, ask)
        admit(found, ask)
        known!.note(ask, found)
        return handler({ ...call, caller: found, stillAdmitted: undefined })
      })
      if (isRemembered) service.lastUsed.note(caller.token_id)
      const told = asShown(answer)
      if (isTagged) {
        const tag = tagOf(told)
        reply.header('etag', tag)
        if (route.method === 'GET' && isKnown(call.header('if-none-match'), tag)) return reply.code(304).send()
      }
      return send(reply, route, told)
    },
  })
}

const send = (reply: FastifyReply, route: Route, answer: unknown) =>
  reply.type(route.produces ? `${route.produces}; charset=utf-8` : 'application/json; charset=utf-8').send(answer)

/** What the request claims: who asks, the scope that needs and the project it names. */
function askOf(request: FastifyRequest, scheme: AuthScheme, route: Route): access.Ask {
  const { project_id } = request.params as { project_id?: string }
  return {
    who: scheme.who(request),
    scope: route.scope,
    ...(project_id === undefined ? { role: undefined } : { role: roleOf(route), project: readShortId(project_id) ?? null }),
  }
}

/** Bytes that are no text are refused: mending them would store what nobody wrote. */
const utf8 = new TextDecoder('utf-8', { fatal: true })

export function jsonOf(request: FastifyRequest): unknown {
  const raw = request.body as Buffer | undefined
  if (raw === undefined || raw.length === 0) return undefined
  const type = request.headers['content-type'] ?? ''
  if (!/^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i.test(type)) throw unsupportedType()
  try {
    return JSON.parse(utf8.decode(raw))
  } catch {
    throw invalidJson()
  }
}

declare module 'fastify' {
  interface FastifyRequest {
    call?: { ask: access.Ask; caller: access.Caller; isRemembered: boolean; query: object }
  }
}
