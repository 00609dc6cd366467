import type { ServerResponse } from 'node:http'
import type { Logger } from 'pino'
import type { EventType } from '../../contract/events.ts'
import { type Database, sql } from '../../db/database.ts'
import * as outbox from '../../domain/feed/outbox.ts'
import * as timelines from '../../domain/feed/outbox-timelines.ts'

/** Somebody who follows an account. */
interface Listener {
  response: ServerResponse
  token_id: number | null
  session_id: number | null
  account_id: number
  project_id: number | undefined
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

  constructor(db: Database, log: Logger) {
    this.#db = db
    this.#log = log
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
    if (this.#timer !== undefined) return
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
      tell(follower, events.map(framed))
      follower.position = more ? last : Math.max(last, covered)
    }
    // Who left while they were being told would never be taken off again.
    if (!listener.response.destroyed) this.#listeners.add(follower)
  }

  close() {
    clearTimeout(this.#timer)
    this.#timer = undefined
    for (const { response } of this.#listeners) response.end()
    this.#listeners.clear()
  }

  async #tick() {
    let pause = TICK_MS
    try {
      await this.#turnAway()
      await outbox.sequence(this.#db, this.#position)
      await this.#noticeTimeline()
      const { events, last, more } = await outbox.read(this.#db, this.#position, BATCH)
      const news = events.map(framed)
      if (news.length > 0) for (const listener of this.#listeners) tell(listener, news)
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

  /** A token that was revoked, a session that was ended, a member who left, a plan that was lowered: their streams end with the next look. */
  async #turnAway() {
    const listeners = [...this.#listeners]
    if (listeners.length === 0) return
    const welcome = await this.#db.rows<{ place: number }>(sql`
      select l.place from unnest(${listeners.map((one) => one.token_id)}::integer[], ${listeners.map((one) => one.session_id)}::integer[],
        ${listeners.map((one) => one.account_id)}::integer[]) with ordinality l (token_id, session_id, account_id, place)
      left join api_tokens t on t.id = l.token_id and t.revoked_at is null and (t.expires_at is null or t.expires_at > now())
      left join sessions s on s.id = l.session_id and s.expires_at > now()
      join account_members m on m.user_id = coalesce(t.user_id, s.user_id) and m.account_id = l.account_id
      join accounts a on a.id = l.account_id and a.plan <> 'free'`)
    const kept = new Set(welcome.map(({ place }) => place - 1))
    listeners.forEach(({ response }, place) => {
      if (!kept.has(place)) response.end()
    })
  }
}

interface News extends outbox.OutboxEvent {
  /** As it goes over the wire: written once, however many hear it. */
  text: string
}

const framed = (entry: outbox.OutboxEvent): News => ({
  ...entry,
  text: `id: ${entry.position}\ndata: ${JSON.stringify(entry.event)}\n\n`,
})

/** What is new to them and meant for them, in one piece: with a thousand listeners the writing is what costs. */
function tell(listener: Listener, news: readonly News[]) {
  const wanted = news.filter((one) => one.position > listener.position && isFor(listener, one)).map(({ text }) => text)
  listener.position = Math.max(listener.position, news.at(-1)?.position ?? 0)
  if (wanted.length === 0) return
  listener.response.write(wanted.join(''))
  if (listener.response.writableLength > BACKLOG_MAX) listener.response.destroy()
}

const isFor = ({ account_id, project_id, types }: Listener, { account_id: account, event }: News) =>
  account === account_id && (project_id === undefined || event.project_id === project_id) && types.has(event.event_type)
