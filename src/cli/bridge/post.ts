import { setTimeout as sleep } from 'node:timers/promises'
import { backOff, retryAfterSeconds } from '../../contract/back-off.ts'
import { signatureHeader } from '../connection/webhook-signature.ts'

/** A permanent refusal. */
export class BridgeRefused extends Error {
  readonly status: number

  constructor(message: string, status: number) {
    super(message)
    this.status = status
  }
}

interface Post {
  url: string
  token: string
  /** The integration's signing secret, if it has one. */
  secret?: string | undefined
  body: unknown
  signal: AbortSignal
  say(text: string): void
}

const TIMEOUT_MS = 60_000
const LONGEST_WAIT_MS = 60_000
/** Permanent errors: the URL, the token, the body. Anything else may pass: a restart, a limit, a paused project. */
const FINAL = [301, 302, 307, 308, 400, 401, 404, 405, 413, 422]

/** Sends to the service and retries until it is accepted or refused for good. */
export async function post({ url, token, secret, body, signal, say }: Post): Promise<void> {
  for (let failures = 1; ; failures++) {
    signal.throwIfAborted()
    const answer = await attempt({ url, token, secret, body, signal })
    if (answer.ok) return
    if (FINAL.includes(answer.status)) throw new BridgeRefused(`${new URL(url).origin} answered ${answer.said}`, answer.status)
    const pause = answer.retryAfter ?? backOff(failures, { first: 1_000, longest: LONGEST_WAIT_MS })
    say(`${answer.said}. Retrying in ${Math.ceil(pause / 1000)} s`)
    await sleep(pause, undefined, { signal })
  }
}

interface Attempt {
  ok: boolean
  status: number
  said: string
  retryAfter?: number
}

async function attempt({ url, token, secret, body, signal }: Omit<Post, 'say'>): Promise<Attempt> {
  const text = JSON.stringify(body)
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-service-token': token,
        'user-agent': 'goldmaster-bridge',
        ...signatureHeader(secret, text),
      },
      body: text,
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
    })
    const answer = await response.text()
    const seconds = retryAfterSeconds(response.headers.get('retry-after'))
    return {
      ok: response.ok,
      status: response.status,
      said: `${response.status} ${answer.slice(0, 200)}`.trim(),
      ...(seconds !== undefined && { retryAfter: seconds * 1000 }),
    }
  } catch (error) {
    signal.throwIfAborted()
    return { ok: false, status: 0, said: reasonOf(error) }
  }
}

const reasonOf = (error: unknown) => {
  const { cause, message } = error as Error & { cause?: { code?: string } }
  return cause?.code ?? message
}
