import type { AllowedHosts } from '../../../net/addresses.ts'
import { requireJson } from '../../../net/reply-json.ts'
import { type FetchOptions, safeFetch } from '../../../net/safe-fetch.ts'
import { type Json, text } from '../../reading.ts'
import { failureOf } from '../ci-replies.ts'
import { server } from './server-settings.ts'

const NEEDS = `Check the server in the integration settings. The user of the token needs the permissions ${server.writeBackNeeds}.`

export const baseOf = (config: Readonly<Json>) => (text(config.server) ?? '').replace(/\/$/, '')

/** The configured server, through version 2 of Jira's REST API, which Cloud and Data Center have. Any reply but a success is thrown. */
export function jiraAt(config: Readonly<Json>, allowed: AllowedHosts, signal?: AbortSignal) {
  const [user, token] = [text(config.user), text(config.api_token) ?? '']
  const authorization = user ? `Basic ${Buffer.from(`${user}:${token}`).toString('base64')}` : `Bearer ${token}`
  return async (path: string, method: FetchOptions['method'] = 'GET', body?: object): Promise<unknown> => {
    const reply = await safeFetch(`${baseOf(config)}/rest/api/2${path}`, (host, ip, port) => allowed(host, ip, port, 'jira'), {
      method,
      headers: { authorization, accept: 'application/json', 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
      ...(signal && { signal }),
    })
    if (reply.status >= 300) throw failureOf(reply, { ci: 'Jira', request: path.split('?', 1)[0]!, needs: NEEDS })
    if (reply.body.length === 0) return undefined
    return requireJson(reply.body, 'Jira')
  }
}
