import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { DeclaredName } from '../../contract/app/routes.ts'
import { fileTooLarge, notFound } from '../../contract/errors.ts'
import { FILE_MAX } from '../../contract/limits.ts'
import { type RawQuery, readQuery, readShortId } from '../../contract/params.ts'
import { isAdministration, isAudited, type Route, roleOf } from '../../contract/routes/route.ts'
import type { QueryOf } from '../../contract/routes.ts'
import { type Database, ofAccount } from '../../db/database.ts'
import * as access from '../../domain/access/access.ts'
import { scrubberOf } from '../../domain/privacy/replies.ts'
import { within } from '../../net/budget.ts'
import { audited, entryOf } from '../audited.ts'
import type { Auth } from '../auth/auth.ts'
import { type AuthScheme, requireSameOrigin } from '../auth/auth-scheme.ts'
import { reserveBody } from '../limits/reserve-body.ts'
import { searches } from '../limits/search-gate.ts'
import type { Service } from '../service.ts'
import type { Call, Handler, Handlers } from './call.ts'
import { captureRefusal } from './capture-refusal.ts'
import { isKnown, tagOf } from './entity-tags.ts'
import { serveEvents } from './events.ts'
import { type HandledName, WITH_ENTRY } from './handlers.ts'
import { KnownCallers } from './known-callers.ts'
import { cursorScope, findListed, isList, type ListName, listingOf, looksForText, type PageQuery, renderPage } from './lists.ts'
import { CHANGED, requireMatch } from './preconditions.ts'
import { jsonOf, readBody } from './request-body.ts'

/** Serves the routes of one authentication scheme. */
export function serveRoutes(app: FastifyInstance, service: Service, scheme: AuthScheme, answers: Answers) {
  for (const name of Object.keys(scheme.table) as DeclaredName[]) {
    if (isList(name)) serveList(app, service, scheme, name)
    else if (name === 'listEvents') serveEvents(app, service, scheme)
    else serveRoute(app, service, scheme, answers, name)
  }
}

interface Answers {
  handlers: Handlers<HandledName>
  auth: () => Promise<Auth>
}

/** Token, scope, project and page in one statement; an invalid query is refused only after all of these. */
function serveList(app: FastifyInstance, service: Service, scheme: AuthScheme, name: ListName) {
  const { cursors, db, lastUsed, replica, share, site } = service
  const route = scheme.table[name]!
  const pages = 'cursor' in route.query
  app.get(`${scheme.prefix}${route.path}`, async (request, reply) => {
    const ask = askOf(request, scheme, route)
    const [read, refused] = captureRefusal(() => {
      const { cursor, ...rest } = readQuery(route.query, request.query as RawQuery) as QueryOf<'listTasks'>
      const scope = cursorScope(name, ask.project, rest)
      return { scope, query: { ...rest, ...(cursor !== undefined && { cursor: cursors.open(scope, cursor) }) } }
    })
    if (refused) {
      await access.admit(db, ask)
      throw refused
    }
    const { scope, query } = read
    const readPage = () => access.readListing(db, ask, listingOf(name, query, site), replica)
    const { caller, page } = looksForText(name, query)
      ? await findAdmitted(service, ask, name, query)
      : await share.enterAs(ask.who, String(ask.project), readPage, ({ caller }) => caller.account_id)
    request.about = caller
    lastUsed.note(caller.token_id)
    reply.type('application/json; charset=utf-8')
    return renderPage(name, query.limit, page, pages ? (key) => cursors.seal(scope, key) : undefined)
  })
}

async function findAdmitted({ db, share, site }: Service, ask: access.Ask, name: ListName, query: PageQuery) {
  const caller = await access.admit(db, ask)
  const find = () =>
    share.enter(caller.account_id!, () => findListed(ofAccount(db, caller.account_id), caller, name, query, site))
  return { caller, page: await searches.enter(caller.user_id, find) }
}

function serveRoute(app: FastifyInstance, service: Service, scheme: AuthScheme, answers: Answers, name: HandledName) {
  const { handlers, auth } = answers
  const route = scheme.table[name]!
  const handler = handlers[name] as Handler<DeclaredName>
  const changed = CHANGED[name]
  const show = changed && (handlers[changed.shown] as typeof handler)
  const scrub = route.produces ? undefined : scrubberOf(route.reply)
  const shownOf = (answer: unknown) => (scrub ? scrub(answer as never) : answer)
  /** The web app's own routes and administration: replies may contain secrets, so nothing is cached. */
  const isPrivate = route.scope === undefined || isAdministration(route)
  const isTagged = !isPrivate && (changed?.lock !== undefined || (route.method === 'GET' && /\/:\w+$/.test(route.path)))
  const writesEntry = WITH_ENTRY.has(name)
  const known = writesEntry ? new KnownCallers() : undefined

  const authorize = (caller: access.Caller, ask: access.Ask) => {
    access.authorize(caller, ask)
    if (route.role === 'operator' && !caller.operator) throw notFound('Page')
    if (route.writes) access.refuseIfReadOnly(caller, service.site)
  }

  async function admit(request: FastifyRequest): Promise<Admitted | undefined> {
    if (route.role === 'anyone') return void requireSameOrigin(request)
    const ask = askOf(request, scheme, route)
    const remembered = request.headers['idempotency-key'] === undefined ? known?.get(ask) : undefined
    const caller = remembered ?? (await access.findCaller(service.db, ask))
    request.about = caller
    if (route.limited === 'comments') await service.limits.comments(String(caller.user_id))
    if (route.limited === true && caller.token_id !== null) await service.limits.taskWrites(String(caller.token_id))
    if (!remembered) {
      authorize(caller, ask)
      known?.note(ask, caller)
      service.lastUsed.note(caller.token_id)
    }
    return { ask, caller, isRemembered: remembered !== undefined }
  }

  app.route({
    method: route.method,
    url: `${scheme.prefix}${route.path}`,
    // Everything that can be refused without the body is refused before it is read.
    onRequest: async (request, reply) => {
      request.admitted = await admit(request)
      if (isPrivate) refuseUnstorablePath(request)
      request.readQuery = readQuery(route.query, request.query as RawQuery)
      if (route.consumes) await reserveFile(request, reply, route.bodyMax)
    },
    ...(route.consumes ? { bodyLimit: route.bodyMax ?? FILE_MAX, config: { takesFiles: true } } : {}),
    ...(route.produces ? {} : { schema: { response: { '2xx': route.reply } } }),
    handler: async (request, reply) => {
      const { ask, caller, isRemembered } = request.admitted ?? ({} as Partial<Admitted>)
      reply.code(route.created ?? 200)
      if (isPrivate) reply.header('cache-control', 'no-store')
      const [body, refused] = captureRefusal(() => route.body && readBody(route.body, jsonOf(request)))
      const { account_id, project_id, token_id, user_id } = caller ?? ({} as Partial<access.Caller>)
      const named = { account_id: account_id ?? 0, project_id: project_id ?? 0 }
      const db = ofAccount(service.db, account_id)
      const call = {
        ...service,
        ...named,
        db,
        auth,
        request,
        caller,
        by: { ...named, token_id, user_id },
        path: request.params,
        query: request.readQuery,
        body,
        header: (header: string) => request.headers[header] as string | undefined,
        status: (code: number) => void reply.code(code),
        setHeader: (header: string, value: string) => void reply.header(header, value),
        setCookies: (cookies: string[]) => {
          for (const cookie of cookies) reply.header('set-cookie', cookie)
        },
        unchanged: () => {},
        entry: () => entryOf(name, caller!, request),
        stillAdmitted: isRemembered ? access.stillAdmitted(ask!, caller!) : undefined,
      } as unknown as Call<DeclaredName>

      const run = async (call: Call<DeclaredName>) => {
        if (changed?.lock) await requireMatch(changed.lock, call, async () => shownOf(await show!(call)))
        if (!refused) return handler(call)
        // A lost write permission and a missing record have priority over an invalid body.
        if (isRemembered) authorize(await access.findCaller(service.db, ask!), ask!)
        await show?.(call)
        throw refused
      }
      const inTransaction = (db: Database, unchanged: () => void) => run({ ...call, unchanged, db: { ...service.db, ...db } })
      const change = { action: name, by: caller!, request, body, detached: route.detached }
      const work = () => within(ROUTE, () => (isAudited(route) && !writesEntry ? audited(db, change, inTransaction) : run(call)))
      const answer = await inTurn(service, caller, work).catch(async (error) => {
        if (!(error instanceof access.NoLongerAdmitted)) throw error
        const found = await access.findCaller(service.db, ask!)
        authorize(found, ask!)
        known!.note(ask!, found)
        return handler({ ...call, caller: found, stillAdmitted: undefined })
      })
      if (isRemembered) service.lastUsed.note(caller!.token_id)
      const shown = shownOf(answer)
      if (isTagged) {
        const tag = tagOf(shown)
        reply.header('etag', tag)
        if (route.method === 'GET' && isKnown(call.header('if-none-match'), tag)) return reply.code(304).send()
      }
      return reply.type(`${route.produces ?? 'application/json'}; charset=utf-8`).send(shown)
    },
  })
}

/** What a route may fetch from servers of tools: act, previews of imports, people. */
const ROUTE = { bytes: 32 * 1024 * 1024, values: 500_000, pages: 400, seconds: 120 }

/** Within the share of the account, or of the person where it is about all accounts. */
function inTurn<T>({ share }: Service, caller: access.Caller | undefined, work: () => Promise<T>): Promise<T> {
  if (!caller) return work()
  return caller.account_id == null ? share.enterOf(caller.user_id, work) : share.enter(caller.account_id, work)
}

const MEMORY_MS = 15_000

/** Files are read into memory: no account gets more than its share. */
async function reserveFile(request: FastifyRequest, reply: FastifyReply, max = FILE_MAX) {
  const length = Number(request.headers['content-length'] ?? max)
  if (length > max) throw fileTooLarge(max)
  // Read, and copied without personal data.
  const { release } = await reserveBody(reply, request.admitted!.caller.account_id!, 2 * length, MEMORY_MS)
  reply.raw.once('close', release)
}

interface Admitted {
  ask: access.Ask
  caller: access.Caller
  isRemembered: boolean
}

/** The claims of a request: the credential, the needed scope and role, and the account or project. */
function askOf(request: FastifyRequest, scheme: AuthScheme, route: Route): access.Ask {
  const { account_id, project_id } = request.params as { account_id?: string; project_id?: string }
  const role = roleOf(route)
  return {
    who: scheme.who(request),
    scope: route.scope,
    role: role === 'anyone' || role === 'user' || role === 'operator' ? undefined : role,
    account: account_id === undefined ? undefined : (readShortId(account_id) ?? null),
    project: project_id === undefined ? undefined : (readShortId(project_id) ?? null),
  }
}

/** PostgreSQL stores no NUL, so no name contains one. */
function refuseUnstorablePath({ params }: FastifyRequest) {
  if (Object.values(params as Record<string, string>).some((value) => value.includes('\0'))) throw notFound('Page')
}

declare module 'fastify' {
  interface FastifyRequest {
    admitted?: Admitted | undefined
    readQuery?: object
  }
  interface FastifyContextConfig {
    /** The body is a file: it may look like anything. */
    takesFiles?: boolean
  }
}
