import { createHash } from 'node:crypto'
import { type Database, type Sql, sql } from '../../db/database.ts'
import { isResting } from '../accounts/isolation.ts'

export interface MailTemplate {
  subject: string
  /** Plain text; also sent as simple HTML. */
  text: string
  /** The one-click unsubscribe URL, for emails that were not requested. */
  unsubscribe?: string
}

/** In the caller's transaction: a rollback sends nothing. `accountId`: the account that the email belongs to and is deleted with. */
export const writeToUser = (db: Database, userId: number, letter: MailTemplate, accountId?: number) =>
  write(db, letter, accountId, sql`values (${userId}::integer, null)`)

export const writeToAddress = (db: Database, address: string, letter: MailTemplate, accountId?: number) =>
  write(db, letter, accountId, sql`values (null::integer, ${address})`)

/** One for every owner of an account. */
export const writeToOwners = (db: Database, accountId: number, subject: string, text: string) =>
  write(
    db,
    { subject, text },
    accountId,
    sql`select user_id, null from account_members where account_id = ${accountId} and role = 'owner' order by user_id`,
  )

async function write(
  db: Database,
  { subject, text, unsubscribe = '' }: MailTemplate,
  accountId: number | undefined,
  recipients: Sql,
): Promise<void> {
  await db.execute(sql`
    insert into mails (to_user_id, to_address, account_id, subject, text, unsubscribe)
    select r.user_id, r.address, ${accountId ?? null}::integer, ${subject}, ${text}, ${unsubscribe} from (${recipients}) r (user_id, address)`)
}

/** The owner of jobs that write to an address; the queue must not contain the address. */
export const recipient = (address: string) => `address:${createHash('sha256').update(address.toLowerCase()).digest('hex')}`

const ADDRESS = sql`coalesce(m.to_address, u.email)`

const FLOOD = 5

/**
 * Whether an address got so many of these within the hour that more would only be abuse. Without a subject, which may contain names of
 * people and accounts: all emails to the address.
 */
export const isFlooded = async (db: Database, address: string, subject?: string): Promise<boolean> => {
  const found = await db.one<{ count: number }>(sql`
    select count(*) from mails m left join users u on u.id = m.to_user_id
    where m.created_at > now() - interval '1 hour'
      and ${subject === undefined ? sql`lower(m.to_address) = ${address}` : sql`m.subject = ${subject} and lower(${ADDRESS}) = ${address}`}`)
  return found!.count >= FLOOD
}

const UNASKED_PER_HOUR = 20

/** Whether somebody got so many notification emails within the hour that more would only bury the others. */
export const isSwamped = async (db: Database, userId: number): Promise<boolean> => {
  const found = await db.one<{ count: number }>(sql`
    select count(*) from mails where to_user_id = ${userId} and unsubscribe <> '' and created_at > now() - interval '1 hour'`)
  return found!.count >= UNASKED_PER_HOUR
}

/** Lanes in which mails are handed to the mail server in parallel. Mails to one person share a lane, so they arrive in order. */
const LANES = 2
const LANE = sql`1 + abs(hashtext(coalesce(lower(m.to_address), m.to_user_id::text))::bigint) % ${LANES}`

/** How operators see the sending of an account's mails. */
export const SENDING = 'send_mails'

const IS_DUE = sql`m.next_at <= now() and not ${isResting(SENDING, sql`m.account_id`)}`

export const dueLanes = async (db: Database): Promise<number[]> =>
  (await db.rows<{ lane: number }>(sql`select distinct ${LANE} as lane from mails m where ${IS_DUE} order by 1`)).map(
    ({ lane }) => lane,
  )

/** A queued email with its recipient. */
export interface QueuedMail extends Required<MailTemplate> {
  id: number
  /** 0 if it belongs to no account, such as a password reset. */
  account_id: number
  to: string
  tries: number
}

/**
 * The mail that has been due longest, of one account after the other: however many mails one has, those of the others don't wait for them.
 * `after`: the account whose turn it was.
 */
export const next = (db: Database, lane: number, after: number): Promise<QueuedMail | undefined> =>
  db.one(sql`
    select m.id, coalesce(m.account_id, 0) as account_id, ${ADDRESS} as to, m.subject, m.text, m.unsubscribe, m.tries
    from mails m left join users u on u.id = m.to_user_id
    where ${IS_DUE} and ${LANE} = ${lane}
    order by coalesce(m.account_id, 0) <= ${after}, coalesce(m.account_id, 0), m.next_at, m.id limit 1`)

export const recordSent = (db: Database, id: number) =>
  db.execute(sql`update mails set sent_at = now(), next_at = null, error = '' where id = ${id}`)

const GIVEN_UP_AFTER = sql`interval '4 days'`

export const recordFailed = (db: Database, id: number, error: string, delaySeconds: number) =>
  db.execute(sql`
    with later as materialized (select now() + make_interval(secs => ${delaySeconds}) as at)
    update mails m set tries = m.tries + 1, error = ${error.slice(0, 500)},
      next_at = case when m.created_at > now() - ${GIVEN_UP_AFTER} then l.at end
    from later l where m.id = ${id}`)

/** Without a mail server, operators read them; a server that is configured later does not send old ones. */
export const keepUnsent = (db: Database) => db.execute(sql`update mails set next_at = null where next_at is not null`)

const PAGE = 50

/** Newest first, for operators: without a mail server this is where links are found. */
export async function list(db: Database, before: number | undefined) {
  const rows = await db.rows<{
    id: number
    to: string
    subject: string
    text: string
    error: string
    created_at: string
    sent_at: string | null
  }>(sql`
    select m.id, ${ADDRESS} as to, m.subject, m.text, m.error, m.created_at, m.sent_at from mails m left join users u on u.id = m.to_user_id
    where ${before ?? null}::bigint is null or m.id < ${before ?? null}::bigint order by m.id desc limit ${PAGE + 1}`)
  return { mails: rows.slice(0, PAGE), has_more: rows.length > PAGE }
}
