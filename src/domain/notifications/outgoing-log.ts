import { invalidParameter, notFound } from '../../contract/errors.ts'
import type { OutgoingStatus } from '../../contract/sets.ts'
import { type Database, sql } from '../../db/database.ts'
import { when } from '../../db/page.ts'
import type { Attempt } from './outgoing.ts'

/** A message to one address, and how it fared the last time. */
interface Delivery {
  id: string
  /** Its place in the order of what happened: where a page goes on. */
  position: number
  event_type: string
  status: OutgoingStatus
  tries: number
  answer: number | null
  error: string | null
  next_at: string | null
  finished_at: string | null
  created_at: string
}

export interface Filter {
  status?: OutgoingStatus | undefined
  /** Only older ones than this: the position of the last of the page before. */
  before?: number | undefined
  limit: number
}

/** Newest first. */
export async function list(
  db: Database,
  subscriptionId: number,
  { status, before, limit }: Filter,
): Promise<{ deliveries: Delivery[]; has_more: boolean }> {
  const rows = await db.rows<Delivery>(sql`
    select o.id, o.position, o.event_type, o.status, o.tries, last.status as answer, last.error,
      case when o.status = 'waiting' then o.next_at end as next_at, o.finished_at, o.created_at
    from outgoing o
    left join lateral (select status, error from outgoing_attempts t where t.outgoing_id = o.id order by t.id desc limit 1) last on true
    where o.subscription_id = ${subscriptionId} ${when(status, (status) => sql`and o.status = ${status}`)}
      ${when(before, (position) => sql`and o.position < ${position}`)}
    order by o.position desc limit ${limit + 1}`)
  return { deliveries: rows.slice(0, limit), has_more: rows.length > limit }
}

/** The whole id of what a list showed by its end; anything else is taken as it is. */
export async function idOf(db: Database, subscriptionId: number, given: string): Promise<string> {
  if (!/^[0-9a-f]{8,12}$/.test(given)) return given
  const found = await db.rows<{ id: string }>(sql`
    select id from outgoing where subscription_id = ${subscriptionId} and id like ${`%${given}`} limit 2`)
  if (found.length > 1) throw invalidParameter('delivery', 'ends several ids; --wide shows them whole')
  return found[0]?.id ?? given
}

/** Every time it was sent, oldest first, and what was sent. */
export async function find(db: Database, subscriptionId: number, id: string) {
  const message = await db.one<{ payload: unknown }>(
    sql`select payload from outgoing where id = ${id} and subscription_id = ${subscriptionId}`,
  )
  if (!message) throw notFound('Delivery')
  const attempts = await db.rows<Omit<Attempt, 'id'>>(sql`
    select at, status, milliseconds, error, response from outgoing_attempts where outgoing_id = ${id} order by id`)
  return { payload: message.payload, attempts }
}

/** Takes a new turn at the end of the queue, with the same id; one that still waits keeps its turn. Returns how many. */
export async function replay(db: Database, subscriptionId: number, id: string): Promise<number> {
  const again = await db.execute(sql`
    update outgoing set status = 'waiting', turn = nextval('outgoing_turn'), tries = 0, first_tried_at = null, next_at = now(), finished_at = null
    where id = ${id} and subscription_id = ${subscriptionId} and status <> 'waiting'`)
  if (again === 0) await find(db, subscriptionId, id)
  return again
}

/** All that were given up since a time, in the order in which they happened. Returns how many. */
export const replayFailed = (db: Database, subscriptionId: number, since: string): Promise<number> =>
  db.execute(sql`
    update outgoing o set status = 'waiting', turn = n.turn, tries = 0, first_tried_at = null, next_at = now(), finished_at = null
    from (select id, nextval('outgoing_turn') as turn from (
      select id from outgoing where subscription_id = ${subscriptionId} and status = 'failed' and finished_at >= ${since}
      order by position for update) f) n
    where o.id = n.id`)
