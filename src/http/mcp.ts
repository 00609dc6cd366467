import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { createClient } from '../contract/client.ts'
import { ApiError, forbiddenOrigin } from '../contract/errors.ts'
import { LOGIN_SCOPES } from '../contract/sets.ts'
import { VERSION } from '../contract/version.ts'
import * as access from '../domain/access/access.ts'
import { tokenScheme } from './auth/auth-scheme.ts'
import type { Service } from './service.ts'

export const PATH = '/mcp'
const METADATA = '/.well-known/oauth-protected-resource'

/** The tools for assistants at `/mcp` (Streamable HTTP), and the document that says where tokens for it come from. */
export function serveMcp(app: FastifyInstance, service: Service) {
  const { db, site, lastUsed } = service
  const document = {
    resource: `${site}${PATH}`,
    resource_name: 'Goldmaster',
    authorization_servers: [site],
    bearer_methods_supported: ['header'],
    // What a login may ask for; a token made by hand may hold more.
    scopes_supported: LOGIN_SCOPES,
  }
  for (const url of [METADATA, `${METADATA}${PATH}`]) app.get(url, async () => document)

  let closing = false
  app.addHook('preClose', async () => {
    closing = true
  })
  app.post(PATH, {
    onRequest: async (request, reply) => {
      refuseOtherOrigins(request, site)
      try {
        request.assistant = await access.findCaller(db, { who: tokenScheme.who(request), scope: 'ping', project: undefined })
      } catch (error) {
        if (error instanceof ApiError && error.status === 401) return challenge(request, reply, site)
        throw error
      }
      lastUsed.note(request.assistant.token_id)
    },
    handler: async (request, reply) => {
      // Loaded when an assistant first asks: a start need not wait for it.
      const { answerRequest } = await import('../mcp/http.ts')
      const answer = await answerRequest(asRequest(request, site), parsed(request.body as Buffer | undefined), {
        client: () => innerClient(app, request, site),
        scopes: request.assistant!.scopes,
        signIn: `Ask the user to let this assistant log in again, or to put another token, made at ${site}/settings/tokens, into its settings.`,
        stopped: () => closing || reply.raw.destroyed,
      })
      return reply
        .code(answer.status)
        .headers(Object.fromEntries(answer.headers))
        .send(await answer.text())
    },
  })
}

/** A page of another site has no business here, whatever its visitor's browser can reach. */
function refuseOtherOrigins({ headers: { origin } }: FastifyRequest, site: string) {
  if (origin !== undefined && origin !== new URL(site).origin) throw forbiddenOrigin()
}

/** Tells an assistant where it can read how to log in. */
function challenge({ headers }: FastifyRequest, reply: FastifyReply, site: string) {
  const why = headers.authorization === undefined ? '' : 'error="invalid_token", '
  return reply.code(401).header('www-authenticate', `Bearer ${why}resource_metadata="${site}${METADATA}${PATH}"`).send()
}

const asRequest = ({ headers }: FastifyRequest, site: string) => {
  const named = Object.entries(headers).filter((pair): pair is [string, string] => typeof pair[1] === 'string')
  return new Request(`${site}${PATH}`, { method: 'POST', headers: named.filter(([name]) => name !== 'content-length') })
}

/** What does not parse is handed on as nothing at all, which the protocol refuses in its own words. */
function parsed(body: Buffer | undefined): unknown {
  try {
    return JSON.parse(body?.toString('utf8') ?? '')
  } catch {
    return null
  }
}

/** Our own REST API, asked from inside with the caller's token and address: every rule and limit holds here too. */
const innerClient = (app: FastifyInstance, request: FastifyRequest, site: string) =>
  createClient({
    site,
    token: request.headers.authorization!.replace(/^Bearer +/i, ''),
    agent: `goldmaster-mcp/${VERSION}`,
    fetch: (async (url: URL, { method, headers, body }: { method: 'GET'; headers: Record<string, string>; body?: string }) => {
      const payload = body === undefined ? {} : { payload: body }
      const { pathname, search } = url
      const inner = await app.inject({ method, url: `${pathname}${search}`, headers, remoteAddress: request.ip, ...payload })
      return new Response(inner.payload, { status: inner.statusCode, headers: retryAfter(inner.headers['retry-after']) })
    }) as unknown as typeof fetch,
  })

const retryAfter = (value: unknown): Record<string, string> => (value === undefined ? {} : { 'retry-after': String(value) })

declare module 'fastify' {
  interface FastifyRequest {
    assistant?: access.Caller
  }
}
