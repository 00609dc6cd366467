import { EDITING_KINDS, type MessageSubject } from '../../contract/channels.ts'
import { type Database, sql } from '../../db/database.ts'
import * as mails from '../mail/mails.ts'
import { scrub } from '../privacy/scrub.ts'
import { type Destination, switchOff } from '../sending/destinations.ts'
import { toTheEnd } from '../sending/messages.ts'

/** A message for a channel. */
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
  /** Of the event in the outbox. */
  position?: number
}

/** Idempotent: each message is queued once, and a skipped one again. Runs in the caller's transaction, in the given order. */
export const enqueue = async (db: Database, messages: readonly NewMessage[]) => {
  if (messages.length > 0)
    await db.execute(sql`
      insert into messages (account_id, destination_id, project_id, subject, subject_id, occasion, occurrence, to_user_id, here, not_before, position)
      select w.account_id, w.channel_id, w.project_id, w.subject, w.subject_id, coalesce(w.occasion, 0), coalesce(w.occurrence, 0), coalesce(w.to_user_id, 0),
        coalesce(w.here, false), coalesce(w.not_before, goldmaster_now()), w.position
      from json_to_recordset(${JSON.stringify(messages.map((message, place) => ({ ...message, place })))}::json) w (account_id integer,
        channel_id bigint, project_id integer, subject text, subject_id text, occasion bigint, occurrence integer, to_user_id integer, here boolean,
        not_before timestamptz, position bigint, place integer)
      order by w.place
      on conflict (account_id, destination_id, coalesce(project_id, 0), subject, subject_id, occasion, to_user_id) where subject is not null
      do update set status = 'waiting', error = '', tries = 0, first_tried_at = null, occurrence = excluded.occurrence,
        not_before = excluded.not_before, position = excluded.position, queue_order = excluded.queue_order
        where messages.status = 'skipped'`)
}

/** The state of these subjects has changed. Posted messages are queued for an edit if the vendor can edit; waiting ones say it anyway. */
export const revise = (db: Database, accountId: number, subject: MessageSubject, ids: readonly string[]) =>
  db.transaction(async (db) => {
    const revised = await db.rows<{ id: number; posted: boolean }>(sql`
      with found as materialized (
        select m.id, m.status = 'sent' and m.reference <> '' as posted from messages m
        join destinations c on c.account_id = ${accountId} and c.id = m.destination_id and c.kind = any (${EDITING_KINDS}::text[])
        where m.account_id = ${accountId} and m.subject = ${subject} and m.subject_id = any (${ids}::text[])
          and (m.occasion = 0 or m.to_user_id <> 0) and m.project_id is not null order by m.queue_order for update of m)
      update messages m set revision = m.revision + 1, status = case when found.posted then 'waiting' else m.status end,
        not_before = case when m.status = 'sent' then goldmaster_now() else m.not_before end
      from found where m.account_id = ${accountId} and m.id = found.id
      returning m.id, found.posted`)
    const posted = revised.filter((message) => message.posted).map(({ id }) => id)
    if (posted.length > 0) await toTheEnd(db, accountId, posted)
  })

/** A person has to fix the channel before anything can be posted again; waiting messages are sent then. */
export async function breakChannel(db: Database, channel: Pick<Destination, 'account_id' | 'id'>, why: string) {
  const broken = await switchOff(db, channel, { status: 'broken', action: 'switchOffChannel', subject: 'channel', why })
  if (broken)
    await mails.writeToOwners(
      db,
      broken.account_id,
      'A chat channel was disabled',
      `Goldmaster can’t post to the channel “${broken.name}” anymore, so it was disabled.\n\n${scrub(why)}\n\nFix the problem, then resume the channel under Settings, Chat channels. Pending messages are sent then.\n`,
    )
}
