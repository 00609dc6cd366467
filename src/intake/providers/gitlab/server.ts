import type { AllowedHosts } from '../../../net/addresses.ts'
import { requireJson } from '../../../net/reply-json.ts'
import { type FetchedReply, type FetchOptions, safeFetch } from '../../../net/safe-fetch.ts'
import { type Json, text } from '../../reading.ts'
import { failureOf } from '../ci-replies.ts'

const NEEDS =
  'Check the server in the integration settings. The access token needs the role Developer in the project and the scope read_api.'

const NEEDS_TO_WRITE =
  'Check the server in the integration settings. The access token needs the role Developer in the project and the scope api.'

/** The configured server, through GitLab's REST API. Any reply but a success is thrown. */
export function serverAt(config: Readonly<Json>, allowed: AllowedHosts, signal?: AbortSignal) {
  const base = `${(text(config.server) ?? '').replace(/\/$/, '')}/api/v4`
  const send = async (path: string, options: FetchOptions, needs: string): Promise<FetchedReply> => {
    const reply = await safeFetch(`${base}${path}`, (host, ip, port) => allowed(host, ip, port, 'gitlab'), {
      ...options,
      headers: { 'private-token': text(config.api_token) ?? '', 'content-type': 'application/json' },
      ...(signal && { signal }),
    })
    if (reply.status >= 300) throw failureOf(reply, { ci: 'GitLab', request: path.split('?', 1)[0]!, needs })
    return reply
  }
  const get = (path: string, options: FetchOptions = {}) => send(path, options, NEEDS)
  const write =
    (method: 'POST' | 'PUT') =>
    (path: string, body: object = {}) =>
      send(path, { method, body: JSON.stringify(body) }, NEEDS_TO_WRITE)
  return { get, json: async (path: string) => jsonOf(await get(path)), post: write('POST'), put: write('PUT') }
}

/** A project at the configured server, by its id or path. */
export function projectAt(config: Readonly<Json>, project: string, allowed: AllowedHosts, signal?: AbortSignal) {
  const { get, json, post, put } = serverAt(config, allowed, signal)
  const base = `/projects/${encodeURIComponent(project)}`
  return {
    get: (path: string, options?: FetchOptions) => get(`${base}${path}`, options),
    json: (path: string) => json(`${base}${path}`),
    post: (path: string, body?: object) => post(`${base}${path}`, body),
    put: (path: string, body: object) => put(`${base}${path}`, body),
  }
}

export const jsonOf = ({ body }: FetchedReply): unknown => requireJson(body, 'GitLab')
