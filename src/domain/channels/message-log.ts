import type { ChannelMessageStatus, MessageSubject } from '../../contract/channels.ts'
import { notFound } from '../../contract/errors.ts'
import { type Database, sql } from '../../db/database.ts'
import { inlineInteger, when } from '../../db/page.ts'
import { announcementOf } from './announcements.ts'

/** A message to a channel, and how it fared. */
interface Message {
  id: number
  subject: MessageSubject
  subject_id: string
  project_id: number | null
  to_user_id: number | null
  status: ChannelMessageStatus
  tries: number
  error: string
  sent_at: string | null
  created_at: string
}

const COLUMNS = sql`m.id, m.subject, m.subject_id, m.project_id, nullif(m.to_user_id, 0) as to_user_id, m.status, m.tries, m.error, m.sent_at, m.created_at`

interface Filter {
  status?: ChannelMessageStatus | undefined
  before?: number | undefined
  limit: number
}

/** Newest first. */
export async function list(db: Database, channelId: number, { status, before, limit }: Filter) {
  const rows = await db.rows<Message>(sql`
    select ${COLUMNS} from channel_messages m where m.channel_id = ${channelId}
      ${when(status, (status) => sql`and m.status = ${status}`)} ${when(before, (id) => sql`and m.id < ${id}`)}
    order by m.id desc limit ${inlineInteger(limit + 1)}`)
  return { messages: rows.slice(0, limit), has_more: rows.length > limit }
}

interface Attempt {
  at: string
  action: string
  status: number | null
  milliseconds: number
  error: string
  response: string
}

export async function find(db: Database, channelId: number, id: number | undefined, site: string) {
  const message = await db.one<Message>(sql`
    select ${COLUMNS} from channel_messages m where m.channel_id = ${channelId} and m.id = ${id ?? 0}`)
  if (!message) throw notFound('Message')
  const said = await announcementOf(db, { ...message, here: false }, site)
  const attempts = await db.rows<Attempt>(sql`
    select at, action, status, milliseconds, error, response from channel_attempts where message_id = ${message.id} order by id`)
  return { ...message, says: said ? { title: said.title, url: said.url } : null, attempts }
}

/** At the end of the queue, as something new; one that is on its way stays where it is. */
export async function replay(db: Database, channelId: number, id: number | undefined) {
  const again = await db.execute(sql`
    update channel_messages set status = 'waiting', turn = nextval('channel_turn'), tries = 0, first_tried_at = null, not_before = now(),
      error = '' where channel_id = ${channelId} and id = ${id ?? 0} and status not in ('waiting', 'sending')`)
  if (again > 0) return
  const known = await db.one(sql`select from channel_messages where channel_id = ${channelId} and id = ${id ?? 0}`)
  if (!known) throw notFound('Message')
}

/** Goes the way of every other message. */
export const test = async (db: Database, { account_id, id }: { account_id: number; id: number }): Promise<Message> =>
  (await db.one<Message>(sql`
    insert into channel_messages as m (account_id, channel_id, subject, subject_id)
    values (${account_id}, ${id}, 'test', gen_random_uuid()::text) returning ${COLUMNS}`))!
