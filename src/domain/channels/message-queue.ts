import { type ChannelKind, EDITING_KINDS, type MessageSubject } from '../../contract/channels.ts'
import { type Database, raw, sql } from '../../db/database.ts'
import type { Vault } from '../access/secrets.ts'
import { record } from '../audit/audit-log.ts'
import * as mails from '../mail/mails.ts'
import { scrub } from '../privacy/scrub.ts'
import { secretOf } from './channels.ts'

/** What is to be said in which channel. */
export interface NewMessage {
  account_id: number
  channel_id: number
  project_id: number | null
  subject: MessageSubject
  subject_id: string
  occasion?: number
  /** For a breakage: the occurrence that the message is about. */
  occurrence?: number
  to_user_id?: number
  here?: boolean
  not_before?: string
}

/** Idempotent: each message is queued once, and a skipped one again. Runs in the caller's transaction, in the given order. */
export const enqueue = async (db: Database, messages: readonly NewMessage[]) => {
  if (messages.length > 0)
    await db.execute(sql`
      insert into channel_messages (account_id, channel_id, project_id, subject, subject_id, occasion, occurrence, to_user_id, here, not_before)
      select w.account_id, w.channel_id, w.project_id, w.subject, w.subject_id, coalesce(w.occasion, 0), coalesce(w.occurrence, 0), coalesce(w.to_user_id, 0),
        coalesce(w.here, false), coalesce(w.not_before, goldmaster_now())
      from json_to_recordset(${JSON.stringify(messages.map((message, place) => ({ ...message, place })))}::json) w (account_id integer,
        channel_id integer, project_id integer, subject text, subject_id text, occasion bigint, occurrence integer, to_user_id integer, here boolean,
        not_before timestamptz, place integer)
      order by w.place
      on conflict (channel_id, coalesce(project_id, 0), subject, subject_id, occasion, to_user_id) do update set status = 'waiting', error = '', tries = 0,
        first_tried_at = null, occurrence = excluded.occurrence, not_before = excluded.not_before, turn = nextval('channel_turn')
        where channel_messages.status = 'skipped'`)
}

/** What was said about these has changed. Messages that can be changed are, at the end of the queue; those that wait say it anyway. */
export const revise = (db: Database, accountId: number, subject: MessageSubject, ids: readonly string[]) =>
  db.execute(sql`
    update channel_messages m set wanted = m.wanted + 1,
      status = case when m.status = 'sent' and m.reference <> '' then 'waiting' else m.status end,
      turn = case when m.status = 'sent' and m.reference <> '' then nextval('channel_turn') else m.turn end,
      not_before = case when m.status = 'sent' then goldmaster_now() else m.not_before end
    from channels c
    where m.account_id = ${accountId} and m.subject = ${subject} and m.subject_id = any (${ids}::text[]) and (m.occasion = 0 or m.to_user_id <> 0)
      and m.project_id is not null and c.id = m.channel_id and c.kind = any (${EDITING_KINDS}::text[])`)

/** Lanes of one account that a process serves in parallel. */
const LANES_PER_ACCOUNT = 8

/**
 * Lanes with a message that may be sent now: those of accounts with the fewest lanes first. A channel has a lane for its room, with its id,
 * and one for direct messages, with the negative id, so that neither waits for the other.
 */
export const due = async (db: Database, { busy, free }: { busy: number[]; free: number }): Promise<number[]> =>
  (
    await db.rows<{ id: number }>(sql`
      with busy as (
        select c.account_id, count(*) as lanes from unnest(${busy}::integer[]) lane join channels c on c.id = abs(lane) group by 1),
      due as (
        select l.id, c.account_id, row_number() over (partition by c.account_id order by l.rests_until) as place
        from channels c cross join lateral (
          values (c.id, false, c.rests_until), (-c.id, true, c.direct_rests_until)) l (id, direct, rests_until)
        where c.status = 'active' and l.rests_until <= goldmaster_now() and l.id <> all (${busy}::integer[]) and exists (
          select from channel_messages m where m.channel_id = c.id and m.status in ('waiting', 'sending') and (m.to_user_id <> 0) = l.direct
            and m.not_before <= goldmaster_now()))
      select d.id from due d left join busy b on b.account_id = d.account_id
      where d.place + coalesce(b.lanes, 0) <= ${LANES_PER_ACCOUNT}
      order by d.place + coalesce(b.lanes, 0) limit ${free}`)
  ).map(({ id }) => id)

/** The end of a lane's rate limit. */
const rests = (direct: boolean) => raw(direct ? 'direct_rests_until' : 'rests_until')

export interface Head {
  id: number
  account_id: number
  project_id: number | null
  channel_id: number
  kind: ChannelKind
  room: string
  secret: string
  subject: MessageSubject
  subject_id: string
  to_user_id: number
  here: boolean
  /** Was being sent by somebody who never said what came of it. */
  interrupted: boolean
  wanted: number
  /** The revision of the text that the vendor has; 0 before it was sent. */
  delivered: number
  occurrence: number
  turn: number
  reference: string
  /** What the vendor calls the message that this one follows. */
  thread: string | null
  tries: number
  tried_at: string | null
  /** For longer than anybody wants to hear of it. */
  stale: boolean
  /** Milliseconds until the channel may be written to. */
  rests: number
}

/** Undefined when nothing may be sent now. */
export async function head(db: Database, vault: Vault, lane: number): Promise<Head | undefined> {
  const found = await db.one<Omit<Head, 'secret'> & { secret_sealed: string }>(sql`
    select m.id, m.account_id, m.project_id, m.channel_id, c.kind, c.room, c.secret_sealed, m.subject, m.subject_id, m.to_user_id, m.here,
      m.status = 'sending' as interrupted, m.wanted, m.delivered, m.occurrence, m.turn, m.reference, m.tries, m.tried_at,
      (select t.reference from channel_messages t where m.occasion > 0 and t.channel_id = m.channel_id and t.subject = 'breakage'
        and t.subject_id = m.subject_id and t.occasion = 0 and t.to_user_id = m.to_user_id and t.reference <> '') as thread,
      coalesce(m.first_tried_at, m.not_before) < goldmaster_now() - interval '24 hours' as stale,
      greatest(0, extract(epoch from c.${rests(lane < 0)} - goldmaster_now()) * 1000)::integer as rests
    from channels c join channel_messages m on m.channel_id = c.id and m.status in ('waiting', 'sending')
    where c.id = ${Math.abs(lane)} and c.status = 'active' and (m.to_user_id <> 0) = ${lane < 0} and m.not_before <= goldmaster_now() order by m.turn limit 1`)
  if (!found) return undefined
  const { secret_sealed, ...rest } = found
  return { ...rest, secret: vault.open(secret_sealed, secretOf(rest.channel_id)) }
}

/** Written before anything is sent: whoever finds it so knows that it may have arrived. */
export const begin = (db: Database, { id, channel_id, to_user_id }: Head, paceMs: number) =>
  db.execute(sql`
    with resting as (
      update channels set ${rests(to_user_id !== 0)} = goldmaster_now() + make_interval(secs => ${paceMs / 1000}) where id = ${channel_id})
    update channel_messages set status = 'sending', tries = tries + 1, tried_at = now(),
      first_tried_at = coalesce(first_tried_at, goldmaster_now()) where id = ${id}`)

/** What was asked of a vendor, and what it answered. */
export interface Attempt {
  action: 'post' | 'edit' | 'find'
  at: Date
  milliseconds: number
  status: number | null
  error: string
  response: string
}

const RESPONSE_MAX = 1_000

export const log = (db: Database, { id }: Head, { action, at, milliseconds, status, error, response }: Attempt) =>
  db.execute(sql`
    insert into channel_attempts (message_id, at, action, status, milliseconds, error, response)
    select id, ${at.toISOString()}, ${action}, ${status}, ${Math.round(milliseconds)}, ${scrub(error)}, ${scrub(response.slice(0, RESPONSE_MAX))}
    from channel_messages where id = ${id}`)

/** What was new meanwhile is said next. */
export const recordSent = (db: Database, { id, channel_id, wanted }: Head, reference: string) =>
  db.execute(sql`
    with well as (update channels set failing_since = null where id = ${channel_id} and failing_since is not null)
    update channel_messages set delivered = ${wanted}, reference = ${reference}, sent_at = goldmaster_now(), error = '', tries = 0, first_tried_at = null,
      status = case when wanted > ${wanted} and ${reference} <> '' then 'waiting' else 'sent' end,
      turn = case when wanted > ${wanted} and ${reference} <> '' then nextval('channel_turn') else turn end, not_before = goldmaster_now()
    where id = ${id}`)

/** It keeps its place; everything behind it waits too. */
export const recordLater = (db: Database, { id, channel_id, to_user_id }: Head, seconds: number, why: string) =>
  db.transaction(async (db) => {
    await db.execute(sql`update channel_messages set status = 'waiting', error = ${scrub(why)} where id = ${id}`)
    await db.execute(sql`
      update channels set failing_since = coalesce(failing_since, now()),
        ${rests(to_user_id !== 0)} = greatest(${rests(to_user_id !== 0)}, goldmaster_now() + make_interval(secs => ${seconds})) where id = ${channel_id}`)
    const silent = await db.one<{ failing: boolean }>(sql`
      select failing_since < now() - interval '5 days' as failing from channels where id = ${channel_id}`)
    if (silent?.failing) await breakOff(db, channel_id, `No message could be delivered for 5 days. Last error: ${why}`)
  })

/** The channel is left alone for a while; what is at its head stays as it is. */
export const rest = (db: Database, { channel_id, to_user_id }: Head, seconds: number) =>
  db.execute(sql`
    update channels set ${rests(to_user_id !== 0)} = greatest(${rests(to_user_id !== 0)}, goldmaster_now() + make_interval(secs => ${seconds}))
    where id = ${channel_id}`)

/** It is there, and may have to be brought up to date; or it is not, and is sent as if for the first time. */
export const recordFound = (db: Database, { id }: Head, reference: string) =>
  db.execute(sql`update channel_messages set status = 'waiting', reference = ${reference} where id = ${id}`)

/** What was to be changed is gone: it is said anew. */
export const recordLost = (db: Database, { id }: Head) =>
  db.execute(sql`update channel_messages set status = 'waiting', reference = '' where id = ${id}`)

export const recordEnd = (db: Database, { id }: Head, status: 'uncertain' | 'failed' | 'skipped', why: string) =>
  db.execute(sql`update channel_messages set status = ${status}, error = ${scrub(why)} where id = ${id}`)

/** Somebody has to do something before anything can be sent again. */
export const recordGone = (db: Database, { id, channel_id }: Head, why: string) =>
  db.transaction(async (db) => {
    await db.execute(sql`update channel_messages set status = 'waiting', error = ${scrub(why)} where id = ${id}`)
    await breakOff(db, channel_id, why)
  })

async function breakOff(db: Database, channelId: number, why: string) {
  const broken = await db.one<{ account_id: number; name: string }>(sql`
    update channels set status = 'broken', trouble = ${scrub(why)}, updated_at = now() where id = ${channelId} and status = 'active'
    returning account_id, name`)
  if (broken) {
    await record(db, sql`select ${broken.account_id}::integer`, {
      actor: 'job',
      action: 'switchOffChannel',
      subject: `channel/${channelId}`,
      before: { status: 'active' },
      after: { status: 'broken' },
    })
    await mails.writeToOwners(
      db,
      broken.account_id,
      'A chat channel was disabled',
      `Goldmaster can’t post to the channel “${broken.name}” anymore, so it was disabled.\n\n${scrub(why)}\n\nFix the problem, then resume the channel under Settings, Chat channels. Pending messages are sent then.\n`,
    )
  }
}
