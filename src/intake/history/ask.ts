import type { Database } from '../../db/database.ts'
import type { IntegrationContext } from '../../domain/integrations/context.ts'
import { jobsOf } from '../../domain/integrations/imports.ts'
import type { AllowedHosts } from '../../net/addresses.ts'
import { requireJson } from '../../net/reply-json.ts'
import { safeFetch } from '../../net/safe-fetch.ts'
import type { Abilities } from '../abilities.ts'
import type { Provider } from '../provider.ts'
import { failureOf, Refused } from '../providers/ci-replies.ts'
import { isLimited, secondsToWait } from '../providers/rate-limits.ts'
import { coveredBy } from '../reach/reach.ts'
import { type Json, text } from '../reading.ts'
import { stripNul } from '../strip-nul.ts'
import type { Asked, HistoryPart, HistoryReply, HistoryRequest } from './history.ts'

/** A page of 100 records with everything that a tool says about them has half of it. */
const PAGE_BYTES = 4 * 1024 * 1024
const TIMEOUT_MS = 60_000
/** How long to wait if a tool refuses because of too many requests and doesn't say how long. */
const LIMITED_S = 60
/** The share of a tool's limit that is left to others. */
const RESERVE = 0.2

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
  /** Since the reply with this ETag; there is no body. */
  isUnchanged?: true
}

/** A provider, or a chat vendor. */
export interface AskedTool extends Pick<Provider, 'history' | 'label'>, Pick<Abilities, 'transport'> {
  /** The use for which the operator allows private hosts. */
  name: string
}

/** Asks a tool's server for a page. Throws `Limited` if it asks to wait, `Refused` if it will never answer, and `Unreachable` otherwise. */
export async function ask(
  { history, label, name, transport }: AskedTool,
  { path, body, server, etag }: HistoryRequest,
  { config, allowed, signal }: { config: Readonly<Json>; allowed: AllowedHosts; signal?: AbortSignal | undefined },
): Promise<Answered> {
  if (transport)
    return { headers: {}, body: stripNul(await transport.send(path, { config, allowed, signal })), details: new Map(), wait: 0 }
  const base = (server ?? text(config.server) ?? '').replace(/\/+$/, '')
  const reply = await safeFetch(`${base}${path}`, (host, ip, port) => allowed(host, ip, port, name), {
    method: body ? 'POST' : 'GET',
    headers: {
      'content-type': 'application/json',
      ...(etag !== undefined && { 'if-none-match': etag }),
      ...history!.headers?.(config),
    },
    ...(body && { body: JSON.stringify(body) }),
    ...(signal && { signal }),
    limit: PAGE_BYTES,
    timeout: TIMEOUT_MS,
  })
  const wait = secondsToWait(reply, RESERVE)
  if (isLimited(reply)) throw new Limited(wait || LIMITED_S)
  if (reply.status >= 400) {
    const needs = 'Check the server and the token under Server access.'
    const failure = failureOf(reply, { ci: label, request: path.split('?', 1)[0]!, needs })
    throw reply.status === 404 ? new Missing(failure.message, 404) : failure
  }
  const answered = { headers: reply.headers, details: new Map(), wait }
  if (reply.status === 304 && etag !== undefined) return { ...answered, body: undefined, isUnchanged: true }
  return { ...answered, body: stripNul(requireJson(reply.body, label)) }
}

/** Asks for a page, or for a detail. */
export type Send = (request: HistoryRequest) => Promise<Answered>

/** What a provider's pages leave out. */
export async function readAbout(
  { history }: Provider,
  { config, jobs }: Pick<Asked, 'config' | 'jobs'>,
  send: Send,
): Promise<Json> {
  const { about } = history!
  if (!about) return {}
  const path = typeof about.path === 'string' ? about.path : about.path(config)
  return about.read((await send({ path })).body, jobs)
}

/** The jobs that an integration reported and that it may ask for, for a provider that needs them. */
export async function jobsFor(db: Database, { history }: Provider, integration: IntegrationContext): Promise<string[]> {
  if (!history!.parts.some(({ ofJobs }) => ofJobs)) return []
  const isOurs = await coveredBy(db, integration)
  return (await jobsOf(db, integration)).filter((job) => isOurs({ job }))
}

/** A page with the details that it leaves out; those that the tool doesn't have, or the token can't see, are undefined. */
export async function withDetails(part: HistoryPart, asked: Asked, page: Answered, send: Send): Promise<Answered> {
  const details = new Map<string, unknown>()
  let { wait } = page
  for (;;) {
    const missing = part.details?.({ ...page, details }, asked).filter(({ path }) => !details.has(path)) ?? []
    if (missing.length === 0) return { ...page, details, wait }
    for (const request of missing) {
      const answered = await send(request).catch((error: unknown) => {
        if (error instanceof Refused && (error.status === 403 || error.status === 404)) return undefined
        throw error
      })
      details.set(request.path, answered?.body)
      wait = Math.max(wait, answered?.wait ?? 0)
    }
  }
}
