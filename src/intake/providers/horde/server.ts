import type { AllowedHosts } from '../../../net/addresses.ts'
import { type FetchedReply, type FetchOptions, safeFetch, Unreachable } from '../../../net/safe-fetch.ts'
import { type Json, text } from '../../reading.ts'
import { failureOf } from '../ci-replies.ts'

const NEEDS = 'Check the server in the integration settings. The token needs the permission to view jobs and logs of the streams.'
const BYTES = 32 * 1024 * 1024

/** The configured server, through Horde's REST API. Any reply but a success is thrown. */
export function hordeAt(config: Readonly<Json>, allowed: AllowedHosts, signal?: AbortSignal) {
  const base = `${(text(config.server) ?? '').replace(/\/$/, '')}/api/v1`
  const get = async (path: string, options: FetchOptions = {}): Promise<FetchedReply> => {
    const reply = await safeFetch(`${base}${path}`, (host, ip, port) => allowed(host, ip, port, 'horde'), {
      limit: BYTES,
      ...options,
      headers: { accept: 'application/json', authorization: `Bearer ${text(config.api_token) ?? ''}` },
      ...(signal && { signal }),
    })
    if (reply.status !== 200) throw failureOf(reply, { ci: 'Horde', request: path.split('?', 1)[0]!, needs: NEEDS })
    return reply
  }
  return { json: async (path: string) => jsonOf(await get(path)), get }
}

function jsonOf({ body }: FetchedReply): unknown {
  try {
    return JSON.parse(body.toString())
  } catch {
    throw new Unreachable('Horde answers with no JSON.')
  }
}
