import { EVENTS, type EventFacts, type EventSource, type EventType } from '../../contract/events.ts'
import { type Database, raw, type Sql, sql } from '../../db/database.ts'
import { IS_DISTRIBUTED, isAmong } from '../../db/distributed/distribution.ts'
import { eventOf, type OutboxEvent } from './events.ts'

/** An event with its position in the account's order of commits. */
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
  /** The state that its record had then. */
  state?: string
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
  row_id: string
  at: string
  facts: EventFacts[EventSource] & { occurrence?: string }
}

/** The newest position of an account. */
export const end = async (db: Database, accountId: number): Promise<number> =>
  (await db.one<{ position: number }>(sql`select position from outbox_heads where account_id = ${accountId}`))?.position ?? 0

/** How far a reader has read in an account. */
export interface Cursor {
  account_id: number
  position: number
}

/** What a reader has not read yet: from behind its cursor to a position that was given before. */
export interface Span extends Cursor {
  up_to: number
}

interface Page<Entry> {
  entries: Entry[]
  /** The new cursors. */
  lasts: Cursor[]
  /** Whether a span has more. */
  more: boolean
}

/** Up to `limit` rows of each span, in the order of each account. */
const readRows = async <Entry>(
  db: Database,
  spans: readonly Span[],
  limit: number,
  entryOf: (row: Row) => Entry | undefined,
): Promise<Page<Entry>> => {
  const ids = spans.map(({ account_id }) => account_id)
  const rows = await db.rows<Row>(sql`
    select o.*, p.name as project_name
    from unnest(${ids}::integer[], ${spans.map(({ position }) => position)}::bigint[], ${spans.map(({ up_to }) => up_to)}::bigint[])
      c (account_id, position, up_to)
    cross join lateral (
      select o.position, o.account_id, o.project_id, o.event_type, o.row_id, o.happened_at as at, o.facts from outbox o
      where ${isAmong(sql`o.account_id`, ids)} and o.account_id = c.account_id and o.position > c.position and o.position <= c.up_to
      order by o.position limit ${limit}) o
    left join projects p on p.id = o.project_id order by o.account_id, o.position`)
  const pages = spans.map(({ account_id, up_to }) => {
    const own = rows.filter((row) => row.account_id === account_id)
    const more = own.length === limit
    // By rows, not entries. Rows that are missing up to the end were purged.
    return { account_id, position: more ? own.at(-1)!.position : up_to, more }
  })
  return { entries: rows.flatMap((row) => entryOf(row) ?? []), lasts: pages, more: pages.some(({ more }) => more) }
}

/** Events in order, as they were then. Skips internal types and those of a newer version. */
export const read = (db: Database, spans: readonly Span[], limit: number): Promise<Page<SequencedEvent>> =>
  readRows(db, spans, limit, ({ position, account_id, event_type, facts, project_name, project_id, at }) =>
    project_name !== null && event_type !== null && Object.hasOwn(EVENTS, event_type)
      ? { position, account_id, event: eventOf(event_type as EventType, { project_id, project_name, at }, facts) }
      : undefined,
  )

const isKnown = (type: string | null): type is OutboxEntry['event_type'] =>
  type !== null && (Object.hasOwn(EVENTS, type) || (INTERNAL_EVENT_TYPES as readonly string[]).includes(type))

/** Rows in order, internal types included; skips those of a deleted project and of a newer version. */
export const readEntries = (db: Database, spans: readonly Span[], limit: number): Promise<Page<OutboxEntry>> =>
  readRows(db, spans, limit, ({ position, account_id, project_id, project_name, event_type, row_id, facts }) =>
    project_name !== null && isKnown(event_type)
      ? {
          position,
          account_id,
          project_id,
          event_type,
          row_id,
          occurrence: Number(facts?.occurrence ?? 0),
          ...(facts && 'state' in facts && facts.state != null && { state: facts.state }),
        }
      : undefined,
  )

/** Whether a reader that has read up to a position has missed events since, or read events that were lost with their timeline. */
export async function hasMissed(db: Database, { account_id, position }: Cursor): Promise<boolean> {
  const found = await db.one<{ missed: boolean }>(sql`
    select h.position < ${position}::bigint or h.lost @> ${position}::bigint
      or ${position}::bigint + 1 < coalesce((select min(o.position) from outbox o where o.account_id = ${account_id}), h.position + 1) as missed
    from outbox_heads h where h.account_id = ${account_id}`)
  return found?.missed ?? position > 0
}

/** From a reader's cursor to the account's newest position. */
export interface Progress extends Span {
  /** What it read last was lost with its timeline. */
  is_lost: boolean
  is_distributed: boolean
}

/** Those of the readers that have something to read, or read something that was lost. */
export const progressOf = (db: Database, cursors: readonly Cursor[]): Promise<Progress[]> =>
  db.rows<Progress>(
    sql`
    select c.account_id, c.position, h.position as up_to, h.position < c.position or h.lost @> c.position as is_lost,
      ${IS_DISTRIBUTED} as is_distributed
    from unnest(${cursors.map(({ account_id }) => account_id)}::integer[], ${cursors.map(({ position }) => position)}::bigint[])
      c (account_id, position)
    join outbox_heads h on h.account_id = c.account_id where h.position <> c.position`,
    { across: true },
  )
