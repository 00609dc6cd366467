import { lookup } from 'node:dns/promises'
import { type IncomingHttpHeaders, type IncomingMessage, type RequestOptions, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { createGunzip } from 'node:zlib'
import { type AllowedHosts, isPrivate } from './addresses.ts'
import { currentBudget, OverBudget } from './budget.ts'
import { tracedRequest } from './tracing.ts'

/** A server that is unreachable, too slow, sends too much, or is not allowed. */
export class Unreachable extends Error {
  override readonly name: string = 'Unreachable'
  /** How many seconds the server asks to wait before the next attempt. */
  readonly retryAfter: number

  constructor(message: string, { retryAfter = 0, ...options }: ErrorOptions & { retryAfter?: number } = {}) {
    super(message, options)
    this.retryAfter = retryAfter
  }
}

/** No response, or not in time. The next caller will most likely wait in vain too. */
export class NoAnswer extends Unreachable {
  override readonly name = 'NoAnswer'
  /** Whether the request may have arrived anyway. */
  readonly mayHaveArrived: boolean

  constructor(message: string, { mayHaveArrived = false, ...options }: ErrorOptions & { mayHaveArrived?: boolean } = {}) {
    super(message, options)
    this.mayHaveArrived = mayHaveArrived
  }
}

export interface FetchOptions {
  method?: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'
  headers?: Record<string, string>
  body?: string | Buffer
  /** Bytes of the response, as sent and decompressed; more is refused. */
  limit?: number
  /** Returns the first bytes of a longer response instead of refusing it. */
  cut?: true
  /** Keeps only so many bytes of the end. */
  tail?: number
  /** Milliseconds for everything, redirects included. */
  timeout?: number
  signal?: AbortSignal
  /** Returns a redirect instead of following it. */
  manualRedirect?: boolean
  /** A server of the operator: it is trusted, and its replies don't count. */
  isOwn?: true
  /** Checks the response headers; false leaves the body unread. */
  wanted?: (status: number, headers: IncomingHttpHeaders) => boolean
}

export interface FetchedReply {
  status: number
  headers: IncomingHttpHeaders
  body: Buffer
  /** Whether the response goes on after the body. */
  isCut?: boolean
}

const LIMIT = 1024 * 1024
const TIMEOUT_MS = 20_000
/** A healthy server starts to respond sooner, however long its response is. */
const HEAD_TIMEOUT_MS = 10_000
const REDIRECTS = 3

/**
 * Calls a server whose URL came from outside. The name is resolved once, every address is checked, and the connection uses one of those
 * addresses; redirects are followed only within the same origin.
 */
export async function safeFetch(address: string, allowed: AllowedHosts, asked: FetchOptions = {}): Promise<FetchedReply> {
  const url = readUrl(address)
  const { method = 'GET' } = asked
  return tracedRequest(method, url, (headers) =>
    followRedirects(url, allowed, { ...asked, headers: { ...headers, ...asked.headers } }),
  )
}

async function followRedirects(address: URL, allowed: AllowedHosts, asked: FetchOptions): Promise<FetchedReply> {
  const budget = asked.isOwn ? undefined : currentBudget()
  budget?.spend('pages', 1)
  const timeout = AbortSignal.timeout(asked.timeout ?? TIMEOUT_MS)
  const signal = AbortSignal.any([timeout, asked.signal, budget?.signal].filter((one) => one !== undefined))
  let url = address
  for (let hops = 0; hops <= REDIRECTS; hops++) {
    const reached = await attempt(url, allowed, asked, signal)
    const target = reached.status >= 300 && reached.status < 400 ? reached.headers.location : undefined
    if (target === undefined || asked.manualRedirect || (asked.method ?? 'GET') !== 'GET') return reached
    const next = URL.canParse(target, url.href) ? new URL(target, url) : undefined
    if (next?.origin !== url.origin) throw new Unreachable(`${url.origin} redirects elsewhere.`)
    url = next
  }
  throw new Unreachable(`${url.origin} redirects without end.`)
}

/** The addresses of a host, all of them allowed. */
export async function resolveHost(
  host: string,
  allowed: AllowedHosts,
  { port, signal }: { port?: number; signal?: AbortSignal | undefined } = {},
): Promise<{ address: string; family: number }[]> {
  const found = isIP(host) !== 0 ? [{ address: host, family: isIP(host) }] : await lookedUp(host, signal)
  for (const { address } of found)
    if (isPrivate(address) && !allowed(host, address, port))
      throw new Unreachable(`${host} is a private address; the operator may allow it with ALLOW_PRIVATE_HOSTS.`)
  return found
}

async function lookedUp(host: string, signal: AbortSignal | undefined) {
  try {
    return await orAborted(lookup(host, { all: true, verbatim: true }), signal)
  } catch (error) {
    throw error instanceof Unreachable ? error : new NoAnswer(`${host} is not known (${reasonOf(error)}).`)
  }
}

function readUrl(address: string): URL {
  const url = URL.canParse(address) ? new URL(address) : undefined
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:')
    throw new Unreachable('The address must begin with http:// or https://.')
  if (url.username !== '' || url.password !== '') throw new Unreachable('The address must not hold a password.')
  return url
}

async function attempt(url: URL, allowed: AllowedHosts, asked: FetchOptions, signal: AbortSignal): Promise<FetchedReply> {
  // An IPv6 host is in brackets; other odd spellings of addresses were normalized when the URL was parsed.
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const addresses = await resolveHost(host, allowed, { port: portOf(url), signal })
  const response = await send(url, addresses, asked, signal)
  try {
    const { statusCode: status = 0, headers } = response
    if (asked.wanted?.(status, headers) === false) return { status, headers, body: Buffer.alloc(0) }
    return { status, headers, ...(await readBody(response, asked, url, signal)) }
  } finally {
    response.destroy()
  }
}

function send(
  url: URL,
  addresses: { address: string; family: number }[],
  asked: FetchOptions,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const pinned: LookupFunction = (_host, options, done) =>
    options.all ? done(null, addresses) : done(null, addresses[0]!.address, addresses[0]!.family)
  const options: RequestOptions = {
    method: asked.method ?? 'GET',
    headers: { 'user-agent': 'goldmaster', 'accept-encoding': 'gzip', ...asked.headers },
    lookup: pinned,
    // A separate connection: none that was opened to another address is reused.
    agent: false,
    signal,
  }
  return new Promise((resolve, reject) => {
    const request = (url.protocol === 'https:' ? requestHttps : requestHttp)(url, options)
    let late = false
    let connected = false
    const timer = setTimeout(() => {
      late = true
      request.destroy()
    }, HEAD_TIMEOUT_MS)
    request
      .on('socket', (socket) => socket.once(url.protocol === 'https:' ? 'secureConnect' : 'connect', () => (connected = true)))
      .on('response', resolve)
      .on('response', () => clearTimeout(timer))
      .on('error', (error) => {
        clearTimeout(timer)
        const why = late || signal.aborted ? `${url.origin} took too long.` : `${url.origin} is away (${reasonOf(error)}).`
        reject(new NoAnswer(why, { mayHaveArrived: connected }))
      })
      .end(asked.body)
  })
}

async function readBody(
  response: IncomingMessage,
  { limit = LIMIT, cut, tail = Number.POSITIVE_INFINITY, isOwn }: FetchOptions,
  url: URL,
  signal: AbortSignal,
) {
  const budget = isOwn ? undefined : currentBudget()
  const tooMuch = () => new Unreachable(`${url.origin} answers with more than ${limit} bytes.`)
  const encoding = response.headers['content-encoding'] ?? 'identity'
  if (encoding !== 'identity' && encoding !== 'gzip')
    throw new Unreachable(`${url.origin} answers in ${encoding}, which was not asked for.`)
  let packed = 0
  response.on('data', (chunk: Buffer) => {
    packed += chunk.length
    if (packed > limit && !cut) response.destroy(tooMuch())
  })
  const plain = encoding === 'gzip' ? response.pipe(createGunzip()) : response
  if (plain !== response)
    response.on('error', (error) => plain.destroy(error)).on('aborted', () => plain.destroy(new Error('cut off')))
  const chunks: Buffer[] = []
  let size = 0
  let dropped = 0
  try {
    for await (const chunk of plain as AsyncIterable<Buffer>) {
      size += chunk.length
      if (size > limit && !cut) throw tooMuch()
      budget?.spend('bytes', chunk.length)
      chunks.push(chunk)
      while (size - dropped - chunks[0]!.length >= tail) dropped += chunks.shift()!.length
      if (size > limit) return { body: Buffer.concat(chunks).subarray(0, limit), isCut: true }
    }
  } catch (error) {
    if (error instanceof Unreachable || error instanceof OverBudget) throw error
    budget?.refuseIfLate()
    const why = signal.aborted ? `${url.origin} took too long.` : `${url.origin} broke off (${reasonOf(error)}).`
    throw new NoAnswer(why, { mayHaveArrived: true })
  }
  return { body: Buffer.concat(chunks) }
}

const orAborted = <T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> =>
  signal === undefined
    ? work
    : Promise.race([
        work,
        new Promise<never>((_, reject) =>
          signal.addEventListener('abort', () => reject(new NoAnswer('Took too long.')), { once: true }),
        ),
      ])

/** The default port of the scheme if none is given. */
export const portOf = ({ port, protocol }: URL) => Number(port) || (protocol === 'https:' ? 443 : 80)

const reasonOf = (error: unknown) => (error as NodeJS.ErrnoException).code ?? (error as Error).message
