import appRoutes from 'virtual:app-routes'
import type { AppArguments, AppName, AppReply } from '../contract/app/routes.ts'
import { ApiError, errorOfResponse } from '../contract/errors.ts'
import type { ConfirmMethod } from '../contract/sets.ts'
import { connection } from './connection.ts'
import { freshSignIn } from './fresh-sign-in.ts'

export { ApiError }

/** The server did not answer at all. */
export class Away extends Error {
  override readonly name = 'Away'
  constructor() {
    super('The server does not answer. What you typed is still here; try again in a moment.')
  }
}

type Loose = { query?: Record<string, unknown>; body?: unknown } & Record<string, unknown>

/**
 * Calls one route of the contract with the session; throws errors as `ApiError`. A request that needs a fresh sign-in is sent again after the
 * person has confirmed it.
 */
export async function ask<N extends AppName>(name: N, args: AppArguments<N>, signal?: AbortSignal): Promise<AppReply<N>> {
  const { query = {}, body, ...path } = args as Loose
  const [method, pattern, answer] = appRoutes[name]
  const filled = pattern.replace(/:(\w+)/g, (_, key: string) => encodeURIComponent(String(path[key])))
  const search = new URLSearchParams()
  for (const [key, value] of Object.entries(query)) if (value !== undefined && value !== '') search.set(key, String(value))
  const url = `/app/api${filled}${search.size > 0 ? `?${search}` : ''}`
  const send = () => request(method, url, body, signal, answer) as Promise<AppReply<N>>
  return send().catch(async (error: unknown) => {
    if (!(error instanceof ApiError) || error.code !== 'fresh_sign_in_required' || name === 'confirmSession') throw error
    if (!(await freshSignIn.ask(error.extra.methods as ConfirmMethod[]))) throw error
    return send()
  })
}

/** Signing in and out, passwords and mailed links; these answer in the library's own shapes. */
export const auth = <T = unknown>(path: string, body: object = {}): Promise<T> =>
  request('POST', `/app/auth${path}`, body) as Promise<T>
export const follow = (path: string): Promise<unknown> => request('GET', `/app/auth${path}`, undefined)

/** The link at the end of a mail, which needs no session. */
export const unsubscribe = (token: string): Promise<unknown> =>
  request('POST', `/unsubscribe?token=${encodeURIComponent(token)}`, undefined)

async function request(method: string, url: string, body: unknown, signal?: AbortSignal, answer: 'json' | 'text' = 'json') {
  const { response, text } = await send(method, url, body, signal)
  const refused = response.ok ? undefined : refusal(response, text)
  connection.heard(url, response.status, refused)
  if (refused) throw refused
  return answer === 'text' ? text : JSON.parse(text)
}

async function send(method: string, url: string, body: unknown, signal?: AbortSignal) {
  try {
    const response = await fetch(url, {
      method,
      signal: signal ?? null,
      ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    })
    return { response, text: await response.text() }
  } catch (error) {
    if ((error as Error).name === 'AbortError') throw error
    connection.lost()
    throw new Away()
  }
}

const refusal = ({ status, headers }: Response, text: string): ApiError =>
  errorOfResponse(
    status,
    text,
    status === 401 ? 'You are signed out.' : `The server answered ${status}.`,
    headers.get('retry-after'),
  )

/** What to tell somebody about a failure. */
export const wordsOf = (error: unknown): string => (error instanceof Error ? error.message : 'Something went wrong.')
