import { StringDecoder } from 'node:string_decoder'
import { ApiError } from '../../contract/errors.ts'
import { eventStream } from '../../contract/routes.ts'
import type { Event } from '../../contract/shapes.ts'
import { Failure } from './failures.ts'
import { AGENT } from './requests.ts'
import { begin, headOf } from './transport.ts'

/** The service sends a sign of life every 15 s. */
const SILENCE_MS = 45_000
const SHORTEST_PAUSE_MS = 1000
const LONGEST_PAUSE_MS = 30_000
const MOST_PENDING = 1024 * 1024

interface Following {
  site: string
  token: string
  query: Record<string, string>
  /** Called when the stream stands, first and again after every pause. */
  connected(again: boolean): Promise<void> | void
  event(event: Event): void
  /** What happened before the stream's memory is not told again. */
  missed(): void
  note(text: string): void
}

interface Message {
  id?: string
  event?: string
  data: string
}

/** Cuts what arrives into messages; keeps an unfinished one. */
class Messages {
  #pending = ''
  readonly #decoder = new StringDecoder('utf8')

  read(chunk: Buffer): Message[] {
    const messages: Message[] = []
    this.#pending += this.#decoder.write(chunk).replaceAll('\r\n', '\n')
    if (this.#pending.length > MOST_PENDING) throw new Failure('The stream sends a message without end.')
    for (let end = this.#pending.indexOf('\n\n'); end !== -1; end = this.#pending.indexOf('\n\n')) {
      const fields: Record<string, string> = {}
      for (const line of this.#pending.slice(0, end).split('\n')) {
        const colon = line.indexOf(':')
        if (colon > 0) fields[line.slice(0, colon)] = line.slice(colon + 1).replace(/^ /, '')
      }
      this.#pending = this.#pending.slice(end + 2)
      if (fields.data !== undefined) messages.push({ ...fields, data: fields.data })
    }
    return messages
  }
}

/** Follows the feed until the service turns us away; a broken connection is taken up where it broke. */
export async function follow(following: Following): Promise<never> {
  const place: Place = { last: undefined, stood: false }
  for (let failures = 0; ; ) {
    try {
      const before = place.last
      await listen(following, place)
      failures = place.last === before ? failures + 1 : 1
    } catch (error) {
      // Never having stood, it is more likely a wrong address than a bad moment.
      if (error instanceof ApiError || !place.stood) throw error
      following.note(`${(error as Error).message} Trying again …`)
      failures++
    }
    await new Promise((done) => setTimeout(done, Math.min(LONGEST_PAUSE_MS, SHORTEST_PAUSE_MS * 2 ** (failures - 1))))
  }
}

interface Place {
  /** The last message heard. */
  last: string | undefined
  /** There was a stream once. */
  stood: boolean
}

async function listen(following: Following, place: Place) {
  const { site, token, query } = following
  const url = new URL(`${site}/api${eventStream.path}`)
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
  const headers: Record<string, string> = { authorization: `Bearer ${token}`, accept: 'text/event-stream', 'user-agent': AGENT }
  if (place.last !== undefined) headers['last-event-id'] = place.last
  const begun = await begin(url, { headers })
  begun.setTimeout(SILENCE_MS, () => begun.destroy(new Failure(`${site} has gone silent.`)))
  const response = await headOf(begun, site)
  if (response.statusCode !== 200) throw await refusalOf(response)
  if (!/^text\/event-stream\b/.test(response.headers['content-type'] ?? '')) {
    begun.destroy()
    throw new Failure(`${site} has no event stream at this address; is it Goldmaster?`)
  }
  const again = place.stood
  place.stood = true
  await following.connected(again)
  const messages = new Messages()
  try {
    for await (const chunk of response as AsyncIterable<Buffer>)
      for (const { id, event, data } of messages.read(chunk)) {
        if (event === 'reset') following.missed()
        else following.event(JSON.parse(data) as Event)
        place.last = id ?? place.last
      }
  } catch (error) {
    begun.destroy()
    throw error instanceof Failure ? error : new Failure(`The connection to ${site} broke.`)
  }
}

async function refusalOf(response: AsyncIterable<Buffer> & { statusCode?: number }): Promise<Error> {
  const status = response.statusCode ?? 0
  if (status >= 500 || status === 429) return new Failure(`The service answered ${status}.`)
  let text = ''
  for await (const chunk of response) if (text.length < 65_536) text += chunk.toString('utf8')
  try {
    const { error, message, ...extra } = JSON.parse(text)
    return new ApiError(status, String(error), String(message ?? error), extra)
  } catch {
    return new ApiError(status, '', `The stream answered ${status}.`)
  }
}
