import type { ServerResponse } from 'node:http'
import type { Logger } from 'pino'
import type { EventType } from '../../contract/events.ts'
import type { Database } from '../../db/database.ts'
import { portionsOf } from '../../db/distributed/distribution.ts'
import * as outbox from '../../domain/feed/outbox.ts'
import { authorizeAgain } from '../../domain/feed/reader.ts'
import { sequence, sequenceAll } from '../../domain/feed/sequencer.ts'

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

  /** The account's newest position, for a client that starts now; must be awaited before the response starts, so that nothing is missed. */
  async open(accountId: number): Promise<number> {
    if (this.#timer === undefined) await this.#begin()
    return outbox.end(this.#db, accountId)
  }

  async #begin() {
    await sequenceAll(this.#db)
    if (this.#timer === undefined && !this.#isClosed) this.#timer = setTimeout(() => this.#tick(), TICK_MS)
  }

  /** Sends a client what it missed since its last id, then keeps it up to date; without one it starts at the end. */
  async follow(listener: Omit<Listener, 'position'>, lastId: number | undefined, end: number) {
    const { account_id } = listener
    const follower: Listener = { ...listener, position: Math.min(lastId ?? end, end) }
    listener.response.on('close', () => this.#listeners.delete(follower))
    if (lastId !== undefined && (await outbox.hasMissed(this.#db, { account_id, position: lastId })))
      listener.response.write(RESET)
    for (let more = follower.position < end; more && !listener.response.destroyed; ) {
      const page = await outbox.read(this.#db, [{ account_id, position: follower.position, up_to: end }], BATCH)
      send(follower, page.entries.map(framed), page.lasts[0]!.position)
      more = page.more
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
      const newest = new Map<number, number>()
      for (const { account_id, position } of this.#listeners)
        newest.set(account_id, Math.max(position, newest.get(account_id) ?? 0))
      await sequence(this.#db, newest)
      if (await this.#sendNews()) pause = 0
      this.#heartbeat()
    } catch (error) {
      this.#log.warn({ error: (error as Error).message }, 'the event stream is waiting for the database')
    }
    if (this.#timer !== undefined) this.#timer = setTimeout(() => this.#tick(), pause)
  }

  /** Returns true if there is more. Listeners of an account are at the same position but for those that have just come. */
  async #sendNews(): Promise<boolean> {
    const listeners = [...this.#listeners]
    const cursors = new Map(listeners.map(({ account_id, position }) => [`${account_id} ${position}`, { account_id, position }]))
    const behind = cursors.size > 0 ? await outbox.progressOf(this.#db, [...cursors.values()]) : []
    for (const progress of behind.filter(({ is_lost }) => is_lost)) this.#reset(listeners, progress)
    const oldest = new Map<number, outbox.Progress>()
    for (const progress of behind) {
      const { account_id, position, up_to } = progress
      if (position < (oldest.get(account_id)?.position ?? up_to)) oldest.set(account_id, progress)
    }
    let more = false
    for (const accounts of portionsOf([...oldest.values()])) {
      const page = await outbox.read(this.#db, accounts, BATCH)
      const news = page.entries.map(framed)
      for (const { account_id, position } of page.lasts)
        for (const listener of listeners.filter((one) => one.account_id === account_id)) send(listener, news, position)
      if (page.more) more = true
    }
    return more
  }

  /** After a failover or a restore some sent events may be lost: clients that received them have to reload. */
  #reset(listeners: readonly Listener[], { account_id, position, up_to }: outbox.Progress) {
    this.#log.warn({ account_id, from: up_to, to: position }, 'events that were already sent are missing in the database')
    for (const listener of listeners.filter((one) => one.account_id === account_id && one.position === position)) {
      listener.response.write(RESET)
      listener.position = Math.min(position, up_to)
    }
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

/** New events for this client, up to a position, in one write: with a thousand clients the writes are the main cost. */
function send(listener: Listener, news: readonly News[], position: number) {
  const wanted = news.filter((one) => one.position > listener.position && isFor(listener, one)).map(({ text }) => text)
  listener.position = Math.max(listener.position, position)
  if (wanted.length === 0) return
  listener.response.write(wanted.join(''))
  if (listener.response.writableLength > BACKLOG_MAX) listener.response.destroy()
}

const isFor = ({ account_id, project_id, project_ids, types }: Listener, { account_id: account, event }: News) =>
  account === account_id &&
  (project_id === undefined || event.project_id === project_id) &&
  project_ids?.includes(event.project_id) !== false &&
  types.has(event.event_type)
