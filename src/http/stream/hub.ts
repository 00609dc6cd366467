import type { ServerResponse } from 'node:http'
import type { Logger } from 'pino'
import type { EventType } from '../../contract/events.ts'
import type { Database } from '../../db/database.ts'
import * as outbox from '../../domain/feed/outbox.ts'
import * as timelines from '../../domain/feed/outbox-timelines.ts'
import { authorizeAgain } from '../../domain/feed/reader.ts'

/** A client that follows an account. */
interface Listener {
  response: ServerResponse
  token_id: number | null
  session_id: number | null
  /** The client's address. */
  address: string | null
  account_id: number
  project_id: number | undefined
  /** The projects they have access to; null: all. */
  project_ids: readonly number[] | null
  types: ReadonlySet<EventType>
  /** The last position that was sent to them. */
  position: number
}

const TICK_MS = 250
const HEARTBEAT_MS = 15_000
const BATCH = 500
const RESET = 'event: reset\ndata: {}\n\n'
/** How much may be buffered for a slow client before it is disconnected; it resumes with its last id. */
const BACKLOG_MAX = 1024 * 1024

/** Reads the outbox once for all clients of this node, and disconnects those that lost access. */
export class Hub {
  readonly #db: Database
  readonly #log: Logger
  readonly #listeners = new Set<Listener>()
  #position = 0
  #timeline: number | undefined
  #timer: NodeJS.Timeout | undefined
  #beat = 0
  #isClosed = false

  constructor(db: Database, log: Logger) {
    this.#db = db
    this.#log = log
  }

  get listeners(): number {
    return this.#listeners.size
  }

  listenersOf(accountId: number): number {
    return [...this.#listeners].filter(({ account_id }) => account_id === accountId).length
  }

  /** The newest position, for a client that starts now; must be awaited before the response starts, so that nothing is missed. */
  async open(): Promise<number> {
    if (this.#timer === undefined) await this.#begin()
    return Math.max(this.#position, await outbox.end(this.#db))
  }

  async #begin() {
    await outbox.sequenceAll(this.#db)
    const [end, timeline] = [await outbox.end(this.#db), await timelines.newest(this.#db)]
    if (this.#timer !== undefined || this.#isClosed) return
    this.#position = end
    this.#timeline = timeline?.id
    this.#timer = setTimeout(() => this.#tick(), TICK_MS)
  }

  /** Sends a client what it missed since its last id, then keeps it up to date; without one it starts at the end. */
  async follow(listener: Omit<Listener, 'position'>, lastId: number | undefined, end: number) {
    const follower: Listener = { ...listener, position: Math.min(lastId ?? end, end) }
    listener.response.on('close', () => this.#listeners.delete(follower))
    if (lastId !== undefined && (await timelines.hasMissed(this.#db, lastId))) listener.response.write(RESET)
    while (follower.position < this.#position && !listener.response.destroyed) {
      // The hub's position before the query: what it reads meanwhile is left to the next round.
      const covered = this.#position
      const { events, last, more } = await outbox.read(this.#db, follower.position, BATCH, follower.account_id)
      send(follower, events.map(framed))
      follower.position = more ? last : Math.max(last, covered)
    }
    // Requested before the hub was closed and ready only now: the server would wait for this response forever.
    if (this.#isClosed) listener.response.end()
    // A client that left while it was catching up would never be removed again.
    else if (!listener.response.destroyed) this.#listeners.add(follower)
  }

  close() {
    this.#isClosed = true
    clearTimeout(this.#timer)
    this.#timer = undefined
    for (const { response } of this.#listeners) response.end()
    this.#listeners.clear()
  }

  async #tick() {
    let pause = TICK_MS
    try {
      await this.#authorizeAgain()
      await outbox.sequence(this.#db, this.#position)
      await this.#noticeTimeline()
      const { events, last, more } = await outbox.read(this.#db, this.#position, BATCH)
      const news = events.map(framed)
      if (news.length > 0) for (const listener of this.#listeners) send(listener, news)
      this.#position = last
      if (more) pause = 0
      this.#heartbeat()
    } catch (error) {
      this.#log.warn({ error: (error as Error).message }, 'the event stream is waiting for the database')
    }
    if (this.#timer !== undefined) this.#timer = setTimeout(() => this.#tick(), pause)
  }

  /** After a failover or a restore some sent events may be lost: clients that received them have to reload. */
  async #noticeTimeline() {
    const timeline = await timelines.newest(this.#db)
    if (timeline === undefined || timeline.id === this.#timeline) return
    this.#timeline = timeline.id
    if (!timelines.isLost(timeline, this.#position)) return
    this.#log.warn(
      { from: timeline.last_position, to: this.#position },
      'events that were already sent are missing in the database',
    )
    for (const { response } of this.#listeners) response.write(RESET)
  }

  #heartbeat() {
    if (performance.now() - this.#beat < HEARTBEAT_MS) return
    this.#beat = performance.now()
    for (const { response } of this.#listeners) response.write(':\n\n')
  }

  /** Ends streams of clients that lost access; a client that lost a project gets no more of its events. */
  async #authorizeAgain() {
    const listeners = [...this.#listeners]
    if (listeners.length === 0) return
    const seen = await authorizeAgain(this.#db, listeners)
    listeners.forEach((listener, index) => {
      const projects = seen.get(index)
      if (projects === undefined || (listener.project_id !== undefined && projects?.includes(listener.project_id) === false))
        listener.response.end()
      else listener.project_ids = projects
    })
  }
}

interface News extends outbox.SequencedEvent {
  /** The wire format: written once for all clients. */
  text: string
}

const framed = (entry: outbox.SequencedEvent): News => ({
  ...entry,
  text: `id: ${entry.position}\ndata: ${JSON.stringify(entry.event)}\n\n`,
})

/** New events for this client, in one write: with a thousand clients the writes are the main cost. */
function send(listener: Listener, news: readonly News[]) {
  const wanted = news.filter((one) => one.position > listener.position && isFor(listener, one)).map(({ text }) => text)
  listener.position = Math.max(listener.position, news.at(-1)?.position ?? 0)
  if (wanted.length === 0) return
  listener.response.write(wanted.join(''))
  if (listener.response.writableLength > BACKLOG_MAX) listener.response.destroy()
}

const isFor = ({ account_id, project_id, project_ids, types }: Listener, { account_id: account, event }: News) =>
  account === account_id &&
  (project_id === undefined || event.project_id === project_id) &&
  project_ids?.includes(event.project_id) !== false &&
  types.has(event.event_type)
