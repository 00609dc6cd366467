import appRoutes from 'virtual:app-routes'
import type { AppArguments, AppName, AppReply } from '../contract/app/routes.ts'
import { ApiError, errorOfResponse } from '../contract/errors.ts'
import type { ConfirmMethod } from '../contract/sets.ts'
import { type Answer, read } from './batch.ts'
import { connection } from './connection.ts'
import { freshSignIn } from './fresh-sign-in.ts'

export { ApiError }

/** The server did not respond. */
export class Away extends Error {
  override readonly name = 'Away'
  constructor() {
    super('Can’t reach the server. Nothing you typed is lost. Try again in a moment.')
  }
}

type Loose = { query?: Record<string, unknown>; body?: unknown; headers?: Record<string, string> } & Record<string, unknown>

/**
 * Calls one route of the contract with the session; throws errors as `ApiError`. A request that needs a fresh sign-in is sent again after the
 * person has confirmed it.
 */
export async function ask<N extends AppName>(name: N, args: AppArguments<N>, signal?: AbortSignal): Promise<AppReply<N>> {
  const { query = {}, body, headers, ...path } = args as Loose
  const [method, pattern, answer] = appRoutes[name]
  const filled = pattern.replace(/:(\w+)/g, (_, key: string) => encodeURIComponent(String(path[key])))
  const search = new URLSearchParams()
  for (const [key, value] of Object.entries(query)) if (value !== undefined && value !== '') search.set(key, String(value))
  const url = `/app/api${filled}${search.size > 0 ? `?${search}` : ''}`
  const send = () => request(method, url, body, signal, answer, headers) as Promise<AppReply<N>>
  return name === 'confirmSession' ? send() : confirmed(send)
}

const confirmed = <T>(send: () => Promise<T>): Promise<T> =>
  send().catch(async (error: unknown) => {
    if (!(error instanceof ApiError) || error.code !== 'fresh_sign_in_required') throw error
    if (!(await freshSignIn.ask(error.extra.methods as ConfirmMethod[]))) throw error
    return send()
  })

/** Downloads a file for which the person must have signed in recently: its first byte says whether they have. */
export async function download(url: string): Promise<void> {
  await confirmed(async () => {
    const response = await fetch(url, { headers: { range: 'bytes=0-0' } })
    if (!response.ok)
      throw refusal({ status: response.status, retryAfter: response.headers.get('retry-after'), body: await response.text() })
  })
  location.assign(url)
}

/** Signing in and out, passwords and mailed links; these reply in the library's own format. */
export const auth = <T = unknown>(path: string, body: object = {}): Promise<T> =>
  request('POST', `/app/auth${path}`, body) as Promise<T>
export const follow = (path: string): Promise<unknown> => request('GET', `/app/auth${path}`, undefined)

/** The unsubscribe link of an email, which needs no session. */
export const unsubscribe = (token: string): Promise<unknown> =>
  request('POST', `/unsubscribe?token=${encodeURIComponent(token)}`, undefined)

async function request(
  method: string,
  url: string,
  body: unknown,
  signal?: AbortSignal,
  answer: 'json' | 'text' = 'json',
  headers: Record<string, string> = {},
) {
  const reply = await (method === 'GET' ? read(url, signal) : write(method, url, body, headers)).catch((error: Error) => {
    if (error.name === 'AbortError') throw error
    connection.lost()
    throw new Away()
  })
  const refused = reply.status < 400 ? undefined : refusal(reply)
  connection.heard(url, reply.status, refused)
  if (refused) throw refused
  return answer === 'json' && typeof reply.body === 'string' ? JSON.parse(reply.body) : reply.body
}

async function write(method: string, url: string, body: unknown, headers: Record<string, string>): Promise<Answer> {
  const content =
    body === undefined
      ? { headers }
      : body instanceof Blob
        ? { body, headers: { 'content-type': 'application/octet-stream', ...headers } }
        : { body: JSON.stringify(body), headers: { 'content-type': 'application/json', ...headers } }
  const response = await fetch(url, { method, ...content })
  return { status: response.status, retryAfter: response.headers.get('retry-after'), body: await response.text() }
}

const refusal = ({ status, body, retryAfter }: Answer): ApiError =>
  errorOfResponse(
    status,
    typeof body === 'string' ? body : JSON.stringify(body),
    status === 401 ? 'You are signed out.' : `The server returned an error (HTTP ${status}).`,
    retryAfter,
  )

/** The message of an error for people. */
export const wordsOf = (error: unknown): string => (error instanceof Error ? error.message : 'Something went wrong.')
