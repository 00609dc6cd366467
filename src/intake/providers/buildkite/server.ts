import type { AllowedHosts } from '../../../net/addresses.ts'
import { requireJson } from '../../../net/reply-json.ts'
import { type FetchOptions, safeFetch } from '../../../net/safe-fetch.ts'
import { type Json, text } from '../../reading.ts'
import { failureOf } from '../ci-replies.ts'

/** The builds of a pipeline, through Buildkite's REST API. Any reply but a success is thrown. */
export function buildsOf(pipeline: string, config: Readonly<Json>, allowed: AllowedHosts, signal?: AbortSignal) {
  const address = `${(text(config.server) ?? '').replace(/\/$/, '')}/pipelines/${encodeURIComponent(pipeline)}/builds`
  const ask = async (path: string, options: FetchOptions): Promise<Buffer> => {
    const reply = await safeFetch(`${address}${path}`, (host, ip, port) => allowed(host, ip, port, 'buildkite'), {
      ...options,
      headers: {
        authorization: `Bearer ${text(config.api_token) ?? ''}`,
        'content-type': 'application/json',
        ...options.headers,
      },
      ...(signal && { signal }),
    })
    if (reply.status >= 300)
      throw failureOf(reply, {
        ci: 'Buildkite',
        request: `a build of ${pipeline}`,
        needs: 'Check the API URL in the integration settings. The API token needs the scopes read_builds and write_builds.',
      })
    return reply.body
  }
  return {
    send: async (method: 'GET' | 'POST' | 'PUT', path: string, body?: object): Promise<unknown> =>
      requireJson(await ask(path, { method, ...(body && { body: JSON.stringify(body) }) }), 'Buildkite'),
    /** A text. */
    read: async (path: string, size: FetchOptions) =>
      (await ask(path, { ...size, headers: { accept: 'text/plain' } })).toString(),
  }
}
