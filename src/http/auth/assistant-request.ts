import { ApiError, invalidParameter, oauthRefusal } from '../../contract/errors.ts'
import type { RawQuery } from '../../contract/params.ts'
import { GRANTABLE_SCOPES, LOGIN_SCOPES, type Scope } from '../../contract/sets.ts'
import type { Database } from '../../db/database.ts'
import type { Identity } from '../../domain/access/access.ts'
import * as assistants from '../../domain/access/assistants.ts'
import * as loginCodes from '../../domain/access/login-codes.ts'
import * as sessions from '../../domain/sign-in/sessions.ts'
import type { Service } from '../service.ts'

/** A validated authorization request of an assistant. */
interface AuthorizationRequest {
  assistant_id: string
  redirect_uri: string
  state: string | undefined
  code_challenge: string
  scopes: readonly Scope[]
}

const PLACE = 'assistant-request'

const STATE_MAX = 2000

/**
 * Where the browser goes: to the consent page, or back to a program on the person's own machine with an error. An unidentified client gets
 * no redirect.
 */
export async function readRequest({ db, vault, site }: Service, resource: string, query: RawQuery): Promise<string> {
  const given = single(query)
  const { client_id, redirect_uri } = given
  const assistant = client_id ? await assistants.find(db, client_id.replaceAll('\0', '')) : undefined
  if (!client_id || !assistant)
    throw oauthRefusal('invalid_client', 'This assistant is not registered here, or no longer; add the server to it once more.')
  if (!redirect_uri || !assistants.allowsRedirect(assistant, redirect_uri))
    throw oauthRefusal('invalid_request', 'redirect_uri is none that this assistant registered.')
  const state = given.state !== undefined && given.state.length <= STATE_MAX ? given.state : undefined
  try {
    const asked: AuthorizationRequest = { assistant_id: assistant.id, redirect_uri, state, ...readWishes(given, query, resource) }
    return `/cli/auth?${new URLSearchParams({ request: vault.seal(JSON.stringify(asked), PLACE) })}`
  } catch (error) {
    // Anybody may register a site: without a person's consent a link to us must not redirect there.
    if (!(error instanceof ApiError) || !assistants.isOwnMachine(redirect_uri)) throw error
    return comeBack(site, { redirect_uri, state }, { error: error.code, error_description: error.message })
  }
}

/** A repeated parameter is invalid, so it is dropped. */
const single = (query: RawQuery): Record<string, string | undefined> =>
  Object.fromEntries(query.filter(([name]) => query.filter(([other]) => other === name).length === 1))

function readWishes(given: Record<string, string | undefined>, query: RawQuery, resource: string) {
  const { response_type, code_challenge = '', code_challenge_method, state = '', scope } = given
  if (response_type === undefined) throw oauthRefusal('invalid_request', 'response_type must be there, once.')
  if (response_type !== 'code') throw oauthRefusal('unsupported_response_type', 'response_type must be code.')
  if (code_challenge_method !== 'S256' || !/^[A-Za-z0-9_-]{43}$/.test(code_challenge))
    throw oauthRefusal('invalid_request', 'code_challenge with code_challenge_method=S256 is required.')
  if (state.length > STATE_MAX) throw oauthRefusal('invalid_request', `state must have at most ${STATE_MAX} characters.`)
  refuseOtherResources(query, resource)
  return { code_challenge, scopes: readScopes(scope) }
}

/** Tokens are issued for this service only. */
export function refuseOtherResources(query: RawQuery, resource: string) {
  const named = query.filter(([name]) => name === 'resource').map(([, value]) => value.replace(/\/$/, ''))
  if (named.some((name) => name !== resource && name !== new URL(resource).origin))
    throw oauthRefusal('invalid_target', `resource must be ${resource}.`)
}

/** Scopes that a login cannot have are omitted, as the protocol allows; the response lists the granted ones. */
function readScopes(text: string | undefined): readonly Scope[] {
  const words = (text ?? '').split(' ').filter(Boolean)
  if (words.length === 0) return LOGIN_SCOPES
  const known = GRANTABLE_SCOPES.filter((scope) => words.includes(scope))
  if (known.length === 0) throw oauthRefusal('invalid_scope', `Scopes are: ${GRANTABLE_SCOPES.join(' ')}.`)
  return GRANTABLE_SCOPES.filter((scope) => scope === 'ping' || words.includes(scope))
}

/** The request as the consent page carries it: sealed, so that only we can have written it. */
export async function openRequest(db: Database, vault: Service['vault'], request: string) {
  const asked = unsealed(vault, request)
  const assistant = asked && (await assistants.find(db, asked.assistant_id))
  if (!asked || !assistant) throw invalidParameter('request', 'is not one of ours; start the login again where it came from')
  return { asked, assistant }
}

function unsealed(vault: Service['vault'], request: string): AuthorizationRequest | undefined {
  try {
    return JSON.parse(vault.open(request, PLACE)) as AuthorizationRequest
  } catch {
    return undefined
  }
}

/** The redirect URL with the person's decision. */
export async function decide(
  { db, vault, site }: Pick<Service, 'db' | 'vault' | 'site'>,
  visit: Pick<Identity, 'user_id' | 'session_id' | 'token_id'>,
  { allow, request }: { allow: boolean; request: string },
) {
  const { asked, assistant } = await openRequest(db, vault, request)
  if (!allow) return { redirect_to: comeBack(site, asked, { error: 'access_denied' }) }
  const { code_challenge, scopes, redirect_uri } = asked
  const code = await sessions.granting(db, visit, null, async (db) => {
    await assistants.noteUse(db, assistant.id)
    const waiting = { id: assistant.id, redirect_uri }
    return loginCodes.issue(db, {
      user_id: visit.user_id,
      code_challenge,
      client_name: assistant.name,
      scopes,
      assistant: waiting,
    })
  })
  return { redirect_to: comeBack(site, asked, { code }) }
}

/** Includes our issuer, so that an assistant with several services knows which one responds. */
function comeBack(
  site: string,
  { redirect_uri, state }: Pick<AuthorizationRequest, 'redirect_uri' | 'state'>,
  answer: Record<string, string>,
) {
  const url = new URL(redirect_uri)
  const said = { ...answer, ...(state === undefined ? {} : { state }), iss: site }
  for (const [name, value] of Object.entries(said)) url.searchParams.append(name, value)
  return url.href
}
