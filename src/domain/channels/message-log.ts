import type { ChannelMessageStatus, MessageSubject } from '../../contract/channels.ts'
import { type Database, sql } from '../../db/database.ts'
import { inlineInteger, when } from '../../db/page.ts'
import * as messages from '../sending/messages.ts'
import { announcementOf } from './announcements.ts'

/** A message to a channel, and its result. */
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

const COLUMNS = sql`m.id, m.subject, m.subject_id, m.project_id, nullif(m.to_user_id, 0) as to_user_id, m.status, m.tries, m.error, m.finished_at as sent_at, m.created_at`

interface Filter {
  status?: ChannelMessageStatus | undefined
  before?: number | undefined
  limit: number
}

/** Newest first. */
export async function list(db: Database, channelId: number, { status, before, limit }: Filter) {
  const rows = await db.rows<Message>(sql`
    select ${COLUMNS} from messages m where m.destination_id = ${channelId} and m.subject is not null
      ${when(status, (status) => sql`and m.status = ${status}`)} ${when(before, (id) => sql`and m.id < ${id}`)}
    order by m.id desc limit ${inlineInteger(limit + 1)}`)
  return { messages: rows.slice(0, limit), has_more: rows.length > limit }
}

const theOne = (channelId: number, id: number | undefined) => sql`m.destination_id = ${channelId} and m.id = ${id ?? 0}`

export async function find(db: Database, { id: channelId, account_id }: Channel, id: number | undefined, site: string) {
  const message = await messages.find<Message>(
    db,
    'Message',
    COLUMNS,
    sql`m.account_id = ${account_id} and ${theOne(channelId, id)}`,
  )
  const said = await announcementOf(db, { ...message, account_id, here: false }, site)
  const attempts = await messages.listAttempts(db, account_id, message.id)
  return { ...message, says: said ? { title: said.title, url: said.url } : null, attempts }
}

/** At the end of the queue, like a new message; one that is being sent stays where it is. */
export async function replay(db: Database, { id: channelId, account_id }: Channel, id: number | undefined) {
  const which = sql`m.account_id = ${account_id} and ${theOne(channelId, id)}`
  if ((await messages.replay(db, account_id, which)) === 0) await messages.find(db, 'Message', sql`m.id`, which)
}

interface Channel {
  account_id: number
  id: number
}

/** Sent like every other message. */
export const test = async (db: Database, { account_id, id }: Channel): Promise<Message> =>
  (await db.one<Message>(sql`
    insert into messages as m (account_id, destination_id, subject, subject_id)
    values (${account_id}, ${id}, 'test', gen_random_uuid()::text) returning ${COLUMNS}`))!
