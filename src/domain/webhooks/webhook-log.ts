import { invalidParameter } from '../../contract/errors.ts'
import type { WebhookMessageStatus } from '../../contract/sets.ts'
import { type Database, sql } from '../../db/database.ts'
import { inlineWord, when } from '../../db/page.ts'
import * as messages from '../sending/messages.ts'

/** A message to a webhook, and the result of its last attempt. */
interface Delivery {
  id: string
  /** Its position in the order of events, for paging. */
  position: number
  event_type: string
  status: WebhookMessageStatus
  tries: number
  answer: number | null
  error: string | null
  next_at: string | null
  finished_at: string | null
  created_at: string
}

export interface Filter {
  status?: WebhookMessageStatus | undefined
  /** Only older ones: the position of the last one on the previous page. */
  before?: number | undefined
  limit: number
}

/** Newest first. */
export async function list(
  db: Database,
  webhookId: number,
  { status, before, limit }: Filter,
): Promise<{ deliveries: Delivery[]; has_more: boolean }> {
  const account = await accountOf(db, webhookId)
  const rows = await db.rows<Delivery>(sql`
    select m.event_id as id, m.position, m.event_type, m.status, m.tries, last.status as answer, last.error,
      case when m.status = 'waiting' then m.not_before end as next_at, m.finished_at, m.created_at
    from messages m
    left join lateral (
      select status, error from attempts t where t.account_id = m.account_id and t.message_id = m.id order by t.id desc limit 1) last on true
    where m.account_id = ${account} and m.destination_id = ${webhookId}
      and m.event_id is not null ${when(status, (status) => sql`and m.status = ${inlineWord(status)}`)}
      ${when(before, (position) => sql`and m.position < ${position}`)}
    order by m.position desc limit ${limit + 1}`)
  return { deliveries: rows.slice(0, limit), has_more: rows.length > limit }
}

/** Asked for first: a statement that names its account is sent to one server. */
const accountOf = async (db: Database, webhookId: number): Promise<number> =>
  (await db.one<{ account_id: number }>(sql`select account_id from destinations where id = ${webhookId}`))?.account_id ?? 0

/** The full id of a delivery whose end a list showed; anything else is returned unchanged. */
export async function idOf(db: Database, webhookId: number, given: string): Promise<string> {
  if (!/^[0-9a-f]{8,12}$/.test(given)) return given
  const found = await db.rows<{ id: string }>(sql`
    select event_id as id from messages where destination_id = ${webhookId} and event_id like ${`%${given}`} limit 2`)
  if (found.length > 1) throw invalidParameter('delivery', 'ends several ids; --wide shows them whole')
  return found[0]?.id ?? given
}

const theOne = (webhookId: number, id: string) => sql`m.destination_id = ${webhookId} and m.event_id = ${id}`

/** The payload and every attempt. */
export async function find(db: Database, webhookId: number, id: string) {
  const message = await messages.find<{ id: number; account_id: number; payload: unknown }>(
    db,
    'Delivery',
    sql`m.id, m.account_id, m.payload`,
    theOne(webhookId, id),
  )
  const attempts = await messages.listAttempts(db, message.account_id, message.id)
  return { payload: message.payload, attempts: attempts.map(({ action: _, ...attempt }) => attempt) }
}

/** Sends it again with the same id, after everything that is waiting. Returns how many. */
export async function replay(db: Database, webhookId: number, id: string): Promise<number> {
  const again = await messages.replay(db, await accountOf(db, webhookId), theOne(webhookId, id))
  if (again === 0) await find(db, webhookId, id)
  return again
}

/** All failed deliveries since a time, in the order of their events. Returns how many. */
export const replayFailed = async (db: Database, webhookId: number, since: string): Promise<number> =>
  messages.replay(
    db,
    await accountOf(db, webhookId),
    sql`m.destination_id = ${webhookId} and m.status = 'failed' and m.finished_at >= ${since}`,
  )
