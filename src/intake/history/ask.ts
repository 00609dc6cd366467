import { retryAfterSeconds } from '../../contract/back-off.ts'
import type { AllowedHosts } from '../../net/addresses.ts'
import { type FetchedReply, safeFetch, Unreachable } from '../../net/safe-fetch.ts'
import type { Provider } from '../provider.ts'
import { failureOf, Refused } from '../providers/ci-replies.ts'
import { type Json, text } from '../reading.ts'
import type { HistoryReply, HistoryRequest } from './history.ts'

/** A page of 100 records with everything that a tool says about them. */
const PAGE_BYTES = 32 * 1024 * 1024
const TIMEOUT_MS = 60_000
/** How long to wait if a tool refuses because of too many requests and doesn't say how long. */
const LIMITED_S = 60
/** The share of a tool's limit that is left to others. */
const RESERVE = 0.2
const LONGEST_S = 86_400

/** The tool asks to wait. */
export class Limited extends Error {
  override readonly name = 'Limited'
  readonly seconds: number

  constructor(seconds: number) {
    super(`The tool asks to wait for ${seconds} seconds.`)
    this.seconds = seconds
  }
}

/** The server has no such page, or the token can't see it. */
export class Missing extends Refused {}

export interface Answered extends HistoryReply {
  /** How many seconds to wait before the next request. */
  wait: number
}

/** Asks a tool's server for a page. Throws `Limited` if it asks to wait, `Refused` if it will never answer, and `Unreachable` otherwise. */
export async function ask(
  { history, label, name }: Provider,
  { path, body }: HistoryRequest,
  { config, allowed, signal }: { config: Readonly<Json>; allowed: AllowedHosts; signal?: AbortSignal | undefined },
): Promise<Answered> {
  const base = (text(config.server) ?? '').replace(/\/+$/, '')
  const reply = await safeFetch(`${base}${path}`, (host, ip, port) => allowed(host, ip, port, name), {
    method: body ? 'POST' : 'GET',
    headers: { 'content-type': 'application/json', ...history!.headers(config) },
    ...(body && { body: JSON.stringify(body) }),
    ...(signal && { signal }),
    limit: PAGE_BYTES,
    timeout: TIMEOUT_MS,
  })
  const wait = waitAfter(reply)
  if (isLimited(reply)) throw new Limited(wait || LIMITED_S)
  if (reply.status >= 400) {
    const needs = 'Check the server and the token under Server access.'
    const failure = failureOf(reply, { ci: label, request: path.split('?', 1)[0]!, needs })
    throw reply.status === 404 ? new Missing(failure.message) : failure
  }
  return { headers: reply.headers, body: jsonOf(reply, label), wait }
}

const isLimited = ({ status, headers, body }: FetchedReply) =>
  status === 429 ||
  (status === 403 &&
    (headers['retry-after'] !== undefined ||
      headers['x-ratelimit-remaining'] === '0' ||
      body.subarray(0, 2000).includes('rate limit'))) ||
  (status === 400 && body.subarray(0, 2000).includes('"ratelimited"'))

/** Servers name their limits in two ways; Buildkite has a second one for the user of the token. */
const LIMITS = ['x-ratelimit-', 'ratelimit-', 'ratelimit-user-', 'x-ratelimit-requests-']

/** As long as the server asks for; also as soon as only the reserve is left. */
function waitAfter({ headers }: FetchedReply): number {
  const waits = LIMITS.map((prefix) => {
    const [limit, remaining] = [Number(headers[`${prefix}limit`]), Number(headers[`${prefix}remaining`])]
    return remaining <= RESERVE * limit ? untilReset(String(headers[`${prefix}reset`] ?? '')) : 0
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

function jsonOf({ body }: FetchedReply, label: string): unknown {
  try {
    return JSON.parse(body.toString())
  } catch {
    throw new Unreachable(`${label} answers with no JSON.`)
  }
}
