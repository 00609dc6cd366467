import { setTimeout as sleep } from 'node:timers/promises'
import type { Event } from '../../contract/shapes.ts'
import { type Database, type Sql, sql } from '../../db/database.ts'
import { eventOf, type FeedRow } from './events.ts'
import { described, eventsNamed, type Kind, kindOf } from './feed.ts'
import * as timelines from './outbox-timelines.ts'

/** Something that happened, at its place in the order of commits. */
export interface Happening {
  position: number
  account_id: number
  event: Event
}

interface Entry {
  position: number
  account_id: number
  kind: Kind
  row_id: string
}

const LOCK = 5_207_114
const BATCH = 1_000

/**
 * Gives what was committed since its place in the order; one node at a time, and whoever comes second has nothing to do. `seen`: the
 * highest position that the caller knows to have been given. True when there is more than one turn takes.
 */
export async function number(db: Database, seen = 0): Promise<boolean> {
  // Most of the time nothing waits: a transaction for each look would be the most frequent statement of a quiet node.
  if (!(await db.one(sql`select from outbox where position is null limit 1`))) return false
  return db.transaction(async (db) => {
    const { mine } = (await db.one<{ mine: boolean }>(sql`select pg_try_advisory_xact_lock(${LOCK}) as mine`))!
    if (!mine) return false
    await timelines.verify(db, seen)
    const numbered = await db.count(sql`
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
export async function numberAll(db: Database) {
  const { newest } = (await db.one<{ newest: number | null }>(sql`select max(id) as newest from outbox where position is null`))!
  const waits = () => db.one(sql`select from outbox where position is null and id <= ${newest} limit 1`)
  for (let look = 0; newest !== null && look < LOOKS && (await waits()); look++) if (!(await number(db))) await sleep(PAUSE_MS)
}

/** Where the order ends now. */
export const end = async (db: Database): Promise<number> =>
  (await db.one<{ position: number | null }>(sql`select max(position) as position from outbox`))!.position ?? 0

/** What happened after a place in the order, in order, as it stands now; rows that are gone or no event any more are passed over. */
export async function read(
  db: Database,
  after: number,
  limit: number,
  accountId?: number,
): Promise<{ happenings: Happening[]; last: number; more: boolean }> {
  const account: Sql = accountId === undefined ? sql`true` : sql`account_id = ${accountId}`
  const entries = await db.rows<Entry>(sql`
    select position, account_id, kind, row_id from outbox where position > ${after} and ${account} order by position limit ${limit}`)
  if (entries.length === 0) return { happenings: [], last: after, more: false }
  const rows = await db.rows<FeedRow & { row_id: string }>(described(eventsNamed(entries)))
  // A task and a build may share a number, so the kind is part of the name.
  const events = new Map(rows.map((row) => [`${kindOf(row.rank)} ${row.row_id}`, eventOf(row)]))
  const happenings = entries.flatMap(({ position, account_id, kind, row_id }) => {
    const event = events.get(`${kind} ${row_id}`)
    return event ? [{ position, account_id, event }] : []
  })
  // Entries count, not happenings: a page may hold fewer of these and yet not be the last.
  return { happenings, last: entries.at(-1)!.position, more: entries.length === limit }
}
