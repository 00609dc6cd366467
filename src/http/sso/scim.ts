import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ApiError, invalidActive, unauthorized } from '../../contract/errors.ts'
import { EMAIL } from '../../contract/limits.ts'
import { type RawQuery, readShortId } from '../../contract/params.ts'
import * as scim from '../../domain/sign-in/scim.ts'
import { jsonOf } from '../routes/request-body.ts'
import type { Service } from '../service.ts'

/** SCIM 2.0 (RFC 7643, 7644), users only: a provider creates members and, above all, ends the access of people who left. */

const PATH = '/scim/v2'
const SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:User'
const MESSAGES = 'urn:ietf:params:scim:api:messages:2.0'
const PAGE_MAX = 100

export function serveScim(app: FastifyInstance, { db, share, site }: Service) {
  type Handler = (account: number, request: FastifyRequest, reply: FastifyReply) => Promise<object | undefined>
  const route = (method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: string, handle: Handler) =>
    app.route({
      method,
      url: `${PATH}${path}`,
      handler: async (request, reply) => {
        const token = /^Bearer +(\w{43,60})$/i.exec(request.headers.authorization ?? '')?.[1]
        const account = token && (await scim.accountOf(db, token))
        if (!account) throw unauthorized()
        reply.type('application/scim+json; charset=utf-8').header('cache-control', 'no-store')
        try {
          return (await share.enter(account, () => handle(account, request, reply))) ?? reply.code(204).send()
        } catch (error) {
          if (!(error instanceof ApiError)) throw error
          const status = error.code === 'last_owner' ? 409 : error.status
          return reply
            .code(status)
            .send(refusal(status, error.message, error.code === 'invalid_active' ? 'invalidValue' : undefined))
        }
      },
    })
  const shown = ({ user_id, email, name, external_id, active }: scim.Managed) => ({
    schemas: [SCHEMA],
    id: String(user_id),
    ...(external_id === null ? {} : { externalId: external_id }),
    userName: email,
    displayName: name,
    emails: [{ value: email, primary: true }],
    active,
    meta: { resourceType: 'User', location: `${site}${PATH}/Users/${user_id}` },
  })
  const idOf = (request: FastifyRequest) => readShortId((request.params as { id: string }).id)
  const change = async (account: number, request: FastifyRequest, active: boolean | undefined) => {
    const { user_id } = await scim.find(db, account, idOf(request))
    if (active !== undefined) await scim.setActive(db, account, user_id, active, request.ip)
    return shown(await scim.find(db, account, user_id))
  }

  route('GET', '/ServiceProviderConfig', async () => ({
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig'],
    patch: { supported: true },
    bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
    filter: { supported: true, maxResults: PAGE_MAX },
    changePassword: { supported: false },
    sort: { supported: false },
    etag: { supported: false },
    authenticationSchemes: [{ type: 'oauthbearertoken', name: 'Bearer token', description: 'A token of the account.' }],
  }))
  route('GET', '/Users', async (account, request, reply) => {
    const query = Object.fromEntries(request.query as RawQuery)
    const email = /^userName eq "([^"\0]*)"$/i.exec(query.filter ?? '')?.[1]
    if (query.filter !== undefined && email === undefined)
      return reply.code(400).send(refusal(400, 'Only the filter userName eq "…" is known.', 'invalidFilter'))
    const startIndex = Math.max(1, whole(query.startIndex, 1))
    const found = await scim.list(db, account, {
      email,
      skip: startIndex - 1,
      count: Math.min(PAGE_MAX, whole(query.count, PAGE_MAX)),
    })
    const Resources = found.map(shown)
    return {
      schemas: [`${MESSAGES}:ListResponse`],
      totalResults: found[0]?.total ?? 0,
      startIndex,
      itemsPerPage: Resources.length,
      Resources,
    }
  })
  route('GET', '/Users/:id', async (account, request) => shown(await scim.find(db, account, idOf(request))))
  route('POST', '/Users', async (account, request, reply) => {
    const said = bodyOf(request)
    const email = text(said.userName)?.trim().toLowerCase() ?? ''
    if (email.length > EMAIL.maxLength || !EMAIL.pattern.test(email))
      return reply.code(400).send(refusal(400, 'userName must be an e-mail address.', 'invalidValue'))
    const made = await scim.create(
      db,
      account,
      {
        email,
        name: text(said.displayName) ?? '',
        external_id: text(said.externalId)?.slice(0, 500) ?? null,
        active: activeIn(said) ?? true,
      },
      request.ip,
    )
    return made
      ? reply.code(201).send(shown(made))
      : reply.code(409).send(refusal(409, 'The account has them already.', 'uniqueness'))
  })
  route('PUT', '/Users/:id', (account, request) => change(account, request, activeIn(bodyOf(request))))
  route('PATCH', '/Users/:id', (account, request) => change(account, request, patched(bodyOf(request).Operations)))
  route('DELETE', '/Users/:id', async (account, request) => {
    await change(account, request, false)
    return undefined
  })
}

const refusal = (status: number, detail: string, scimType?: string) => ({
  schemas: [`${MESSAGES}:Error`],
  status: String(status),
  ...(scimType === undefined ? {} : { scimType }),
  detail,
})

const bodyOf = (request: FastifyRequest) => (jsonOf(request) ?? {}) as Record<string, unknown>
const text = (value: unknown) => (typeof value === 'string' && !value.includes('\0') ? value : undefined)
const whole = (value: string | undefined, otherwise: number) => (/^\d{1,9}$/.test(value ?? '') ? Number(value) : otherwise)

/**
 * Entra ID sends it as a string. Anything else is refused: if it were ignored, somebody would keep access that the provider considers
 * ended.
 */
const flag = (value: unknown): boolean => {
  if (typeof value === 'boolean') return value
  const word = typeof value === 'string' ? value.toLowerCase() : ''
  if (word !== 'true' && word !== 'false') throw invalidActive()
  return word === 'true'
}

/** Attribute names are case-insensitive and may have their schema as a prefix: a missed one would leave somebody with access. */
const isActive = (name: unknown) =>
  typeof name === 'string' && ['active', `${SCHEMA}:active`.toLowerCase()].includes(name.toLowerCase())
const activeIn = (said: unknown): boolean | undefined =>
  Object.entries(said ?? {}).flatMap(([name, value]) => (isActive(name) ? flag(value) : []))[0]

/** `{op: replace, path: active, value}` or `{op: replace, value: {active}}`; other attributes are not stored. */
function patched(operations: unknown): boolean | undefined {
  const said = (Array.isArray(operations) ? operations : []).map((one) => {
    const { path, value } = (one ?? {}) as { path?: unknown; value?: unknown }
    return path === undefined ? activeIn(value) : isActive(path) ? flag(value) : undefined
  })
  return said.findLast((active) => active !== undefined)
}
