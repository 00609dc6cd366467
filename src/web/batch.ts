import { BATCH_MAX, BATCH_PATH, type BatchLine } from '../contract/app/batch.ts'

/** A route's response. */
export interface Answer {
  status: number
  retryAfter: string | null
  /** As received; for a part of a batch with JSON, the parsed value. */
  body: unknown
}

interface Part {
  url: string
  signal: AbortSignal | undefined
  resolve(answer: Answer): void
  reject(error: unknown): void
}

const PREFIX = '/app/api'
/** The maximum length of one URL: proxies accept eight thousand characters, and this many parts are fewer. */
const LETTERS_MAX = 300

let waiting: Part[] = []

/**
 * Reads from the server. Requests of one moment are sent together: an address that many people share has a rate limit, and a page makes a
 * dozen requests as it opens.
 */
export const read = (url: string, signal?: AbortSignal): Promise<Answer> =>
  new Promise((resolve, reject) => {
    signal?.addEventListener('abort', () => reject(signal.reason))
    if (waiting.length === 0) setTimeout(sendWaiting)
    waiting.push({ url, signal, resolve, reject })
  })

function sendWaiting() {
  const parts = waiting.filter(({ signal }) => !signal?.aborted)
  waiting = []
  const [long, short] = [parts.filter(isLong), parts.filter((part) => !isLong(part))]
  for (const part of long) send([part])
  while (short.length > 0) send(short.splice(0, BATCH_MAX))
}

const isLong = ({ url }: Part) => url.length > LETTERS_MAX

function send(parts: readonly Part[]) {
  const sent = parts.length === 1 ? sendAlone(parts[0]!) : sendTogether(parts)
  sent.catch((error) => {
    for (const { reject } of parts) reject(error)
  })
}

async function sendAlone({ url, signal, resolve }: Part) {
  const response = await fetch(url, { signal: signal ?? null })
  resolve({ ...factsOf(response), body: await response.text() })
}

async function sendTogether(parts: readonly Part[]) {
  const search = new URLSearchParams(parts.map(({ url }) => ['get', url.slice(PREFIX.length)]))
  const response = await fetch(`${PREFIX}${BATCH_PATH}?${search}`, { signal: whenAll(parts) })
  if (!response.ok) {
    const body = await response.text()
    for (const { resolve } of parts) resolve({ ...factsOf(response), body })
    return
  }
  for await (const line of linesOf(response.body!)) {
    const { part, status, retry_after, body } = JSON.parse(line) as BatchLine
    parts[part]!.resolve({ status, retryAfter: retry_after, body })
  }
  // Parts without a line: the server disconnected.
  for (const { reject } of parts) reject(new TypeError('The server’s response was incomplete.'))
}

const factsOf = ({ status, headers }: Response) => ({ status, retryAfter: headers.get('retry-after') })

/** Aborts once nobody waits for any of them. */
function whenAll(parts: readonly Part[]): AbortSignal {
  const stop = new AbortController()
  const look = () => parts.every(({ signal }) => signal?.aborted) && stop.abort()
  for (const { signal } of parts) signal?.addEventListener('abort', look)
  return stop.signal
}

async function* linesOf(body: ReadableStream<Uint8Array>) {
  const reader = body.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>).getReader()
  let rest = ''
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    const lines = (rest + value).split('\n')
    rest = lines.pop()!
    yield* lines
  }
}
