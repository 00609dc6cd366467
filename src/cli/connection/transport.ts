import type { ClientRequest, IncomingMessage, RequestOptions } from 'node:http'
import { Failure, usage } from '../../terminal/failures.ts'
import { clean } from '../../terminal/text.ts'
import { proxyFor, requestThrough } from './proxy.ts'

/** The maximum size of one reply: a page of the API is far smaller. */
const MOST_BYTES = 32 * 1024 * 1024
const TIMEOUT_S = 30

export interface ApiRequest {
  method?: string
  headers?: Record<string, string>
  body?: string | Buffer
}

export interface Answer {
  status: number
  type: string
  header(name: string): string | null
  text: string
}

/** The timeout of a whole reply. */
export function timeoutSeconds(environment: NodeJS.ProcessEnv): number {
  const given = environment.GOLDMASTER_TIMEOUT
  if (!given) return TIMEOUT_S
  if (!/^\d{1,4}$/.test(given) || Number(given) === 0) throw usage('GOLDMASTER_TIMEOUT must be a number of seconds, such as 60')
  return Number(given)
}

/** Starts a request. Node's own `http` rather than `fetch`, which takes three times as long to load. */
export async function begin(url: URL, { method = 'GET', headers = {}, body }: ApiRequest): Promise<ClientRequest> {
  const { request } = url.protocol === 'https:' ? await import('node:https') : await import('node:http')
  const options: RequestOptions = { method, headers: { accept: 'application/json', ...headers } }
  if (body !== undefined) options.headers = { ...options.headers, 'content-length': String(Buffer.byteLength(body)) }
  const proxy = proxyFor(url, process.env)
  const begun = proxy ? await requestThrough(proxy, url, options) : request(url, options)
  begun.end(body)
  return begun
}

/** The response headers, or a readable reason why there are none. */
export const headOf = (begun: ClientRequest, site: string): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    begun.once('response', resolve)
    begun.once('error', (error: NodeJS.ErrnoException) => reject(unreachable(error, site)))
  })

/** One request, limited in time and size; redirects are not followed, so that a token is never forwarded. */
export async function exchange(url: URL, asked: ApiRequest, seconds: number): Promise<Answer> {
  const begun = await begin(url, asked)
  const site = url.origin
  const slow = new Failure(`${site} did not respond within ${seconds} s. To wait longer, set GOLDMASTER_TIMEOUT to more seconds.`)
  let late = false
  let complete = false
  const timer = setTimeout(() => {
    late = true
    begun.destroy(slow)
  }, seconds * 1000)
  try {
    const response = await headOf(begun, site)
    const status = response.statusCode ?? 0
    if (status >= 300 && status < 400)
      throw new Failure(`${site} redirects to ${clean(response.headers.location ?? '?')}. Use that URL as --host.`)
    const text = await bodyOf(response, site)
    complete = true
    const header = (name: string) => {
      const value = response.headers[name.toLowerCase()]
      return value === undefined ? null : String(value)
    }
    return { status, type: header('content-type') ?? '', header, text }
  } catch (error) {
    throw late ? slow : error
  } finally {
    clearTimeout(timer)
    if (!complete) begun.destroy()
  }
}

async function bodyOf(response: IncomingMessage, site: string): Promise<string> {
  const parts: Buffer[] = []
  let bytes = 0
  try {
    for await (const part of response as AsyncIterable<Buffer>) {
      bytes += part.length
      if (bytes > MOST_BYTES)
        throw new Failure(`${site} sent more than ${MOST_BYTES >> 20} MB. This is not a Goldmaster response; check --host.`)
      parts.push(part)
    }
  } catch (error) {
    throw error instanceof Failure
      ? error
      : new Failure(`The connection to ${site} broke before the response was complete. Try again.`)
  }
  return Buffer.concat(parts).toString('utf8')
}

const REASONS: Record<string, string> = {
  ECONNREFUSED: 'connection refused. Check that the service is running',
  ENOTFOUND: 'unknown host name. Check the spelling',
  EAI_AGAIN: 'the DNS lookup failed. Check your network',
  ECONNRESET: 'the connection was closed before a response arrived',
  EPROTO: 'it does not support HTTPS. If that is expected, use http://',
  ETIMEDOUT: 'timed out. Check the URL and the firewall',
  EHOSTUNREACH: 'no network route. Check your network or VPN',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is not trusted. If you use your own CA, set NODE_EXTRA_CA_CERTS to its file',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate is not trusted. If you use your own CA, set NODE_EXTRA_CA_CERTS to its file',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its certificate is not trusted. If you use your own CA, set NODE_EXTRA_CA_CERTS to its file',
}

function unreachable(error: NodeJS.ErrnoException, site: string): Failure {
  if (error instanceof Failure) return error
  const code = error.code ?? ''
  const reason = REASONS[code] ?? (code.startsWith('HPE_') ? 'the response is not HTTP' : code || clean(error.message))
  return new Failure(`Can't reach ${site}: ${reason}. To use another service, set --host or GOLDMASTER_HOST.`)
}
