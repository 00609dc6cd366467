import { EDITING_KINDS, type MessageSubject, type RuleSubject, THREADING_KINDS } from '../../contract/channels.ts'
import type { BreakageState } from '../../contract/sets.ts'
import { type Database, sql } from '../../db/database.ts'
import type { OutboxEntry } from '../feed/outbox.ts'
import type { Message } from '../sending/messages.ts'
import { enqueue, type NewMessage, revise } from './message-queue.ts'

/** The messages that channel rules request. */
type MessagesOf = (about: { subject: RuleSubject; occasion?: number; occurrence?: number }) => NewMessage[]

/**
 * Queues the messages about a breakage. Its first message is edited if the vendor can. Follow-ups go to its thread if there are threads; in
 * rooms that cannot edit, "fixed" and "broken again" are posts, in the order in which they happened.
 */
export async function announceBreakage(db: Database, entry: OutboxEntry, messagesOf: MessagesOf) {
  const { account_id, row_id, event_type, position, occurrence = 0 } = entry
  if (event_type === 'breakage.steadied') return announceSteady(db, entry)
  await revise(db, account_id, 'breakage', [row_id])
  const rooms = messagesOf({ subject: 'breakage', occurrence })
  if (event_type === 'breakage.fixed') {
    await enqueue(db, messagesOf({ subject: 'breakage_fixed', occasion: position, occurrence }))
    await enqueueFollowUps(db, entry, 'breakage_fixed', rooms)
  }
  if (event_type === 'breakage.reopened') await enqueueFollowUps(db, entry, 'breakage_reopened', rooms)
  if (event_type === 'breakage.opened' || event_type === 'breakage.reopened') await enqueue(db, rooms)
}

/** Whether a message `m` may have arrived in the room. */
const POSTED = sql`(m.delivered > 0 or m.reference <> '' or m.status in ('sending', 'uncertain'))`

/** For rooms that got a message about it. A flickering breakage has one message with a counter instead, at most one post a day. */
const enqueueFollowUps = (db: Database, entry: OutboxEntry, subject: MessageSubject, rooms: readonly NewMessage[]) => {
  const { account_id, row_id, position, occurrence = 0 } = entry
  const wanted = rooms.map(({ channel_id, not_before, here }) => ({ channel_id, not_before, here }))
  return db.execute(sql`
    with rooms as (
      select m.destination_id as channel_id, m.project_id, m.to_user_id, c.kind = any (${THREADING_KINDS}::text[]) as threads, k.flaky,
        max(coalesce(m.finished_at, m.tried_at)) as last_at
      from messages m join destinations c on c.account_id = m.account_id and c.id = m.destination_id and c.status = 'active'
      join breakages k on k.account_id = m.account_id and k.id = ${row_id}::bigint
      where m.account_id = ${account_id} and m.subject in ('breakage', 'breakage_fixed', 'breakage_reopened', 'breakage_flickering')
        and m.subject_id = ${row_id} and ${POSTED}
        and (c.kind = any (${THREADING_KINDS}::text[]) or c.kind <> all (${EDITING_KINDS}::text[]))
        and (m.to_user_id = 0 or ${subject === 'breakage_fixed'} and exists (
          select from notifications n where n.account_id = m.account_id and n.user_id = m.to_user_id and n.kind in ('suspected', 'given') and n.subject = 'breakage'
            and n.subject_id = k.id || case when k.occurrence > 1 then ':' || k.occurrence else '' end))
      group by 1, 2, 3, 4, 5)
    insert into messages (account_id, destination_id, project_id, subject, subject_id, occasion, occurrence, to_user_id, here, not_before)
    select ${account_id}, r.channel_id, r.project_id, case when r.flaky then 'breakage_flickering' else ${subject} end, ${row_id}, ${position},
      ${occurrence}, r.to_user_id, ${subject === 'breakage_reopened'} and coalesce(w.here, false) and not r.flaky,
      greatest(case when r.threads then goldmaster_now() else coalesce(w.not_before, goldmaster_now()) end,
        case when r.flaky then r.last_at + interval '1 day' end)
    from rooms r left join json_to_recordset(${JSON.stringify(wanted)}::json) w (channel_id bigint, not_before timestamptz, here boolean)
      on w.channel_id = r.channel_id
    where not r.flaky or not r.threads and r.to_user_id = 0 and not exists (
      select from messages o where o.account_id = ${account_id} and o.destination_id = r.channel_id and o.subject = 'breakage_flickering'
        and o.subject_id = ${row_id} and o.status = 'waiting')
    on conflict do nothing`)
}

/**
 * A breakage no longer counts as flickering, because changes were reported late: rooms whose last message differs from its state get the
 * post they were spared.
 */
const announceSteady = (db: Database, { account_id, row_id, position }: OutboxEntry) =>
  db.execute(sql`
    with rooms as (
      select m.destination_id as channel_id, m.project_id,
        (array_agg(m.subject order by m.occasion desc, m.id desc))[1] as last_word
      from messages m join destinations c on c.account_id = m.account_id and c.id = m.destination_id and c.status = 'active'
      where m.account_id = ${account_id} and m.subject in ('breakage', 'breakage_fixed', 'breakage_reopened')
        and m.subject_id = ${row_id} and m.to_user_id = 0 and ${POSTED}
        and (c.kind = any (${THREADING_KINDS}::text[]) or c.kind <> all (${EDITING_KINDS}::text[]))
      group by 1, 2)
    insert into messages (account_id, destination_id, project_id, subject, subject_id, occasion, occurrence, not_before)
    select ${account_id}, r.channel_id, r.project_id, case when k.state = 'fixed' then 'breakage_fixed' else 'breakage_reopened' end,
      ${row_id}, ${position}, k.occurrence, goldmaster_now()
    from rooms r join breakages k on k.account_id = ${account_id} and k.id = ${row_id}::bigint
    where (r.last_word = 'breakage_fixed') <> (k.state = 'fixed')
    on conflict do nothing`)

/** What decides whether a message is still sent. */
interface Circumstances {
  state: BreakageState
  flaky: boolean
  /** The recipient of a direct message is the owner or the named suspect. */
  concerned: boolean
  has_main: boolean
  last_word: 'breakage_fixed' | 'breakage_reopened' | 'breakage' | null
  reopening_waits: boolean
}

/**
 * Why a message about a breakage is skipped; undefined if it is sent. A breakage that was fixed before its first message is not posted, and the
 * last message in a room is the current state.
 */
export async function whyObsolete(db: Database, message: Message): Promise<string | undefined> {
  if (!message.subject.startsWith('breakage') || message.delivered > 0 || message.reference !== '') return undefined
  const k = await db.one<Circumstances>(sql`
    select k.state, k.flaky,
      coalesce(k.owner_user_id = ${message.to_user_id} or (named_suspect(k.suspects) ->> 'user_id')::integer = ${message.to_user_id}, false) as concerned,
      exists (select from messages m where ${SAME_ROOM(message)} and m.subject = 'breakage') as has_main,
      (select m.subject from messages m where ${SAME_ROOM(message)} and ${POSTED}
        and m.subject in ('breakage', 'breakage_fixed', 'breakage_reopened') order by m.occasion desc, m.id desc limit 1) as last_word,
      exists (select from messages m where ${SAME_ROOM(message)} and m.subject = 'breakage_reopened' and m.status = 'waiting'
        and m.queue_order > ${message.queue_order}) as reopening_waits
    from breakages k
    where k.account_id = ${message.account_id} and k.project_id = ${message.project_id} and k.id = ${message.subject_id}::bigint`)
  return k && WHY[message.subject]?.(k, message)
}

const SAME_ROOM = ({ id, account_id, destination_id, subject_id, to_user_id }: Message) => sql`
  m.account_id = ${account_id} and m.destination_id = ${destination_id} and m.subject_id = ${subject_id} and m.to_user_id = ${to_user_id} and m.id <> ${id}
  and m.subject like 'breakage%'`

const isOver = ({ state }: Circumstances) => state === 'fixed' || state === 'withdrawn'

const WHY: Partial<Record<MessageSubject, (circumstances: Circumstances, message: Message) => string | undefined>> = {
  breakage: (k, { to_user_id }) => {
    if (isOver(k)) return `The breakage was already ${k.state} when this was due.`
    if (to_user_id > 0 && !k.concerned) return 'The person is no longer a suspect or the owner.'
  },
  breakage_fixed: (k) => {
    if (k.flaky && k.has_main) return 'The breakage is flaky: all its changes are counted in one message.'
    if (k.state !== 'fixed' && !k.reopening_waits) return 'The breakage is no longer fixed.'
    if (k.last_word === 'breakage_fixed' || (k.last_word === null && k.has_main))
      return 'The channel never got a message that it was broken.'
  },
  breakage_reopened: (k) => {
    if (k.flaky) return 'The breakage is flaky: all its changes are counted in one message.'
    if (isOver(k)) return `The breakage was already ${k.state} when this was due.`
    if (k.last_word !== 'breakage_fixed') return 'The last message in the channel already says that it is broken.'
  },
  breakage_flickering: (k) => (k.state === 'withdrawn' ? 'The breakage was withdrawn before this was sent.' : undefined),
}
