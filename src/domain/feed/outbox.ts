import { setTimeout as sleep } from 'node:timers/promises'
import { EVENTS, type EventFacts, type EventSource, type EventType } from '../../contract/events.ts'
import { type Database, type Sql, sql } from '../../db/database.ts'
import { eventOf, type ToldEvent } from './events.ts'
import * as timelines from './outbox-timelines.ts'

/** Something that happened, at its place in the order of commits. */
export interface OutboxEvent {
  position: number
  account_id: number
  event: ToldEvent
}

interface Entry {
  position: number
  account_id: number
  /** Null where the project is gone, and its records with it. */
  project_name: string | null
  project_id: number
  event_type: string | null
  at: string
  facts: EventFacts[EventSource]
}

const LOCK = 5_207_114
const BATCH = 1_000

/**
 * Gives what was committed since its place in the order; one node at a time, and whoever comes second has nothing to do. `seen`: the
 * highest position that the caller knows to have been given. True when there is more than one turn takes.
 */
export async function sequence(db: Database, seen = 0): Promise<boolean> {
  // Most of the time nothing waits: a transaction for each look would be the most frequent statement of a quiet node.
  if (!(await db.one(sql`select from outbox where position is null limit 1`))) return false
  return db.transaction(async (db) => {
    const { mine } = (await db.one<{ mine: boolean }>(sql`select pg_try_advisory_xact_lock(${LOCK}) as mine`))!
    if (!mine) return false
    await timelines.verify(db, seen)
    const numbered = await db.execute(sql`
      update outbox o set position = n.position
      from (select id, nextval('outbox_position') as position from (
        select id from outbox where position is null order by id limit ${BATCH}) w) n
      where o.id = n.id`)
    return numbered === BATCH
  })
}

const LOOKS = 200
const PAUSE_MS = 20

/** Everything that was committed before has its place afterwards, whichever node gave it. */
export async function sequenceAll(db: Database) {
  const { newest } = (await db.one<{ newest: number | null }>(sql`select max(id) as newest from outbox where position is null`))!
  const waits = () => db.one(sql`select from outbox where position is null and id <= ${newest} limit 1`)
  for (let look = 0; newest !== null && look < LOOKS && (await waits()); look++) if (!(await sequence(db))) await sleep(PAUSE_MS)
}

/** Where the order ends now. */
export const end = async (db: Database): Promise<number> =>
  (await db.one<{ position: number | null }>(sql`select max(position) as position from outbox`))!.position ?? 0

/** What happened after a place in the order, in order, as it was then. Types of a newer version are passed over. */
export async function read(
  db: Database,
  after: number,
  limit: number,
  accountId?: number,
): Promise<{ events: OutboxEvent[]; last: number; more: boolean }> {
  const account: Sql = accountId === undefined ? sql`true` : sql`o.account_id = ${accountId}`
  const entries = await db.rows<Entry>(sql`
    select o.position, o.account_id, o.project_id, p.name as project_name, o.event_type, o.happened_at as at, o.facts
    from outbox o left join projects p on p.id = o.project_id
    where o.position > ${after} and ${account} order by o.position limit ${limit}`)
  const events = entries.flatMap(({ position, account_id, event_type, facts, project_name, ...occasion }) =>
    project_name !== null && event_type !== null && Object.hasOwn(EVENTS, event_type)
      ? [{ position, account_id, event: eventOf(event_type as EventType, { ...occasion, project_name }, facts) }]
      : [],
  )
  // Entries count, not events: a page may hold fewer of these and yet not be the last.
  return { events, last: entries.at(-1)?.position ?? after, more: entries.length === limit }
}
