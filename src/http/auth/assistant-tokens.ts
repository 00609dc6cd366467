import type { FastifyInstance, FastifyRequest } from 'fastify'
import { oauthRefusal } from '../../contract/errors.ts'
import type { RawQuery } from '../../contract/params.ts'
import type { Scope } from '../../contract/sets.ts'
import * as assistants from '../../domain/access/assistants.ts'
import * as loginCodes from '../../domain/access/login-codes.ts'
import * as refreshTokens from '../../domain/access/refresh-tokens.ts'
import { addressOf } from '../limits/network.ts'
import type { Service } from '../service.ts'
import { refuseOtherResources } from './assistant-request.ts'

export const TOKEN = '/oauth/token'
export const REVOKE = '/oauth/revoke'
export const BODY_LIMIT = 8 * 1024
export const NO_STORE = { 'cache-control': 'no-store', pragma: 'no-cache' }

/** The endpoints where an assistant gets, refreshes and revokes its token. */
export function serveAssistantTokens(app: FastifyInstance, { db, site }: Service, resource: string) {
  const knownAssistant = async (form: Form) => {
    const id = needed(form, 'client_id')
    if (!(await assistants.find(db, id))) throw oauthRefusal('invalid_client', 'This assistant is not registered here.', 401)
    return id
  }
  const grants: Record<string, (form: Form, ip_address: string) => Promise<Granted>> = {
    async authorization_code(form, ip_address) {
      const [code, code_verifier] = [needed(form, 'code'), needed(form, 'code_verifier')]
      const assistant = { id: await knownAssistant(form), redirect_uri: one(form, 'redirect_uri') }
      refuseOtherResources(form, resource)
      const grant = await loginCodes.exchange(db, { code, code_verifier, assistant, ip_address }, site)
      return granted(grant, 'The code is unknown, used, expired or not yours, or the verifier does not match it.')
    },
    async refresh_token(form, ip_address) {
      const value = needed(form, 'refresh_token')
      const assistant = await knownAssistant(form)
      refuseOtherResources(form, resource)
      const grant = await refreshTokens.exchange(db, value, assistant, addressOf(ip_address))
      return granted(grant, 'The refresh token is unknown, used, expired or not yours; ask the user to log in again.')
    },
  }

  app.post(TOKEN, { bodyLimit: BODY_LIMIT }, async (request, reply) => {
    const form = formOf(request)
    const type = needed(form, 'grant_type')
    if (!Object.hasOwn(grants, type))
      throw oauthRefusal('unsupported_grant_type', `grant_type must be one of: ${Object.keys(grants).join(', ')}.`)
    return reply.headers(NO_STORE).send(answerTo(await grants[type]!(form, request.ip)))
  })

  // Unknown tokens and those of others get the same response, so that nothing is revealed.
  app.post(REVOKE, { bodyLimit: BODY_LIMIT }, async (request, reply) => {
    const form = formOf(request)
    const value = needed(form, 'token')
    await refreshTokens.revoke(db, value, await knownAssistant(form))
    return reply.headers(NO_STORE).send()
  })
}

type Form = RawQuery

interface Granted {
  token: string
  refresh_token?: string
  scopes: readonly Scope[]
  expires_at: string
}

function granted(grant: Granted | undefined, refusal: string): Granted {
  if (!grant) throw oauthRefusal('invalid_grant', refusal)
  return grant
}

const answerTo = ({ token, refresh_token, scopes, expires_at }: Granted) => ({
  access_token: token,
  token_type: 'Bearer',
  expires_in: Math.round((Date.parse(expires_at) - Date.now()) / 1000),
  refresh_token,
  scope: scopes.join(' '),
})

function formOf(request: FastifyRequest): Form {
  if (!/^application\/x-www-form-urlencoded\s*(?:;|$)/i.test(request.headers['content-type'] ?? ''))
    throw oauthRefusal('invalid_request', 'Send the body as application/x-www-form-urlencoded.')
  return [...new URLSearchParams((request.body as Buffer | undefined)?.toString('utf8') ?? '')]
}

function one(form: Form, name: string): string | undefined {
  const values = form.filter(([other]) => other === name).map(([, value]) => value)
  if (values.length > 1 || values[0]?.includes('\0')) throw oauthRefusal('invalid_request', `${name} must be there once.`)
  return values[0] || undefined
}

function needed(form: Form, name: string): string {
  const value = one(form, name)
  if (value === undefined) throw oauthRefusal('invalid_request', `${name} is required.`)
  return value
}
