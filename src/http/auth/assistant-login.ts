import type { FastifyInstance, FastifyRequest } from 'fastify'
import { ApiError, oauthRefusal } from '../../contract/errors.ts'
import type { RawQuery } from '../../contract/params.ts'
import { LOGIN_DAYS, LOGIN_SCOPES } from '../../contract/sets.ts'
import * as assistants from '../../domain/access/assistants.ts'
import * as loginCodes from '../../domain/access/login-codes.ts'
import { PATH as MCP } from '../mcp.ts'
import { networkOf } from '../network.ts'
import { jsonOf } from '../rest/rest.ts'
import type { Service } from '../service.ts'
import { readRequest, refuseOtherResources } from './assistant-request.ts'

const METADATA = '/.well-known/oauth-authorization-server'
const REGISTER = '/oauth/register'
const AUTHORIZE = '/oauth/authorize'
const TOKEN = '/oauth/token'
/** The page for people whose browser can be sent neither on nor back. */
const REFUSED = '/oauth/refused'

const BODY_LIMIT = 8 * 1024
const REDIRECT_URIS_MAX = 10
const NO_STORE = { 'cache-control': 'no-store', pragma: 'no-cache' }

/** How an assistant logs in by itself, as the authorization part of its protocol has it: OAuth for public clients, with PKCE. */
export function serveAssistantLogin(app: FastifyInstance, service: Service) {
  const { db, site, limits } = service
  const resource = `${site}${MCP}`
  const document = {
    issuer: site,
    authorization_endpoint: `${site}${AUTHORIZE}`,
    token_endpoint: `${site}${TOKEN}`,
    registration_endpoint: `${site}${REGISTER}`,
    scopes_supported: LOGIN_SCOPES,
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code'],
    token_endpoint_auth_methods_supported: ['none'],
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
        grant_types: ['authorization_code'],
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

  app.post(TOKEN, { bodyLimit: BODY_LIMIT }, async (request, reply) => {
    const form = formOf(request)
    const { client_id, ...asked } = readExchange(form)
    if (!(await assistants.find(db, client_id)))
      throw oauthRefusal('invalid_client', 'This assistant is not registered here.', 401)
    refuseOtherResources(form, resource)
    const assistant = { id: client_id, redirect_uri: asked.redirect_uri }
    const grant = await loginCodes.exchange(db, { ...asked, assistant }, site)
    if (!grant)
      throw oauthRefusal('invalid_grant', 'The code is unknown, used, expired or not yours, or the verifier does not match it.')
    return reply.headers(NO_STORE).send({
      access_token: grant.token,
      token_type: 'Bearer',
      expires_in: LOGIN_DAYS * 86_400,
      scope: grant.scopes.join(' '),
    })
  })
}

/** Of what an assistant may say about itself we need its name and where it listens; what we cannot give is not given. */
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

function formOf(request: FastifyRequest): RawQuery {
  if (!/^application\/x-www-form-urlencoded\s*(?:;|$)/i.test(request.headers['content-type'] ?? ''))
    throw oauthRefusal('invalid_request', 'Send the body as application/x-www-form-urlencoded.')
  return [...new URLSearchParams((request.body as Buffer | undefined)?.toString('utf8') ?? '')]
}

function readExchange(form: RawQuery) {
  const one = (name: string) => {
    const values = form.filter(([other]) => other === name).map(([, value]) => value)
    if (values.length > 1 || values[0]?.includes('\0')) throw oauthRefusal('invalid_request', `${name} must be there once.`)
    return values[0] || undefined
  }
  const needed = (name: string) => {
    const value = one(name)
    if (value === undefined) throw oauthRefusal('invalid_request', `${name} is required.`)
    return value
  }
  if (needed('grant_type') !== 'authorization_code')
    throw oauthRefusal('unsupported_grant_type', 'grant_type must be authorization_code.')
  const [client_id, code, code_verifier] = [needed('client_id'), needed('code'), needed('code_verifier')]
  return { client_id, code, code_verifier, redirect_uri: one('redirect_uri') }
}
