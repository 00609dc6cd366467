import type { FastifyInstance } from 'fastify'
import { ApiError, oauthRefusal } from '../../contract/errors.ts'
import type { RawQuery } from '../../contract/params.ts'
import { LOGIN_SCOPES } from '../../contract/sets.ts'
import * as assistants from '../../domain/access/assistants.ts'
import { networkOf } from '../limits/network.ts'
import { PATH as MCP } from '../mcp.ts'
import { jsonOf } from '../routes/request-body.ts'
import type { Service } from '../service.ts'
import { readRequest } from './assistant-request.ts'
import { BODY_LIMIT, NO_STORE, REVOKE, serveAssistantTokens, TOKEN } from './assistant-tokens.ts'

const METADATA = '/.well-known/oauth-authorization-server'
const REGISTER = '/oauth/register'
const AUTHORIZE = '/oauth/authorize'
/** The page for people whose browser can be redirected neither forward nor back. */
const REFUSED = '/oauth/refused'

const GRANT_TYPES = ['authorization_code', 'refresh_token']
const REDIRECT_URIS_MAX = 10

/** The login of an assistant, as specified by the MCP authorization: OAuth for public clients, with PKCE. */
export function serveAssistantLogin(app: FastifyInstance, service: Service) {
  const { db, site, limits } = service
  const resource = `${site}${MCP}`
  const document = {
    issuer: site,
    authorization_endpoint: `${site}${AUTHORIZE}`,
    token_endpoint: `${site}${TOKEN}`,
    revocation_endpoint: `${site}${REVOKE}`,
    registration_endpoint: `${site}${REGISTER}`,
    scopes_supported: LOGIN_SCOPES,
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: GRANT_TYPES,
    token_endpoint_auth_methods_supported: ['none'],
    revocation_endpoint_auth_methods_supported: ['none'],
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
  }
  for (const url of [METADATA, `${METADATA}${MCP}`]) app.get(url, async () => document)

  app.post(REGISTER, { bodyLimit: BODY_LIMIT }, async (request, reply) => {
    await limits.signIns(`register ${networkOf(request.ip)}`)
    const { client_name, redirect_uris } = readRegistration(jsonOf(request))
    const { id, name } = await assistants.register(db, client_name, redirect_uris)
    return reply
      .code(201)
      .headers(NO_STORE)
      .send({
        client_id: id,
        client_id_issued_at: Math.floor(Date.now() / 1000),
        client_name: name,
        redirect_uris,
        token_endpoint_auth_method: 'none',
        grant_types: GRANT_TYPES,
        response_types: ['code'],
      })
  })

  app.get(AUTHORIZE, async (request, reply) => {
    const to = await readRequest(service, resource, request.query as RawQuery).catch((error: unknown) => {
      if (!(error instanceof ApiError) || !request.headers.accept?.includes('text/html')) throw error
      return `${REFUSED}?${new URLSearchParams({ why: error.code })}`
    })
    return reply.headers({ ...NO_STORE, 'referrer-policy': 'no-referrer' }).redirect(to, 302)
  })

  serveAssistantTokens(app, service, resource)
}

/** Only the client's name and redirect URIs are used; unsupported features are not granted. */
function readRegistration(body: unknown): { client_name: string; redirect_uris: string[] } {
  const { client_name = '', redirect_uris, grant_types } = (body ?? {}) as Record<string, unknown>
  if (typeof client_name !== 'string') throw oauthRefusal('invalid_client_metadata', 'client_name must be text.')
  if (grant_types !== undefined && !(Array.isArray(grant_types) && grant_types.includes('authorization_code')))
    throw oauthRefusal('invalid_client_metadata', 'grant_types must hold authorization_code.')
  const fits = Array.isArray(redirect_uris) && redirect_uris.length >= 1 && redirect_uris.length <= REDIRECT_URIS_MAX
  if (!fits || !redirect_uris.every(assistants.isRedirectUri))
    throw oauthRefusal(
      'invalid_redirect_uri',
      `redirect_uris must be 1 to ${REDIRECT_URIS_MAX} addresses, each https://, http:// on this machine (127.0.0.1, [::1], localhost) or a program's own without a query (com.example.app:/…, cursor://publisher.extension/…).`,
    )
  return { client_name, redirect_uris }
}
