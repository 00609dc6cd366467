import { CHANNEL_KIND_TABLE, type ChannelKind, type MessageSubject, type NotificationKind } from '../../contract/channels.ts'
import { type Database, sql } from '../../db/database.ts'
import { directChannels } from '../channels/announce.ts'
import type { Announcement } from '../channels/announcement.ts'
import { announcementOf } from '../channels/announcements.ts'
import * as people from '../channels/people.ts'
import * as mails from '../mail/mails.ts'
import type { Vault } from '../privacy/secrets.ts'
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

type DeliveryMethod = { way: 'room' | 'mail' } | { way: 'direct'; channel_id: number } | { way: null }

/**
 * One message per event besides the inbox: a mention in a room if a bot can make it, otherwise a direct message, otherwise an email. People
 * who turned off chat get the email, and people who turned off email get the others.
 */
export async function methodFor(
  db: Database,
  recipient: Recipient,
  wanted: { mail: boolean; chat: boolean },
): Promise<DeliveryMethod> {
  if (wanted.chat) {
    if (recipient.kind === 'suspected' && (await isMentioned(db, recipient))) return { way: 'room' }
    const [direct] = await directChannels(db, [recipient.account_id])
    if (direct && (await isReached(db, direct, recipient))) return { way: 'direct', channel_id: direct.id }
  }
  return { way: wanted.mail ? 'mail' : null }
}

/** Whether a message that is about to be posted can mention them: edits notify nobody. */
async function isMentioned(db: Database, recipient: Recipient): Promise<boolean> {
  const rooms = await db.rows<{ id: number; kind: ChannelKind }>(sql`
    select distinct c.id, c.kind from messages m join destinations c on c.account_id = m.account_id and c.id = m.destination_id and c.status = 'active'
    where m.account_id = ${recipient.account_id} and m.subject in ('breakage', 'breakage_reopened') and m.subject_id = ${recipient.subject_id}
      and m.to_user_id = 0 and m.status in ('waiting', 'sending') and m.reference = '' and m.not_before <= goldmaster_now() + interval '1 minute'`)
  for (const room of rooms) if (await isReached(db, room, recipient)) return true
  return false
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
