import type { AllowedHosts } from '../../../net/addresses.ts'
import { requireJson } from '../../../net/reply-json.ts'
import { type FetchedReply, type FetchOptions, safeFetch } from '../../../net/safe-fetch.ts'
import { at, type Json, text, word } from '../../reading.ts'
import { failureOf } from '../ci-replies.ts'

const NEEDS = 'Check the server in the integration settings. The token needs the permission to view jobs and logs of the streams.'
const NEEDS_TO_WRITE =
  'Check the server in the integration settings. The token needs the permission to create and abort jobs of the stream.'
const BYTES = 4 * 1024 * 1024

/** The configured server, through Horde's REST API. Any reply but a success is thrown. */
export function hordeAt(config: Readonly<Json>, allowed: AllowedHosts, signal?: AbortSignal) {
  const base = `${(text(config.server) ?? '').replace(/\/$/, '')}/api/v1`
  const ask = async (path: string, options: FetchOptions, needs: string): Promise<FetchedReply> => {
    const reply = await safeFetch(`${base}${path}`, (host, ip, port) => allowed(host, ip, port, 'horde'), {
      limit: BYTES,
      ...options,
      headers: {
        accept: 'application/json',
        'content-type': 'application/json',
        authorization: `Bearer ${text(config.api_token) ?? ''}`,
      },
      ...(signal && { signal }),
    })
    if (reply.status >= 300) throw failureOf(reply, { ci: 'Horde', request: path.split('?', 1)[0]!, needs })
    return reply
  }
  const get = (path: string, options: FetchOptions = {}) => ask(path, options, NEEDS)
  const send = (method: 'POST' | 'PUT', path: string, body: object) =>
    ask(path, { method, body: JSON.stringify(body) }, NEEDS_TO_WRITE)
  return { send, json: async (path: string) => requireJson((await get(path)).body, 'Horde'), get }
}

/** The stream of a job. */
export async function streamOf(
  config: Readonly<Json>,
  id: string,
  { allowed, signal }: { allowed: AllowedHosts; signal?: AbortSignal | undefined },
): Promise<string[]> {
  const job = /^horde:([0-9a-zA-Z]+)$/.exec(id)?.[1]
  if (job === undefined) return []
  const stream = word(at(await hordeAt(config, allowed, signal).json(`/jobs/${job}?filter=streamId`), 'streamId'))
  return stream === undefined ? [] : [stream]
}
