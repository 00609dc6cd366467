import { setTimeout as sleep } from 'node:timers/promises'
import { createParser, type EventSourceMessage, type ParseError } from 'eventsource-parser'
import { backOff } from '../../contract/back-off.ts'
import { ApiError, errorOfResponse } from '../../contract/errors.ts'
import { eventStream } from '../../contract/routes.ts'
import type { Event } from '../../contract/shapes.ts'
import { Failure } from '../../terminal/failures.ts'
import { AGENT } from './requests.ts'
import { begin, headOf } from './transport.ts'

/** The service sends a heartbeat every 15 s. */
const SILENCE_MS = 45_000
const SHORTEST_PAUSE_MS = 1000
const LONGEST_PAUSE_MS = 30_000
const MOST_PENDING = 1024 * 1024

interface Following {
  site: string
  token: string
  query: Record<string, string>
  /** Called when the stream is open, first and again after every reconnect. */
  connected(again: boolean): Promise<void> | void
  event(event: Event): void
  /** Events older than the stream's retention are not sent again. */
  missed(): void
  note(text: string): void
  /** Ends it. */
  signal?: AbortSignal
}

/** Follows the feed until it is ended or refused; a broken connection is resumed where it broke. */
export async function follow(following: Following): Promise<void> {
  const { signal } = following
  const progress: Progress = { last: undefined, stood: false }
  for (let failures = 0; ; ) {
    try {
      const before = progress.last
      await listen(following, progress)
      failures = progress.last === before ? failures + 1 : 1
    } catch (error) {
      if (signal?.aborted) return
      // If it never was open, it is more likely a wrong URL than a temporary failure.
      if (error instanceof ApiError || !progress.stood) throw error
      following.note(`Reconnecting … ${(error as Error).message}`)
      failures++
    }
    const pause = backOff(failures, { first: SHORTEST_PAUSE_MS, longest: LONGEST_PAUSE_MS })
    await sleep(pause, undefined, { signal }).catch(() => {})
    if (signal?.aborted) return
  }
}

interface Progress {
  /** The id of the last message. */
  last: string | undefined
  /** The stream was open once. */
  stood: boolean
}

async function listen(following: Following, progress: Progress) {
  const { site, token, query, signal } = following
  const url = new URL(`${site}/api${eventStream.path}`)
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
  const headers: Record<string, string> = { authorization: `Bearer ${token}`, accept: 'text/event-stream', 'user-agent': AGENT }
  if (progress.last !== undefined) headers['last-event-id'] = progress.last
  const begun = await begin(url, { headers })
  signal?.addEventListener('abort', () => begun.destroy())
  begun.setTimeout(SILENCE_MS, () => begun.destroy(new Failure(`${site} stopped responding.`)))
  const response = await headOf(begun, site)
  if (response.statusCode !== 200) throw await refusalOf(response)
  if (!/^text\/event-stream\b/.test(response.headers['content-type'] ?? '')) {
    begun.destroy()
    throw new Failure(`${site} has no event stream. Check that the URL is a Goldmaster service.`)
  }
  const again = progress.stood
  progress.stood = true
  await following.connected(again)
  const onEvent = ({ id, event, data }: EventSourceMessage) => {
    if (event === 'reset') following.missed()
    else following.event(JSON.parse(data) as Event)
    progress.last = id ?? progress.last
  }
  const onError = ({ type }: ParseError) => {
    if (type === 'max-buffer-size-exceeded') throw new Failure('The event stream sent a message that is too long.')
  }
  const parser = createParser({ onEvent, onError, maxBufferSize: MOST_PENDING })
  try {
    for await (const text of response.setEncoding('utf8') as AsyncIterable<string>) parser.feed(text)
  } catch (error) {
    begun.destroy()
    throw error instanceof Failure ? error : new Failure(`Lost the connection to ${site}.`)
  }
}

async function refusalOf(response: AsyncIterable<Buffer> & { statusCode?: number }): Promise<Error> {
  const status = response.statusCode ?? 0
  if (status >= 500 || status === 429) return new Failure(`The service answered ${status}.`)
  let text = ''
  for await (const chunk of response) if (text.length < 65_536) text += chunk.toString('utf8')
  return errorOfResponse(status, text, `The stream answered ${status}.`)
}
