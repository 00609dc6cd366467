import { retryAfterSeconds } from '../../contract/back-off.ts'
import { type Client, clientRoutes, createClient } from '../../contract/client.ts'
import { VERSION } from '../../contract/version.ts'
import { Failure } from '../../terminal/failures.ts'
import { misfit, type Schema } from '../program/misfit.ts'
import { type Answer, type ApiRequest, exchange, timeoutSeconds } from './transport.ts'

export const AGENT = `goldmaster-cli/${VERSION}`

/** The maximum total wait that a service can ask for; a longer one is reported instead. */
const LONGEST_WAIT_S = 300
const RATE_LIMITED = 429

export type Send = (url: URL, asked: ApiRequest) => Promise<Answer>

const sleep = (seconds: number) => new Promise((done) => setTimeout(done, seconds * 1000))

/** Sends a request and, if rate-limited, waits as long as the service says and retries. */
export const politely =
  (environment: NodeJS.ProcessEnv, note: (text: string) => void, verbose = false): Send =>
  async (url, asked) => {
    for (let left = LONGEST_WAIT_S; ; ) {
      const begun = performance.now()
      if (verbose) note(`> ${asked.method ?? 'GET'} ${url.href}`)
      const answer = await exchange(url, asked, timeoutSeconds(environment))
      if (verbose) note(`< ${tracedOf(answer)}, ${Math.round(performance.now() - begun)} ms`)
      const seconds = retryAfterSeconds(answer.header('retry-after'))
      if (answer.status !== RATE_LIMITED || seconds === undefined || seconds > left) return answer
      note(`Too many requests. Retrying in ${seconds} s, as ${url.origin} asks …`)
      await sleep(Math.max(seconds, 1))
      left -= Math.max(seconds, 1)
    }
  }

/** What the service sent; never the request, which contains the token. */
const tracedOf = ({ status, type, text, header }: Answer) =>
  [String(status), type, `${Buffer.byteLength(text)} bytes`, header('x-request-id') && `request ${header('x-request-id')}`]
    .filter(Boolean)
    .join(', ')

/** Refuses pages instead of data: a proxy, a login wall, another service. */
export function refusePages(answer: Answer, site: string) {
  if (/\bhtml\b/i.test(answer.type) || /^\s*<(?:!doctype|html)/i.test(answer.text))
    throw new Failure(
      `${site} answered ${answer.status} with a web page instead of JSON. Check that --host is a Goldmaster service.`,
    )
}

/** The typed client over our transport; every reply is checked against its shape. */
export function openClient(site: string, token: string, send: Send): Client {
  const over = (async (input: URL, init: ApiRequest) => {
    const answer = await send(input, init)
    refusePages(answer, site)
    const { status, text } = answer
    return { ok: status >= 200 && status < 300, status, headers: { get: answer.header }, text: async () => text }
  }) as unknown as typeof fetch
  const client = createClient({ site, token, agent: AGENT, fetch: over })
  const checked = (Object.keys(client) as (keyof Client)[]).map((name) => {
    const ask = client[name] as (args: unknown) => Promise<unknown>
    return [name, async (args: unknown) => believed(name, await ask(args).catch(unreadable(site)), site)]
  })
  return Object.fromEntries(checked) as Client
}

const unreadable = (site: string) => (error: unknown) => {
  if (error instanceof SyntaxError)
    throw new Failure(`The response of ${site} is not JSON. Check that --host is a Goldmaster service.`)
  throw error
}

function believed(name: keyof Client, reply: unknown, site: string) {
  const wrong = misfit(clientRoutes[name].reply as Schema, reply)
  if (wrong)
    throw new Failure(`The response of ${site} does not fit this version of the CLI (${wrong}). Upgrade the older of the two.`)
  return reply
}
