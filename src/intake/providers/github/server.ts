import type { AllowedHosts } from '../../../net/addresses.ts'
import { requireJson } from '../../../net/reply-json.ts'
import { type FetchedReply, safeFetch } from '../../../net/safe-fetch.ts'
import { at, type Json, text, word } from '../../reading.ts'
import { failureOf } from '../ci-replies.ts'

const NEEDS =
  'Check the API URL in the integration settings. The access token needs the permissions Actions: read and write and Contents: read.'

interface Sent {
  method?: 'PATCH'
  body?: object
  raw?: boolean
  manualRedirect?: boolean
  /** Bytes of the reply. */
  limit?: number
  /** The first bytes of a longer one. */
  cut?: true
}

/** The configured repository, through GitHub's REST API. Any reply but a success is thrown. */
export function repositoryAt(config: Readonly<Json>, allowed: AllowedHosts, signal?: AbortSignal, needs = NEEDS) {
  const base = (text(config.server) ?? '').replace(/\/$/, '')
  const permitted: AllowedHosts = (host, ip, port) => allowed(host, ip, port, 'github')
  const send = async (path: string, more: Sent = {}, from = base) => {
    const { body, raw, ...options } = more
    const reply = await safeFetch(`${from}${path}`, permitted, {
      method: body ? 'POST' : 'GET',
      ...options,
      headers: {
        accept: raw ? 'application/vnd.github.raw+json' : 'application/vnd.github+json',
        authorization: `Bearer ${text(config.api_token) ?? ''}`,
        'content-type': 'application/json',
      },
      ...(body && { body: JSON.stringify(body) }),
      ...(signal && { signal }),
    })
    if (reply.status >= 400) throw failureOf(reply, { ci: 'GitHub', request: path.split('?', 1)[0]!, needs })
    return reply
  }
  return {
    json: async (path: string) => jsonOf(await send(path)),
    text: async (path: string) => (await send(path, { raw: true })).body.toString(),
    post: (path: string, body: object) => send(path, { body }),
    send,
    /** The id of the person or bot that the token belongs to. */
    user: async () => word(at(jsonOf(await send('/user', {}, base.replace(/\/repos\/[^/]+\/[^/]+$/, ''))), 'id')),
  }
}

export const jsonOf = ({ body }: FetchedReply): unknown => requireJson(body, 'GitHub')
