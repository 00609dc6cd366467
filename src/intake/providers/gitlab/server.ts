import type { AllowedHosts } from '../../../net/addresses.ts'
import { type FetchedReply, type FetchOptions, safeFetch, Unreachable } from '../../../net/safe-fetch.ts'
import { type Json, text } from '../../reading.ts'
import { failureOf } from '../ci-replies.ts'

const NEEDS =
  'Check the server in the integration settings. The access token needs the role Developer in the project and the scope read_api.'

const NEEDS_TO_WRITE =
  'Check the server in the integration settings. The access token needs the role Developer in the project and the scope api.'

/** A project at the configured server, through GitLab's REST API. Any reply but a success is thrown. */
export function projectAt(config: Readonly<Json>, project: string, allowed: AllowedHosts, signal?: AbortSignal) {
  const base = `${(text(config.server) ?? '').replace(/\/$/, '')}/api/v4/projects/${encodeURIComponent(project)}`
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
  const post = (path: string, body: object = {}) => send(path, { method: 'POST', body: JSON.stringify(body) }, NEEDS_TO_WRITE)
  return { post, json: async (path: string) => jsonOf(await get(path)), get }
}

function jsonOf({ body }: FetchedReply): unknown {
  try {
    return JSON.parse(body.toString())
  } catch {
    throw new Unreachable('GitLab answers with no JSON.')
  }
}
