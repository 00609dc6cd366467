import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { createClient } from '../contract/client.ts'
import { ApiError, forbiddenOrigin, invalidParameter } from '../contract/errors.ts'
import { flag, manyOf, type Param, type Query, type RawQuery, readQuery, readShortId } from '../contract/params.ts'
import { LOGIN_SCOPES, TOOLSETS } from '../contract/sets.ts'
import { VERSION } from '../contract/version.ts'
import * as access from '../domain/access/access.ts'
import { tokenScheme } from './auth/auth-scheme.ts'
import { inner } from './inner-request.ts'
import { networkOf } from './limits/network.ts'
import { openEvents } from './mcp-events.ts'
import type { Service } from './service.ts'

export const PATH = '/mcp'
const METADATA = '/.well-known/oauth-protected-resource'

/** Limits in the URL, like the flags of the command. A misspelled name is refused: it would leave open what was to be restricted. */
const PARAMS = {
  project: {
    schema: Type.String(),
    read(name, raw) {
      const id = readShortId(raw)
      if (id === undefined) throw invalidParameter(name, 'must be the number of a project')
      return id
    },
  } satisfies Param<number>,
  read_only: flag,
  toolsets: manyOf(TOOLSETS),
}

/** The tools for assistants at `/mcp` (Streamable HTTP), and the metadata that says where tokens come from. */
export function serveMcp(app: FastifyInstance, service: Service) {
  const { db, site, lastUsed, limits } = service
  const document = {
    resource: `${site}${PATH}`,
    resource_name: 'Goldmaster',
    authorization_servers: [site],
    bearer_methods_supported: ['header'],
    // The scopes of a login; a manually created token may have more.
    scopes_supported: LOGIN_SCOPES,
  }
  for (const url of [METADATA, `${METADATA}${PATH}`]) app.get(url, async () => document)

  const followFor = openEvents(app, service)
  let closing = false
  app.addHook('preClose', async () => {
    closing = true
  })
  app.post(PATH, {
    onRequest: async (request, reply) => {
      refuseOtherOrigins(request, site)
      const bound = readQuery(PARAMS, [...(request.query as RawQuery), ...headerToolsets(request)])
      try {
        const { project } = bound
        const role = project === undefined ? undefined : 'viewer'
        const caller = await access.admit(db, { who: tokenScheme.who(request), scope: 'ping', role, project })
        request.assistant = { caller, bound }
      } catch (error) {
        if (error instanceof ApiError && error.status === 401) return challenge(request, reply, site)
        throw error
      }
      lastUsed.note(request.assistant.caller.token_id)
    },
    handler: async (request, reply) => {
      // Loaded with the first request, to keep the start fast.
      const { answerRequest } = await import('../mcp/http.ts')
      const { caller, bound } = request.assistant!
      const body = parsed(request.body as Buffer | undefined)
      // The request itself was already counted.
      for (const _ of Array.isArray(body) ? body.slice(1) : []) await limits.requests(networkOf(request.ip))
      const ownToken = `Ask the user to create a token with it at ${site}/settings/tokens and add it to this assistant's settings as the header Authorization: Bearer TOKEN.`
      const answer = await answerRequest(asRequest(request, site), body, {
        client: () => innerClient(app, request, site),
        scopes: caller.scopes,
        project: bound.project?.toString(),
        readOnly: bound.read_only,
        toolsets: bound.toolsets,
        signIn: `Ask the user to let this assistant log in again, or to put another token, made at ${site}/settings/tokens, into its settings.`,
        askForMore: ownToken,
        ownToken,
        stopped: () => closing || reply.raw.destroyed,
        follow: followFor(request),
        congested: () => reply.raw.writableNeedDrain,
      })
      return reply
        .code(answer.status)
        .headers(Object.fromEntries(answer.headers))
        .send(answer.body ? Readable.fromWeb(answer.body as ReadableStream) : '')
    },
  })
}

/** Refuses pages of other sites, whatever their visitor's browser can reach. */
function refuseOtherOrigins({ headers: { origin } }: FastifyRequest, site: string) {
  if (origin !== undefined && origin !== new URL(site).origin) throw forbiddenOrigin()
}

/** Some assistants' settings don't support a query. A value in both places is refused, like any repeated name. */
const headerToolsets = ({ headers }: FastifyRequest): RawQuery => {
  const given = headers['x-mcp-toolsets']
  return given === undefined ? [] : [['toolsets', String(given).replaceAll(' ', '')]]
}

/** Tells an assistant where the login metadata is. */
function challenge({ headers }: FastifyRequest, reply: FastifyReply, site: string) {
  const why = headers.authorization === undefined ? '' : 'error="invalid_token", '
  return reply.code(401).header('www-authenticate', `Bearer ${why}resource_metadata="${site}${METADATA}${PATH}"`).send()
}

const asRequest = ({ headers }: FastifyRequest, site: string) => {
  const named = Object.entries(headers).filter((pair): pair is [string, string] => typeof pair[1] === 'string')
  return new Request(`${site}${PATH}`, { method: 'POST', headers: named.filter(([name]) => name !== 'content-length') })
}

/** An unparsable body is passed on as undefined, which the protocol refuses with its own error. */
function parsed(body: Buffer | undefined): unknown {
  try {
    return JSON.parse(body?.toString('utf8') ?? '')
  } catch {
    return null
  }
}

/** Our own REST API, called internally with the caller's token and address: every rule and limit applies here too. */
const innerClient = (app: FastifyInstance, request: FastifyRequest, site: string) =>
  createClient({
    site,
    token: request.headers.authorization!.replace(/^Bearer +/i, ''),
    agent: `goldmaster-mcp/${VERSION}`,
    fetch: (async (url: URL, { method, headers, body }: { method: 'GET'; headers: Record<string, string>; body?: string }) => {
      const payload = body === undefined ? {} : { payload: body }
      const { pathname, search } = url
      const asked = { method, url: `${pathname}${search}`, headers, remoteAddress: request.ip, ...payload }
      const answer = await inner(() => app.inject(asked))
      return new Response(answer.payload, { status: answer.statusCode, headers: retryAfter(answer.headers['retry-after']) })
    }) as unknown as typeof fetch,
  })

const retryAfter = (value: unknown): Record<string, string> => (value === undefined ? {} : { 'retry-after': String(value) })

declare module 'fastify' {
  interface FastifyRequest {
    assistant?: { caller: access.Caller; bound: Query<typeof PARAMS> }
  }
}
