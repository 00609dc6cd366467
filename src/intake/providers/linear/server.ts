import type { AllowedHosts } from '../../../net/addresses.ts'
import { replyJson } from '../../../net/reply-json.ts'
import { safeFetch, Unreachable } from '../../../net/safe-fetch.ts'
import { at, type Json, number, object, text } from '../../reading.ts'
import { failureOf, Refused } from '../ci-replies.ts'
import { server } from './server-settings.ts'

const NEEDS = `Check the API URL in the integration settings. The API key needs the permissions ${server.writeBackNeeds}.`

/** A limit that Linear counts over an hour. */
const LIMIT_S = 3_600

/** Linear's GraphQL API. An error is thrown, although its reply may be 200. */
export const linearAt =
  (config: Readonly<Json>, allowed: AllowedHosts, signal?: AbortSignal) =>
  async (query: string, variables: object = {}): Promise<Json> => {
    const reply = await safeFetch(text(config.server) ?? '', (host, ip, port) => allowed(host, ip, port, 'linear'), {
      method: 'POST',
      headers: { authorization: text(config.api_token) ?? '', 'content-type': 'application/json' },
      body: JSON.stringify({ query, variables }),
      ...(signal && { signal }),
    })
    const told = replyJson(reply.body)
    const error = at(told, 'errors', 0)
    const code = text(at(error, 'extensions', 'code')) ?? ''
    if (code === 'RATELIMITED') {
      const reset = (number(Number(reply.headers['x-ratelimit-requests-reset'])) ?? 0) - Date.now()
      throw new Unreachable('Linear answers that there were too many requests.', {
        retryAfter: Math.min(LIMIT_S, Math.max(1, Math.ceil(reset / 1000) || 60)),
      })
    }
    if (reply.status >= 500 || reply.status === 429 || (reply.status >= 300 && error === undefined))
      throw failureOf(reply, { ci: 'Linear', request: 'a query', needs: NEEDS })
    if (error !== undefined)
      throw new Refused(`Linear refuses: ${text(at(error, 'message')) ?? code}. ${NEEDS}`, statusOf(code, error))
    const data = object(at(told, 'data'))
    if (data === undefined) throw new Unreachable('Linear answers with no data.')
    return data
  }

/** An id that does not exist is an input error, as any other wrong input is. */
function statusOf(code: string, error: unknown): number {
  if (code === 'AUTHENTICATION_ERROR') return 401
  if (code === 'FORBIDDEN') return 403
  return /^Entity not found/i.test(text(at(error, 'message')) ?? '') ? 404 : 400
}
