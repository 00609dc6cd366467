import type { ClientRequest, RequestOptions } from 'node:http'
import type { Socket } from 'node:net'
import { isLoopback } from '../../contract/loopback.ts'
import { Failure } from '../../terminal/failures.ts'

const TUNNEL_MS = 30_000

/** An environment variable in either case, like curl and Go. */
const given = (env: NodeJS.ProcessEnv, name: string) => env[name] || env[name.toUpperCase()]

/** Whether an entry of NO_PROXY matches a host: `*`, `gold.example`, `.example`, each with or without a port. */
function means(entry: string, url: URL): boolean {
  const [, name, port] = /^(.*?)(?::(\d+))?$/.exec(entry)!
  if (port !== undefined && port !== (url.port || (url.protocol === 'https:' ? '443' : '80'))) return false
  const suffix = name!.replace(/^\*?\.?/, '')
  return name === '*' || url.hostname === suffix || url.hostname.endsWith(`.${suffix}`)
}

/** The proxy of the environment for a URL. This machine is never called through one. */
export function proxyFor(url: URL, env: NodeJS.ProcessEnv): URL | undefined {
  const named = given(env, url.protocol === 'https:' ? 'https_proxy' : 'http_proxy') ?? given(env, 'all_proxy')
  if (!named || isLoopback(url.origin)) return undefined
  const spared = (given(env, 'no_proxy') ?? '').split(',').map((entry) => entry.trim().toLowerCase())
  if (spared.some((entry) => entry !== '' && means(entry, url))) return undefined
  const text = named.includes('://') ? named : `http://${named}`
  const proxy = URL.canParse(text) ? new URL(text) : undefined
  if (proxy?.protocol !== 'http:')
    throw new Failure('The proxy URL is invalid. Set HTTPS_PROXY or HTTP_PROXY to a URL like http://proxy.example:3128.')
  return proxy
}

const authorization = ({ username, password }: URL): Record<string, string> =>
  username === ''
    ? {}
    : {
        'proxy-authorization': `Basic ${Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString('base64')}`,
      }

const addressOf = (proxy: URL) => ({ host: proxy.hostname.replace(/^\[|\]$/g, ''), port: proxy.port || 80 })

/** A request through a proxy: plain for http, inside a tunnel for https, so that the proxy sees neither token nor data. */
export async function requestThrough(proxy: URL, url: URL, options: RequestOptions): Promise<ClientRequest> {
  const { request } = await import('node:http')
  if (url.protocol === 'http:')
    return request({
      ...options,
      ...addressOf(proxy),
      path: url.href,
      headers: { host: url.host, ...authorization(proxy), ...(options.headers as Record<string, string>) },
    })
  const socket = await tunnel(proxy, url)
  const { request: secure } = await import('node:https')
  const { connect } = await import('node:tls')
  // Without an agent, which would open its own connection.
  return secure(url, { ...options, createConnection: () => connect({ socket, servername: url.hostname }) })
}

async function tunnel(proxy: URL, url: URL): Promise<Socket> {
  const { request } = await import('node:http')
  const to = `${url.hostname}:${url.port || 443}`
  return new Promise((resolve, reject) => {
    const refuse = (why: string) =>
      reject(
        new Failure(
          `Can't reach ${url.origin} through the proxy ${proxy.host}: ${why}. Check HTTPS_PROXY, HTTP_PROXY and NO_PROXY.`,
        ),
      )
    const asked = request({
      ...addressOf(proxy),
      method: 'CONNECT',
      path: to,
      headers: { host: to, ...authorization(proxy) },
      timeout: TUNNEL_MS,
    })
    asked.once('connect', ({ statusCode }, socket) => {
      if (statusCode === 200) return resolve(socket)
      socket.destroy()
      refuse(`it answered ${statusCode}`)
    })
    asked.once('timeout', () => asked.destroy(new Error('it does not respond')))
    asked.once('error', (error: NodeJS.ErrnoException) => refuse(error.code ?? error.message))
    asked.end()
  })
}
