import { retryAfterSeconds } from '../../contract/back-off.ts'
import type { FetchedReply } from '../../net/safe-fetch.ts'

/** A longer waiting time is a mistake. */
const LONGEST_S = 86_400

/** Servers name their limits in two ways; Buildkite has a second one for the user of the token. */
const LIMITS = ['x-ratelimit-', 'ratelimit-', 'ratelimit-user-', 'x-ratelimit-requests-', 'x-ratelimit-complexity-']

/** Whether the server refuses because of too many requests. Some answer 403 or 400 to that. */
export const isLimited = ({ status, headers, body }: FetchedReply): boolean =>
  status === 429 ||
  (status === 403 &&
    (headers['retry-after'] !== undefined ||
      LIMITS.some((prefix) => headers[`${prefix}remaining`] === '0') ||
      body.subarray(0, 2000).includes('rate limit'))) ||
  (status === 400 && /"ratelimited"/i.test(body.subarray(0, 2000).toString()))

/** The seconds that the server asks to wait; also if at most `reserve` of its limit is left, as a share. */
export function secondsToWait({ headers }: FetchedReply, reserve = 0): number {
  const waits = LIMITS.map((prefix) => {
    const [limit, remaining] = [Number(headers[`${prefix}limit`] ?? 0), Number(headers[`${prefix}remaining`])]
    return remaining <= reserve * limit ? untilReset(String(headers[`${prefix}reset`] ?? '')) : 0
  })
  return Math.min(LONGEST_S, Math.ceil(Math.max(0, retryAfterSeconds(headers['retry-after']) ?? 0, ...waits)))
}

/** The reset is a time in seconds or milliseconds, the seconds left, or an ISO time. */
function untilReset(reset: string): number {
  const value = Number(reset)
  const now = Date.now() / 1000
  if (Number.isNaN(value) || reset === '') return Math.max(0, Date.parse(reset) / 1000 - now || 0)
  return Math.max(0, value > 1e11 ? value / 1000 - now : value > 1e9 ? value - now : value)
}
