import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { TSchema } from 'typebox'
import { Value } from 'typebox/value'
import {
  type AppRoute,
  isAudited,
  type OwnBody,
  type OwnName,
  type OwnPath,
  type OwnQuery,
  type OwnReply,
  ownRoutes,
  showsOwn,
} from '../../contract/app/routes.ts'
import { invalidParameter, notFound, unknownParameter, unstorableText } from '../../contract/errors.ts'
import { type RawQuery, readQuery, readShortId } from '../../contract/params.ts'
import { admit, type Caller, refuseIfReadOnly } from '../../domain/access/access.ts'
import { scrubberOf } from '../../domain/privacy/replies.ts'
import { audited } from '../audited.ts'
import type { Auth } from '../auth/auth.ts'
import { type AuthScheme, requireSameOrigin } from '../auth/auth-scheme.ts'
import { jsonOf } from '../rest/rest.ts'
import type { Service } from '../service.ts'

/**
 * A request of the web app that was authorized. Routes open to everybody have no session. Where something changes, `db` is of the transaction that the audit log is written in.
 */
export interface AppCall<N extends OwnName> extends Service {
  auth: () => Promise<Auth>
  request: FastifyRequest
  caller: Caller
  /** The places the path names; whoever asks for others is turned away before. */
  account_id: number
  project_id: number
  path: OwnPath<N>
  query: OwnQuery<N>
  body: OwnBody<N>
  setCookies(cookies: string[]): void
}

export type AppHandlers = { [N in OwnName]: (call: AppCall<N>) => Promise<OwnReply<N>> }

/** The reply of what has nothing to tell. */
export const done = { ok: true }

/** Serves what only the web app has, with the same authentication as the shared table; to tokens what has a scope. */
export function serveApp(
  app: FastifyInstance,
  service: Service,
  scheme: AuthScheme,
  auth: () => Promise<Auth>,
  handlers: AppHandlers,
) {
  for (const name of Object.keys(scheme.own) as OwnName[]) {
    const route: AppRoute = ownRoutes[name]
    const shown = showsOwn(name) ? undefined : scrubberOf(route.reply)
    const handler = handlers[name] as (call: AppCall<OwnName>) => Promise<unknown>
    app.route({
      method: route.method,
      url: `${scheme.prefix}${route.path}`,
      onRequest: async (request) => {
        request.caller = await admitted(service, scheme, route, request)
      },
      schema: { response: { '2xx': route.reply } },
      handler: async (request, reply) => {
        const caller = request.caller as Caller
        reply.code(route.created ?? 200).header('cache-control', 'no-store')
        const call: AppCall<OwnName> = {
          ...service,
          auth,
          request,
          caller,
          account_id: caller?.account_id ?? 0,
          project_id: caller?.project_id ?? 0,
          path: request.params as OwnPath<OwnName>,
          query: readQuery(route.query, request.query as RawQuery) as OwnQuery<OwnName>,
          body: (route.body ? readBody(route.body, jsonOf(request)) : undefined) as OwnBody<OwnName>,
          setCookies: (cookies) => {
            for (const cookie of cookies) reply.header('set-cookie', cookie)
          },
        }
        const { detached } = route
        const answer = () =>
          isAudited(route)
            ? audited(service.db, { action: name, by: caller, request, body: call.body, detached }, (db) =>
                handler({ ...call, db: { ...service.db, ...db } }),
              )
            : handler(call)
        const told = await (caller?.account_id ? service.share.enter(caller.account_id, answer) : answer())
        return reply.type('application/json; charset=utf-8').send(shown ? shown(told as never) : told)
      },
    })
  }
}

async function admitted(
  service: Service,
  scheme: AuthScheme,
  route: AppRoute,
  request: FastifyRequest,
): Promise<Caller | undefined> {
  if (route.who === 'anyone') {
    requireSameOrigin(request)
    return void refuseUnstorablePath(request)
  }
  const { account_id, project_id } = request.params as { account_id?: string; project_id?: string }
  const idOf = (raw: string | undefined) => (raw === undefined ? undefined : (readShortId(raw) ?? null))
  const caller = await admit(service.db, {
    who: scheme.who(request),
    scope: route.scope,
    role: route.who === 'user' || route.who === 'operator' ? undefined : route.who,
    account: idOf(account_id),
    project: idOf(project_id),
  })
  request.about = caller
  service.lastUsed.note(caller.token_id)
  if (route.who === 'operator' && !caller.operator) throw notFound('Page')
  if (route.writes) refuseIfReadOnly(caller, service.site)
  refuseUnstorablePath(request)
  return caller
}

/** PostgreSQL holds no NUL, so nothing is called by a name with one. */
function refuseUnstorablePath({ params }: FastifyRequest) {
  if (Object.values(params as Record<string, string>).some((value) => value.includes('\0'))) throw notFound('Page')
}

/** NUL and lone surrogates as JSON writes them; after an even number of backslashes, or somebody typed just that. */
const UNSTORABLE = /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f])/

/** The body as its schema has it, or the first thing that is wrong with it. */
function readBody(schema: TSchema, body: unknown): unknown {
  const wrong = Value.Errors(schema, body)
  const extra = wrong.find(({ keyword }) => keyword === 'additionalProperties')
  if (extra)
    throw unknownParameter(String((extra.params as { additionalProperties: string[] }).additionalProperties[0]), fieldsOf(schema))
  const [first] = wrong
  if (first?.keyword === 'required')
    throw invalidParameter((first.params as { requiredProperties: string[] }).requiredProperties[0]!, 'is required')
  if (first) throw invalidParameter(first.instancePath.slice(1).replaceAll('/', '.') || 'body', first.message)
  if (UNSTORABLE.test(JSON.stringify(body) ?? '')) throw unstorableText()
  return body
}

const fieldsOf = (schema: TSchema) => Object.keys((schema as { properties?: object }).properties ?? {})

declare module 'fastify' {
  interface FastifyRequest {
    caller?: Caller | undefined
  }
}
