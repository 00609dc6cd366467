import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { retryAfterSeconds } from '../../contract/back-off.ts'
import { VERSION_HEADER } from '../../contract/version.ts'
import { AGENT } from '../connection/requests.ts'
import { exchange } from '../connection/transport.ts'
import { signatureHeader } from '../connection/webhook-signature.ts'

/** The result of a request: accepted, to be retried, or refused for good. */
export type Outcome =
  | { kind: 'taken'; offset?: number; tests?: number; failing?: number }
  | { kind: 'later'; why: string; seconds?: number; too_large?: true; unknown_build?: true; offset?: number }
  | { kind: 'never'; why: string; log_only?: true }

/** Permanent errors: the URL, the token, the body. Anything else may pass: a restart, a limit, a paused project. */
const FINAL = [400, 401, 404, 405, 410, 415, 422]

const pack = promisify(gzip)

/** The service as a build calls it: with the webhook token of a CI integration, and signed if there is a secret. Never throws. */
export class BuildService {
  readonly site: string
  readonly #token: string
  readonly #secret: string | undefined
  /** The version of the service, once it has answered. */
  version: string | undefined

  constructor(site: string, token: string, secret?: string) {
    this.site = site
    this.#token = token
    this.#secret = secret
  }

  /** A report about a build; repeated ones count once. */
  report(body: object, seconds: number): Promise<Outcome> {
    const text = JSON.stringify(body)
    const headers = { 'content-type': 'application/json', ...signatureHeader(this.#secret, text) }
    return this.#post('/webhooks/ci', headers, text, seconds)
  }

  /** A piece of its log. */
  async log(query: Record<string, string>, bytes: Buffer, seconds: number): Promise<Outcome> {
    const [place, packed] = [String(new URLSearchParams(query)), await pack(bytes, { level: 1 })]
    const headers = {
      'content-type': 'text/plain; charset=utf-8',
      'content-encoding': 'gzip',
      ...signatureHeader(this.#secret, place, '\n', packed),
    }
    return this.#post(`/webhooks/ci/log?${place}`, headers, packed, seconds)
  }

  /** A file of test results. */
  async tests(query: Record<string, string>, bytes: Buffer, seconds: number): Promise<Outcome> {
    const [place, packed] = [String(new URLSearchParams(query)), bytes[0] === 0x1f ? bytes : await pack(bytes, { level: 1 })]
    const headers = { 'content-type': 'application/octet-stream', ...signatureHeader(this.#secret, place, '\n', packed) }
    return this.#post(`/webhooks/tests?${place}`, headers, packed, seconds)
  }

  /** A piece of a file. */
  async artifact(query: Record<string, string>, bytes: Buffer, seconds: number): Promise<Outcome> {
    const place = String(new URLSearchParams(query))
    const headers = { 'content-type': 'application/octet-stream', ...signatureHeader(this.#secret, place, '\n', bytes) }
    return this.#post(`/webhooks/artifacts?${place}`, headers, bytes, seconds)
  }

  async #post(path: string, headers: Record<string, string>, body: string | Buffer, seconds: number): Promise<Outcome> {
    try {
      const answer = await exchange(
        new URL(`${this.site}${path}`),
        { method: 'POST', headers: { ...headers, 'user-agent': AGENT, 'x-webhook-token': this.#token }, body },
        seconds,
      )
      this.version = answer.header(VERSION_HEADER) ?? this.version
      return outcomeOf(answer.status, answer.text, retryAfterSeconds(answer.header('retry-after')), this.site)
    } catch (error) {
      return { kind: 'later', why: (error as Error).message }
    }
  }
}

interface ResponseBody {
  error?: string
  message?: string
  offset?: number
  tests?: number
  failed?: number
  errors?: number
}

function outcomeOf(status: number, text: string, retryAfter: number | undefined, site: string): Outcome {
  const said = read(text)
  const why = `${site} answered ${status}${said?.message ? `: ${said.message}` : '.'}`
  // A proxy or a login wall may return 200 too.
  if (status >= 200 && status < 300)
    return said
      ? { kind: 'taken', offset: said.offset, tests: said.tests, failing: (said.failed ?? 0) + (said.errors ?? 0) }
      : { kind: 'later', why: `The response of ${site} is not JSON.` }
  if (said?.error === 'unknown_build') return { kind: 'later', why, unknown_build: true }
  if (said?.error === 'log_gap' || said?.error === 'artifact_gap') return { kind: 'later', why, seconds: 0, offset: said.offset }
  if (status === 409) return { kind: 'never', why, log_only: true }
  if (status === 413) return { kind: 'later', why, too_large: true }
  if (FINAL.includes(status)) return { kind: 'never', why }
  return { kind: 'later', why, ...(retryAfter !== undefined && { seconds: retryAfter }) }
}

function read(text: string): ResponseBody | undefined {
  try {
    const said: unknown = JSON.parse(text)
    return typeof said === 'object' && said !== null ? (said as ResponseBody) : undefined
  } catch {
    return undefined
  }
}
