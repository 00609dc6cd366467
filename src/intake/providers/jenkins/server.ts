import type { AllowedHosts } from '../../../net/addresses.ts'
import { replyJson, requireJson } from '../../../net/reply-json.ts'
import { type FetchedReply, type FetchOptions, safeFetch, Unreachable } from '../../../net/safe-fetch.ts'
import { type Json, object, text } from '../../reading.ts'
import { failureOf } from '../ci-replies.ts'
import { buildAt } from './places.ts'

/** The only Jenkins that an integration may call. */
export class JenkinsServer {
  readonly #base: URL
  readonly #login: { user: string; secret: string; token: boolean } | undefined
  readonly #allowed: AllowedHosts
  readonly #signal: AbortSignal | undefined

  constructor(config: Readonly<Json>, allowed: AllowedHosts, signal?: AbortSignal) {
    const server = text(config.server) ?? ''
    if (!URL.canParse(server)) throw new Unreachable('The configured Jenkins server is no address.')
    this.#base = new URL(server.endsWith('/') ? server : `${server}/`)
    const [user, token, password] = [text(config.user), text(config.api_token), text(config.password)]
    const secret = token ?? password
    if (user !== undefined && secret !== undefined) this.#login = { user, secret, token: token !== undefined }
    this.#allowed = (host, address, port) => allowed(host, address, port, 'jenkins')
    this.#signal = signal
  }

  /** The path of a build below the server, as its job is named in the list of what may be asked for; undefined if it is not there. */
  buildPath(address: string): string | undefined {
    const build = buildAt(address, { server: this.#base.href })
    return build && `${jobPathOf(build.job)}${build.number}/`
  }

  address(path: string): string {
    return `${this.#base.href}${path}`
  }

  /** Throws an error with the server's reply unless it succeeds. */
  async get(path: string, asked: FetchOptions = {}): Promise<FetchedReply> {
    const reached = await this.#ask(path, asked)
    if (reached.status !== 200) throw this.#failure(reached, path)
    return reached
  }

  async json(path: string, tree: string): Promise<Json> {
    const { body } = await this.get(`${path}api/json?tree=${encodeURIComponent(tree)}`, { limit: 4 * 1024 * 1024 })
    return object(requireJson(body, this.#base.origin)) ?? {}
  }

  /** A missing page is undefined. */
  async find(path: string, asked: FetchOptions = {}): Promise<FetchedReply | undefined> {
    const reached = await this.#ask(path, asked)
    if (reached.status === 404) return undefined
    if (reached.status !== 200) throw this.#failure(reached, path)
    return reached
  }

  /** An API token can post directly; a password needs a crumb and its session. */
  async post(path: string, fields: Record<string, string> = {}): Promise<FetchedReply> {
    const crumb = this.#login?.token === false ? await this.#crumb() : {}
    const headers = { ...crumb, 'content-type': 'application/x-www-form-urlencoded' }
    const reached = await this.#ask(path, { method: 'POST', headers, body: new URLSearchParams(fields).toString() })
    if (reached.status < 200 || reached.status > 303) throw this.#failure(reached, path)
    return reached
  }

  async #crumb(): Promise<Record<string, string>> {
    const reached = await this.#ask('crumbIssuer/api/json', {})
    // A server without CSRF protection has no crumbs.
    if (reached.status === 404) return {}
    const reported = object(replyJson(reached.body))
    const [field, crumb] = [text(reported?.crumbRequestField), text(reported?.crumb)]
    if (field === undefined || crumb === undefined) throw new Unreachable(`${this.#base.origin} gives no crumb.`)
    const cookies = (reached.headers['set-cookie'] ?? []).map((cookie) => cookie.split(';', 1)[0]!)
    return { [field]: crumb, ...(cookies.length > 0 && { cookie: cookies.join('; ') }) }
  }

  #failure(reply: FetchedReply, path: string) {
    const needs =
      'Check the user and the API token in the integration settings, and that the job exists and the user may build it.'
    return failureOf(reply, { ci: `Jenkins at ${this.#base.origin}`, request: `/${path.split('?', 1)[0]}`, needs })
  }

  #ask(path: string, asked: FetchOptions): Promise<FetchedReply> {
    const login = this.#login && {
      authorization: `Basic ${Buffer.from(`${this.#login.user}:${this.#login.secret}`).toString('base64')}`,
    }
    const signal = this.#signal && { signal: this.#signal }
    return safeFetch(this.address(path), this.#allowed, { ...asked, ...signal, headers: { ...login, ...asked.headers } })
  }
}

/** `studio/Game Win64` is below `job/studio/job/Game%20Win64/`; a branch's slash is already escaped once in its name. */
export const jobPathOf = (job: string): string =>
  job
    .split('/')
    .filter((part) => part !== '')
    .map((part) => `job/${encodeURIComponent(part)}/`)
    .join('')
