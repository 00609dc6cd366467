import type { ServerResponse } from 'node:http'
import type { Logger } from 'pino'
import type { EventType } from '../../contract/events.ts'
import type { Database } from '../../db/database.ts'
import * as outbox from '../../domain/feed/outbox.ts'
import * as timelines from '../../domain/feed/outbox-timelines.ts'
import { authorizeAgain } from '../../domain/feed/reader.ts'

/** Somebody who follows an account. */
interface Listener {
  response: ServerResponse
  token_id: number | null
  session_id: number | null
  /** From where they listen. */
  address: string | null
  account_id: number
  project_id: number | undefined
  /** What they see of the account; null: everything. */
  project_ids: readonly number[] | null
  types: ReadonlySet<EventType>
  /** The last place in the order that was told to them. */
  position: number
}

const TICK_MS = 250
const HEARTBEAT_MS = 15_000
const BATCH = 500
const RESET = 'event: reset\ndata: {}\n\n'
/** What may wait for a slow reader before they are let go; they come back with their last id. */
const BACKLOG_MAX = 1024 * 1024

/** Reads the outbox once for all listeners of this node, and lets go of those who may no longer listen. */
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

  /**
   * Where the order ends, for a listener who starts now; to be awaited before they are told that they are heard, lest something slips
   * between.
   */
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

  /** Tells a listener what they missed since their last id, then keeps them up to date; without one they start at the end. */
  async follow(listener: Omit<Listener, 'position'>, lastId: number | undefined, end: number) {
    const follower: Listener = { ...listener, position: Math.min(lastId ?? end, end) }
    listener.response.on('close', () => this.#listeners.delete(follower))
    if (lastId !== undefined && (await timelines.hasMissed(this.#db, lastId))) listener.response.write(RESET)
    while (follower.position < this.#position && !listener.response.destroyed) {
      // Where the hub stood before the look: what it reads meanwhile is left to the next round.
      const covered = this.#position
      const { events, last, more } = await outbox.read(this.#db, follower.position, BATCH, follower.account_id)
      send(follower, events.map(framed))
      follower.position = more ? last : Math.max(last, covered)
    }
    // Asked for before the hub was closed and ready only now: the server would wait for this answer for good.
    if (this.#isClosed) listener.response.end()
    // Who left while they were being told would never be taken off again.
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
      this.#log.warn({ error: (error as Error).message }, 'the event stream waits for the database')
    }
    if (this.#timer !== undefined) this.#timer = setTimeout(() => this.#tick(), pause)
  }

  /** After a takeover or a restore some of what was told may be gone: whoever heard it has to look anew. */
  async #noticeTimeline() {
    const timeline = await timelines.newest(this.#db)
    if (timeline === undefined || timeline.id === this.#timeline) return
    this.#timeline = timeline.id
    if (!timelines.isLost(timeline, this.#position)) return
    this.#log.warn({ from: timeline.last_position, to: this.#position }, 'events that were told are gone from the database')
    for (const { response } of this.#listeners) response.write(RESET)
  }

  #heartbeat() {
    if (performance.now() - this.#beat < HEARTBEAT_MS) return
    this.#beat = performance.now()
    for (const { response } of this.#listeners) response.write(':\n\n')
  }

  /** The streams of those who may no longer listen end; whoever lost a project hears no more of it. */
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
  /** As it goes over the wire: written once, however many hear it. */
  text: string
}

const framed = (entry: outbox.SequencedEvent): News => ({
  ...entry,
  text: `id: ${entry.position}\ndata: ${JSON.stringify(entry.event)}\n\n`,
})

/** What is new to them and meant for them, in one piece: with a thousand listeners the writing is what costs. */
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
