import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { invalidJson, readOnly, unsupportedType } from '../../contract/errors.ts'
import { type RawQuery, readId, readQuery } from '../../contract/params.ts'
import type { BodyOf, PathOf, QueryOf, Route, RouteName } from '../../contract/routes.ts'
import * as access from '../../domain/access/access.ts'
import { scrubberOf } from '../../domain/privacy/replies.ts'
import type { Door } from '../auth/door.ts'
import type { Service } from '../service.ts'
import { attempt } from './asking.ts'
import { serveEvents } from './events.ts'
import { type Call, type HandledName, handlers } from './handlers.ts'
import { isList, type ListName, lists, renderPage } from './lists.ts'

/** Serves the route table behind a door. */
export function serveRest(app: FastifyInstance, service: Service, door: Door) {
  for (const name of Object.keys(door.table) as RouteName[]) {
    if (isList(name)) serveList(app, service, door, name)
    else if (name === 'listEvents') serveEvents(app, service, door)
    else serveRoute(app, service, door, name)
  }
}

/** Token, scope, project and page in one statement; a query that does not read is refused only after all of these. */
function serveList(app: FastifyInstance, service: Service, door: Door, name: ListName) {
  const { cursors, db, lastUsed, replica, site } = service
  const route = door.table[name]!
  const pages = 'cursor' in route.query
  const { listing } = lists[name] as (typeof lists)['listTasks']
  app.get(`${door.prefix}${route.path}`, async (request, reply) => {
    const ask = askOf(request, door, route)
    // A cursor belongs to its list in its project.
    const place = `${name} ${ask.project}`
    const [query, refused] = attempt(() => {
      const { cursor, ...rest } = readQuery(route.query, request.query as RawQuery) as QueryOf<'listTasks'>
      return { ...rest, cursor: cursor === undefined ? undefined : cursors.open(place, cursor) }
    })
    if (refused) {
      access.admit(await access.findCaller(db, ask), ask)
      throw refused
    }
    const { caller, page } = await access.readListing(db, ask, (project) => listing(project, query, site), replica)
    lastUsed.note(caller.token_id)
    reply.type('application/json; charset=utf-8')
    return renderPage(name, query.limit, page, pages ? (key) => cursors.seal(place, key) : undefined)
  })
}

function serveRoute(app: FastifyInstance, service: Service, door: Door, name: HandledName) {
  const route = door.table[name]!
  const handler = handlers[name] as (call: Call<RouteName>) => Promise<unknown>
  const shown = route.produces ? undefined : scrubberOf(route.reply)
  app.route({
    method: route.method,
    url: `${door.prefix}${route.path}`,
    // Everything that can be refused without the body is refused before it is read.
    onRequest: async (request) => {
      const caller = await admitted(service, request, door, route)
      if (route.writes && caller.read_only) throw readOnly(caller.read_only, service.site)
      request.call = { caller, query: readQuery(route.query, request.query as RawQuery) }
    },
    ...(route.produces ? {} : { schema: { response: { '2xx': route.reply } } }),
    handler: async (request, reply) => {
      const { caller, query } = request.call!
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
          await missing?.()
          throw refused
        },
        header: (header) => request.headers[header] as string | undefined,
        status: (code) => void reply.code(code),
      }
      const answer = await handler(call)
      return send(reply, route, shown ? shown(answer as never) : answer)
    },
  })
}

const send = (reply: FastifyReply, route: Route, answer: unknown) =>
  reply.type(route.produces ? `${route.produces}; charset=utf-8` : 'application/json; charset=utf-8').send(answer)

async function admitted(
  { db, limits, lastUsed }: Service,
  request: FastifyRequest,
  door: Door,
  route: Route,
): Promise<access.Caller> {
  const ask = askOf(request, door, route)
  const caller = await access.findCaller(db, ask)
  if (route.limited && caller.token_id !== null) await limits.taskWrites(String(caller.token_id))
  access.admit(caller, ask)
  lastUsed.note(caller.token_id)
  return caller
}

/** What the request claims: who asks, the scope that needs and the project it names. */
function askOf(request: FastifyRequest, door: Door, route: Route): access.Ask {
  const { project_id } = request.params as { project_id?: string }
  return {
    who: door.who(request),
    scope: route.scope,
    project: project_id === undefined ? undefined : (readId(project_id) ?? null),
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
    call?: { caller: access.Caller; query: object }
  }
}
