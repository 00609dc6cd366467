import type { MessageSubject } from '../../contract/channels.ts'
import { notFound } from '../../contract/errors.ts'
import { type Database, type Sql, sql } from '../../db/database.ts'
import { scrub } from '../privacy/scrub.ts'
import { type Destination, IN_QUEUE, recordFailure, resting, succeeded } from './destinations.ts'

/** A message in the queue of a destination. Webhooks get the payload of an event, chat channels the newest text about a subject. */
export interface Message {
  id: number
  account_id: number
  destination_id: number
  queue_order: number
  tries: number
  /** Its scheduled time has passed. */
  is_due: boolean
  /** A node began to send it and never recorded the result. */
  is_interrupted: boolean
  tried_at: string | null
  /** It has waited for more than a day. */
  is_stale: boolean
  event_id: string
  payload: string
  project_id: number | null
  subject: MessageSubject
  subject_id: string
  /** For a breakage: the occurrence that the message is about. */
  occurrence: number
  to_user_id: number
  here: boolean
  /** The newest revision, and the revision that the vendor has; 0 before it was sent. */
  revision: number
  delivered: number
  /** The vendor's id for it, if it can be edited. */
  reference: string
  /** The vendor's id for the message that this one replies to. */
  thread: string | null
}

const GIVEN_UP_AFTER = sql`interval '24 hours'`

/**
 * The head of a lane's queue. `in_order`: the first message blocks the others until its time has come; otherwise it is skipped until then.
 */
export const head = (
  db: Database,
  { id, account_id, is_direct }: Destination,
  { limit, in_order }: { limit: number; in_order: boolean },
): Promise<Message[]> =>
  db.rows(sql`
    select m.id, m.account_id, m.destination_id, m.queue_order, m.tries, m.not_before <= goldmaster_now() as is_due,
      m.status = 'sending' as is_interrupted, m.tried_at,
      coalesce(m.first_tried_at, m.not_before) < goldmaster_now() - ${GIVEN_UP_AFTER} as is_stale, m.event_id, m.payload::text as payload,
      m.project_id, m.subject, m.subject_id, m.occurrence, m.to_user_id, m.here, m.revision, m.delivered, m.reference,
      (select t.reference from messages t where m.occasion > 0 and t.account_id = m.account_id and t.destination_id = m.destination_id
        and t.subject = 'breakage' and t.subject_id = m.subject_id and t.occasion = 0 and t.to_user_id = m.to_user_id and t.reference <> '') as thread
    from messages m where m.account_id = ${account_id} and m.destination_id = ${id} and (m.to_user_id <> 0) = ${is_direct} and ${IN_QUEUE}
      ${in_order ? sql`` : sql`and m.not_before <= goldmaster_now()`}
    order by m.queue_order limit ${limit}`)

/** A request to a receiver and its response. */
export interface Attempt {
  message_id: number
  action: 'post' | 'edit' | 'find'
  at: string
  /** Null without a response. */
  status: number | null
  milliseconds: number
  error: string
  response: string
}

const attempted = (accountId: number, attempts: readonly Attempt[]): Sql => sql`
  insert into attempts (account_id, message_id, at, action, status, milliseconds, error, response)
  select m.account_id, m.id, t.at, t.action, t.status, t.milliseconds, t.error, t.response
  from unnest(${attempts.map(({ message_id }) => message_id)}::bigint[], ${attempts.map(({ at }) => at)}::timestamptz[],
    ${attempts.map(({ action }) => action)}::text[], ${attempts.map(({ status }) => status)}::integer[],
    ${attempts.map(({ milliseconds }) => Math.round(milliseconds))}::integer[], ${attempts.map(({ error }) => error)}::text[],
    ${attempts.map(({ response }) => response)}::text[])
    with ordinality t (id, at, action, status, milliseconds, error, response, place)
  join messages m on m.account_id = ${accountId} and m.id = t.id order by t.place`

export const recordAttempts = (db: Database, accountId: number, attempts: readonly Attempt[]) =>
  db.execute(attempted(accountId, attempts))

/** Delivered for good: these are never edited. */
export const recordDelivered = (db: Database, { id, account_id }: Destination, attempts: readonly Attempt[]) =>
  db.execute(sql`
    with kept as (${attempted(account_id, attempts)}), well as (${succeeded(account_id, id)})
    update messages set status = 'delivered', tries = tries + 1, first_tried_at = coalesce(first_tried_at, now()), finished_at = now()
    where account_id = ${account_id} and id = any (${attempts.map(({ message_id }) => message_id)}::bigint[]) and status = 'waiting'`)

/** A message that failed for a day is given up; everything behind it waits until then. Returns the seconds until the next attempt. */
export async function recordUndelivered(db: Database, accountId: number, attempt: Attempt, seconds: number): Promise<number> {
  const next = await db.one<{ seconds: number }>(sql`
    with kept as (${attempted(accountId, [attempt])})
    update messages set tries = tries + 1, first_tried_at = coalesce(first_tried_at, now()),
      not_before = least(now() + make_interval(secs => ${seconds}), coalesce(first_tried_at, now()) + ${GIVEN_UP_AFTER}),
      status = case when first_tried_at <= now() - ${GIVEN_UP_AFTER} then 'failed' else status end,
      finished_at = case when first_tried_at <= now() - ${GIVEN_UP_AFTER} then now() end
    where account_id = ${accountId} and id = ${attempt.message_id} and status = 'waiting'
    returning case when status = 'failed' then 0 else greatest(0, extract(epoch from not_before - now())) end::float8 as seconds`)
  return next?.seconds ?? 0
}

/** Recorded before anything is sent: after a crash the message may have arrived. The lane pauses as its vendor's rate limit asks. */
export const begin = (db: Database, to: Destination, { id, account_id }: Message, paceSeconds: number) =>
  db.execute(sql`
    with paced as (${resting(to, paceSeconds)})
    update messages set status = 'sending', tries = tries + 1, tried_at = now(), first_tried_at = coalesce(first_tried_at, goldmaster_now())
    where account_id = ${account_id} and id = ${id}`)

/** Changes since then are sent next, if the vendor can edit. */
export async function recordSent(db: Database, { id, account_id, destination_id, revision }: Message, reference: string) {
  const sent = await db.one<{ again: boolean }>(sql`
    with well as (${succeeded(account_id, destination_id)})
    update messages set delivered = ${revision}, reference = ${reference}, finished_at = goldmaster_now(), error = '', tries = 0,
      first_tried_at = null, not_before = goldmaster_now(),
      status = case when revision > ${revision} and ${reference} <> '' then 'waiting' else 'sent' end
    where account_id = ${account_id} and id = ${id} returning status = 'waiting' as again`)
  if (sent?.again) await toTheEnd(db, account_id, [id])
}

/** Puts messages at the end of their queue, in the given order. Numbered by a statement of its own: Citus takes no `nextval` in an update. */
export async function toTheEnd(db: Database, accountId: number, ids: readonly number[]) {
  const orders = await db.rows<{ queue_order: number }>(
    sql`select nextval('message_order')::bigint as queue_order from generate_series(1, ${ids.length}::integer)`,
  )
  await db.execute(sql`
    update messages m set queue_order = o.queue_order
    from unnest(${ids}::bigint[], ${orders.map(({ queue_order }) => queue_order)}::bigint[]) o (id, queue_order)
    where m.account_id = ${accountId} and m.id = o.id`)
}

/** It keeps its position in the queue. Returns true if the destination has been failing for long. */
export const recordLater = (db: Database, to: Destination, message: Message, seconds: number, why: string): Promise<boolean> =>
  db.transaction(async (db) => {
    await recordWaiting(db, message, { error: why })
    return recordFailure(db, to, seconds, why)
  })

/** Sent again later: as an edit of `reference`, or as a new message if that is empty. */
export const recordWaiting = (
  db: Database,
  { id, account_id, reference: known }: Message,
  { reference = known, error = '' }: { reference?: string; error?: string },
) =>
  db.execute(sql`
    update messages set status = 'waiting', reference = ${reference}, error = ${scrub(error)} where account_id = ${account_id} and id = ${id}`)

export const recordEnd = (db: Database, { id, account_id }: Message, status: 'uncertain' | 'failed' | 'skipped', why: string) =>
  db.execute(sql`update messages set status = ${status}, error = ${scrub(why)} where account_id = ${account_id} and id = ${id}`)

/**
 * Skips a message if `reason` gives one while its row is locked: what makes it necessary again has either happened before, and there is no
 * reason, or finds it skipped and queues it again. Returns true if it was skipped.
 */
export const skip = (db: Database, message: Message, reason: (db: Database) => Promise<string | undefined>): Promise<boolean> =>
  db.transaction(async (db) => {
    await db.execute(sql`select from messages where account_id = ${message.account_id} and id = ${message.id} for update`)
    const why = await reason(db)
    if (why !== undefined) await recordEnd(db, message, 'skipped', why)
    return why !== undefined
  })

/**
 * Moves messages `m` of an account to the end of their queue, like new ones; those that are already waiting stay where they are. Returns
 * how many.
 */
export const replay = (db: Database, accountId: number, which: Sql): Promise<number> =>
  db.transaction(async (db) => {
    const found = await db.rows<{ id: number }>(sql`
      select m.id from messages m where m.account_id = ${accountId} and ${which} and not (${IN_QUEUE}) order by m.position for update`)
    if (found.length === 0) return 0
    const ids = found.map(({ id }) => id)
    await toTheEnd(db, accountId, ids)
    return db.execute(sql`
      update messages m set status = 'waiting', tries = 0, first_tried_at = null, not_before = goldmaster_now(),
        error = '', finished_at = case when m.subject is null then null else m.finished_at end
      where m.account_id = ${accountId} and m.id = any (${ids}::bigint[])`)
  })

/** Every attempt of a message, oldest first. */
export const listAttempts = (db: Database, accountId: number, messageId: number) =>
  db.rows<Omit<Attempt, 'message_id'>>(sql`
    select at, action, status, milliseconds, error, response from attempts
    where account_id = ${accountId} and message_id = ${messageId} order by id`)

/** Throws 404 if there is no such message. */
export async function find<Row extends object>(db: Database, noun: string, columns: Sql, which: Sql): Promise<Row> {
  const found = await db.one<Row>(sql`select ${columns} from messages m where ${which}`)
  if (!found) throw notFound(noun)
  return found
}
