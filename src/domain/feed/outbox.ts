import { setTimeout as sleep } from 'node:timers/promises'
import { EVENTS, type EventFacts, type EventSource, type EventType } from '../../contract/events.ts'
import { type Database, raw, type Sql, sql } from '../../db/database.ts'
import { when } from '../../db/page.ts'
import { eventOf, type OutboxEvent } from './events.ts'
import * as timelines from './outbox-timelines.ts'

/** An event with its position in the order of commits. */
export interface SequencedEvent {
  position: number
  account_id: number
  event: OutboxEvent
}

/** Events for readers inside the service only: the feed, the stream and webhooks skip them. */
export const INTERNAL_EVENT_TYPES = [
  /** The text of messages about the breakage has changed. */
  'breakage.revised',
  /** The breakage no longer counts as flickering. */
  'breakage.steadied',
  /** The suspects of a breakage changed. */
  'breakage.suspects_changed',
] as const
export type InternalEventType = (typeof INTERNAL_EVENT_TYPES)[number]

/** A row of the outbox: what happened to which record. */
export interface OutboxEntry {
  position: number
  account_id: number
  project_id: number
  event_type: EventType | InternalEventType
  row_id: string
  /** For a breakage: its newest occurrence at that time. */
  occurrence?: number
}

/** The keys of the records that entries are about. */
export const keysOf = (entries: readonly OutboxEntry[], type: 'bigint' | 'uuid'): Sql => sql`
  select * from unnest(${entries.map(({ account_id }) => account_id)}::integer[], ${entries.map(({ row_id }) => row_id)}::${raw(type)}[])`

/** Public events are written by triggers (db/event-triggers.ts). `records`: the account, the project and the id of each record. */
export const append = (db: Database, type: InternalEventType, records: Sql, facts: object = {}) =>
  db.execute(sql`
    insert into outbox (account_id, project_id, kind, row_id, event_type, happened_at, facts)
    select r.account_id, r.project_id, ${type}, r.id::text, ${type}, now(), ${JSON.stringify(facts)}::json
    from (${records}) r (account_id, project_id, id) where not is_quiet()`)

interface Row {
  position: number
  account_id: number
  /** Null if the project was deleted with its records. */
  project_name: string | null
  project_id: number
  event_type: string | null
  at: string
  facts: EventFacts[EventSource]
}

const LOCK = 5_207_114
const BATCH = 1_000

/**
 * Assigns positions to committed events; one node at a time, a second one returns at once. `seen`: the highest position that the caller
 * knows of. Returns true if there are more than one batch.
 */
export async function sequence(db: Database, seen = 0): Promise<boolean> {
  // Usually nothing waits: a transaction for each poll would be the most frequent statement of an idle node.
  if (!(await db.one(sql`select from outbox where position is null limit 1`))) return false
  return db.transaction(async (db) => {
    const { mine } = (await db.one<{ mine: boolean }>(sql`select pg_try_advisory_xact_lock(${LOCK}) as mine`))!
    if (!mine) return false
    await timelines.verify(db, seen)
    const numbered = await db.execute(sql`
      update outbox o set position = n.position
      from (select account_id, id, nextval('outbox_position') as position from (
        select account_id, id from outbox where position is null order by id limit ${BATCH}) w) n
      where o.account_id = n.account_id and o.id = n.id`)
    return numbered === BATCH
  })
}

const LOOKS = 200
const PAUSE_MS = 20

/** Afterwards everything that was committed before has a position, from whichever node. */
export async function sequenceAll(db: Database) {
  const { newest } = (await db.one<{ newest: number | null }>(sql`select max(id) as newest from outbox where position is null`))!
  const waits = () => db.one(sql`select from outbox where position is null and id <= ${newest} limit 1`)
  for (let look = 0; newest !== null && look < LOOKS && (await waits()); look++) if (!(await sequence(db))) await sleep(PAUSE_MS)
}

/** The newest position. */
export const end = async (db: Database): Promise<number> =>
  (await db.one<{ position: number | null }>(sql`select max(position) as position from outbox`))!.position ?? 0

/** Events after a position, in order, as they were then. Skips internal types and those of a newer version. */
export async function read(
  db: Database,
  after: number,
  limit: number,
  accountId?: number,
): Promise<{ events: SequencedEvent[]; last: number; more: boolean }> {
  const account: Sql = accountId === undefined ? sql`true` : sql`o.account_id = ${accountId}`
  const rows = await db.rows<Row>(sql`
    select o.position, o.account_id, o.project_id, p.name as project_name, o.event_type, o.happened_at as at, o.facts
    from outbox o left join projects p on p.id = o.project_id
    where o.position > ${after} and ${account} order by o.position limit ${limit}`)
  const events = rows.flatMap(({ position, account_id, event_type, facts, project_name, ...context }) =>
    project_name !== null && event_type !== null && Object.hasOwn(EVENTS, event_type)
      ? [{ position, account_id, event: eventOf(event_type as EventType, { ...context, project_name }, facts) }]
      : [],
  )
  // By rows, not events: a page may contain fewer events and still not be the last one.
  return { events, last: rows.at(-1)?.position ?? after, more: rows.length === limit }
}

const isKnown = (type: string | null) =>
  type !== null && (Object.hasOwn(EVENTS, type) || (INTERNAL_EVENT_TYPES as readonly string[]).includes(type))

/** Rows after a position, in order, internal types included; skips those of a deleted project and of a newer version. */
export async function readEntries(
  db: Database,
  { after, upTo, limit }: { after: number; upTo: number | undefined; limit: number },
): Promise<{ entries: OutboxEntry[]; last: number; more: boolean }> {
  const rows = await db.rows<OutboxEntry & { is_there: boolean }>(sql`
    select o.position, o.account_id, o.project_id, o.event_type, o.row_id, coalesce((o.facts ->> 'occurrence')::integer, 0) as occurrence,
      p.id is not null as is_there
    from outbox o left join projects p on p.id = o.project_id
    where o.position > ${after} ${when(upTo, (position) => sql`and o.position <= ${position}`)} order by o.position limit ${limit}`)
  const entries = rows.flatMap(({ is_there, ...entry }) => (is_there && isKnown(entry.event_type) ? [entry] : []))
  return { entries, last: rows.at(-1)?.position ?? after, more: rows.length === limit }
}
