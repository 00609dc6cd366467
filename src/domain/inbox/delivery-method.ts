import { CHANNEL_KIND_TABLE, type ChannelKind, type MessageSubject, type NotificationKind } from '../../contract/channels.ts'
import { type Database, sql } from '../../db/database.ts'
import { directChannels } from '../channels/announce.ts'
import type { Announcement } from '../channels/announcement.ts'
import { announcementOf } from '../channels/announcements.ts'
import * as people from '../channels/people.ts'
import * as mails from '../mail/mails.ts'
import type { Vault } from '../privacy/secrets.ts'
import type { Message } from '../sending/messages.ts'
import { concerning } from './inbox-mails.ts'
import { preferencesOf } from './preferences.ts'
import { unsubscribeUrl } from './unsubscribe.ts'

/** A person and the subject of their notification. */
export interface Recipient {
  user_id: number
  account_id: number
  project_id: number
  kind: NotificationKind
  subject: MessageSubject
  subject_id: string
}

type DeliveryMethod = { way: 'room' | 'direct'; channel_id: number } | { way: 'mail' | null; channel_id: null }

/**
 * One message per event besides the inbox: a mention in one room if a bot can make it, otherwise a direct message, otherwise an email. People
 * who turned off chat get the email, and people who turned off email get the others. Decided before the first message is sent: rooms mention
 * only those whose notification says so.
 */
export async function methodFor(
  db: Database,
  recipient: Recipient,
  { mentions }: Pick<Announcement, 'mentions'>,
  wanted: { mail: boolean; chat: boolean },
): Promise<DeliveryMethod> {
  const isNamed = mentions.some(({ user_id }) => user_id === recipient.user_id)
  const room = isNamed ? await roomFor(db, recipient) : undefined
  if (room) return { way: 'room', channel_id: room.id }
  if (wanted.chat) {
    const [direct] = await directChannels(db, [recipient.account_id])
    if (direct && (await isReached(db, direct, recipient))) return { way: 'direct', channel_id: direct.id }
  }
  return { way: wanted.mail ? 'mail' : null, channel_id: null }
}

/** The first room whose message is about to be posted and can mention them, unless they turned off mentions. Edits notify nobody. */
async function roomFor(db: Database, recipient: Recipient) {
  const rooms = await db.rows<{ id: number; kind: ChannelKind }>(sql`
    select distinct c.id, c.kind from messages m join destinations c on c.account_id = m.account_id and c.id = m.destination_id and c.status = 'active'
    where m.account_id = ${recipient.account_id} and m.subject in ('breakage', 'breakage_reopened', 'budget') and m.subject like ${`${recipient.subject}%`}
      and m.subject_id = ${recipient.subject_id}
      and m.to_user_id = 0 and m.status in ('waiting', 'sending') and m.reference = '' and m.not_before <= goldmaster_now() + interval '1 minute'
    order by c.id`)
  for (const room of rooms) if (await isReached(db, room, recipient)) return room
  return undefined
}

/** How long a room's message waits for the decision whom it mentions. After that it mentions nobody. */
const UNDECIDED_MAX = sql`interval '1 minute'`

/** Whether the inbox has read the event of a room's message, and so decided how each person is told of it. */
export const isDecided = async (db: Database, { account_id, id }: Pick<Message, 'account_id' | 'id'>): Promise<boolean> =>
  (await db.one(sql`
    select from messages m join outbox_heads h on h.account_id = m.account_id
    where m.account_id = ${account_id} and m.id = ${id} and (h.inbox >= coalesce(m.position, m.occasion)
      or greatest(m.created_at, m.not_before) < goldmaster_now() - ${UNDECIDED_MAX})`)) !== undefined

/** The people whom a room's message mentions, and no other room. */
export async function mentionedIn(db: Database, message: Message): Promise<ReadonlySet<number>> {
  const { account_id, project_id, destination_id, subject, subject_id, occurrence } = message
  const people = await db.rows<{ user_id: number }>(sql`
    select distinct n.user_id from notifications n
    where n.account_id = ${account_id} and n.project_id = ${project_id} and n.way = 'room' and n.channel_id = ${destination_id}
      and n.subject = ${subject.startsWith('breakage') ? 'breakage' : subject}
      and n.subject_id = ${occurrence > 1 ? `${subject_id}:${occurrence}` : subject_id}`)
  return new Set(people.map(({ user_id }) => user_id))
}

/** Mapped to a user of the vendor, or a bot can look them up by address. */
async function isReached(db: Database, channel: { id: number; kind: ChannelKind }, { project_id, user_id }: Recipient) {
  const [known] = await people.known(db, channel, project_id, [user_id])
  return known !== undefined && (known.chat_id !== null || (known.email !== null && CHANNEL_KIND_TABLE[channel.kind].direct))
}

interface Context {
  vault: Vault
  site: string
}

/** Beyond this number in an hour, notifications are in the inbox only. */
export async function mailTo(
  db: Database,
  { vault, site }: Context,
  { user_id, account_id, kind }: Pick<Recipient, 'user_id' | 'account_id' | 'kind'>,
  said: Announcement,
) {
  if (await mails.isSwamped(db, user_id)) return
  await mails.writeToUser(db, user_id, concerning(kind, said, unsubscribeUrl(vault, site, user_id, kind)), account_id)
}

/** A person's notification preferences; no email to an unverified address. */
export const wantedBy = async (db: Database, userId: number, kind: NotificationKind) =>
  (await db.one<{ in_app: boolean; mail: boolean; chat: boolean }>(sql`
    select w.in_app, w.mail and u.email_verified as mail, w.chat from (${preferencesOf(sql`${userId}`)}) w, users u
    where w.kind = ${kind} and u.id = ${userId}`))!

/** Sends an email instead, once: the person should have been notified in chat, but the vendor does not know their address. */
export const mailInstead = (
  db: Database,
  means: Context,
  about: { account_id: number; project_id: number | null; subject: MessageSubject; subject_id: string },
  userId: number,
) =>
  db.transaction(async (db) => {
    const subject = about.subject.startsWith('breakage') ? 'breakage' : about.subject
    const recipient = await db.one<Omit<Recipient, 'subject' | 'subject_id'>>(sql`
      update notifications set way = 'mail'
      where account_id = ${about.account_id} and user_id = ${userId} and project_id = ${about.project_id} and subject = ${subject}
        and split_part(subject_id, ':', 1) = ${about.subject_id} and way in ('room', 'direct')
      returning user_id, account_id, project_id, kind`)
    if (!recipient || !(await wantedBy(db, userId, recipient.kind)).mail) return
    const said = await announcementOf(db, { ...about, subject, here: false }, means.site)
    if (said) await mailTo(db, means, recipient, said)
  })
