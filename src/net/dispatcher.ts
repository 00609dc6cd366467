import {
  type ClientRequest,
  Agent as HttpAgent,
  type IncomingMessage,
  type RequestOptions,
  request as requestHttp,
} from 'node:http'
import { Agent as HttpsAgent, request as requestHttps } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { retryAfterSeconds } from '../contract/back-off.ts'
import type { AllowedHosts } from './addresses.ts'
import { portOf, resolveHost } from './safe-fetch.ts'
import { tracedRequest } from './tracing.ts'

export interface Answer {
  /** Null without a response. */
  status: number | null
  /** Why there was none. */
  error: string
  /** The beginning of the response. */
  response: string
  /** How many seconds the receiver asks to wait. */
  retryAfter: number
}

interface Post {
  url: string
  headers: Record<string, string>
  body: string
  /** Milliseconds until a response must have started. */
  timeout: number
  /** Aborts; the result is then unknown. */
  signal: AbortSignal
}

const SHOWN_BYTES = 1024
/** A longer response is cut off: only the status matters. */
const READ_BYTES = 64 * 1024
/** An unused connection is closed after this. */
const IDLE_MS = 30_000
const RETRY_AFTER_MAX = 3_600

/** Sends over kept-alive connections; each was opened to a checked address, and redirects are not followed. */
export function openDispatcher(allowedHosts: AllowedHosts) {
  const allowed: AllowedHosts = (host, address, port) => allowedHosts(host, address, port, 'webhooks')
  const kept = { keepAlive: true, timeout: IDLE_MS }
  const agents = { http: new HttpAgent(kept), https: new HttpsAgent(kept) }
  const lookupFor =
    (port: number): LookupFunction =>
    (host, { all }, done) => {
      resolveHost(host, allowed, { port }).then(
        (addresses) => (all ? done(null, addresses) : done(null, addresses[0]!.address, addresses[0]!.family)),
        (error) => done(error, []),
      )
    }

  const attempt = ({ url: address, headers, body, timeout, signal }: Post): Promise<Answer & { stale?: boolean }> =>
    new Promise((resolve) => {
      const url = new URL(address)
      const secure = url.protocol === 'https:'
      const options: RequestOptions = {
        method: 'POST',
        headers: { ...headers, 'content-length': Buffer.byteLength(body) },
        agent: secure ? agents.https : agents.http,
        lookup: lookupFor(portOf(url)),
      }
      const request: ClientRequest = (secure ? requestHttps : requestHttp)(url, options)
      const stop = (why: string) => () => request.destroy(new Error(why))
      const timer = setTimeout(stop(`no answer within ${timeout / 1000} s`), timeout)
      const broken = stop('broken off')
      signal.addEventListener('abort', broken)
      if (signal.aborted) broken()
      const end = (answer: Answer & { stale?: boolean }) => {
        clearTimeout(timer)
        signal.removeEventListener('abort', broken)
        resolve(answer)
      }
      let answered = false
      request
        .on('error', (error) => answered || end({ ...NO_ANSWER, error: reasonOf(error), stale: request.reusedSocket }))
        .on('response', (response) => {
          answered = true
          readAnswer(response).then(end)
        })
        .end(body)
    })

  return {
    async post(post: Post): Promise<Answer> {
      // A literal address is connected to without a lookup.
      const url = new URL(post.url)
      const host = url.hostname.replace(/^\[|\]$/g, '')
      try {
        if (isIP(host) !== 0) await resolveHost(host, allowed, { port: portOf(url) })
      } catch (error) {
        return { ...NO_ANSWER, error: (error as Error).message }
      }
      return tracedRequest('POST', url, async (headers) => {
        const carrying = { ...post, headers: { ...headers, ...post.headers } }
        const { stale, ...answer } = await attempt(carrying)
        // The receiver may have closed a kept connection while we started to write to it.
        return stale && !post.signal.aborted ? attempt(carrying) : answer
      })
    },
    close() {
      agents.http.destroy()
      agents.https.destroy()
    },
  }
}

export type Dispatcher = ReturnType<typeof openDispatcher>

const NO_ANSWER: Answer = { status: null, error: '', response: '', retryAfter: 0 }

/** The headers decide the result; the body is read for the log, and to keep the connection. */
function readAnswer(response: IncomingMessage): Promise<Answer> {
  const chunks: Buffer[] = []
  let size = 0
  return new Promise((resolve) => {
    const end = () =>
      resolve({
        status: response.statusCode!,
        error: '',
        response: textOf(Buffer.concat(chunks)),
        retryAfter: retryAfterOf(response),
      })
    response
      .on('data', (chunk: Buffer) => {
        if (size < SHOWN_BYTES) chunks.push(chunk.subarray(0, SHOWN_BYTES - size))
        size += chunk.length
        if (size > READ_BYTES) response.destroy()
      })
      .on('error', end)
      .on('close', end)
      .on('end', end)
  })
}

const textOf = (bytes: Buffer) => bytes.toString('utf8').replace(/[\u0000-\u0008\u000b-\u001f\u007f]/g, ' ')

function retryAfterOf({ statusCode, headers }: IncomingMessage): number {
  if (statusCode !== 429 && statusCode !== 503) return 0
  return Math.min(Math.ceil(retryAfterSeconds(headers['retry-after']) ?? 0), RETRY_AFTER_MAX)
}

const reasonOf = (error: Error): string =>
  error instanceof AggregateError
    ? reasonOf(error.errors[0])
    : error.message || (error as NodeJS.ErrnoException).code || 'no answer'
