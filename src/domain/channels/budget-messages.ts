import { EDITING_KINDS } from '../../contract/channels.ts'
import { type Database, sql } from '../../db/database.ts'
import type { OutboxEntry } from '../feed/outbox.ts'
import type { Message } from '../sending/messages.ts'
import { enqueue, type NewMessage, revise } from './message-queue.ts'

/** Queues the message about a measure that crossed its budget; once it is back, edits it, or posts again in rooms that cannot edit. */
export async function announceBudget(db: Database, { account_id, row_id, position }: OutboxEntry, rooms: readonly NewMessage[]) {
  await revise(db, account_id, 'budget', [row_id])
  const isOpen = await db.one(sql`
    select from measure_alerts where account_id = ${account_id} and id = ${row_id}::bigint and state = 'open'`)
  if (isOpen) return enqueue(db, rooms)
  const told = await db.rows<{ channel_id: number }>(sql`
    select m.destination_id as channel_id from messages m join destinations c on c.account_id = m.account_id and c.id = m.destination_id
    where m.account_id = ${account_id} and m.subject = 'budget' and m.subject_id = ${row_id} and m.occasion = 0 and m.to_user_id = 0
      and (m.delivered > 0 or m.status in ('sending', 'uncertain')) and c.kind <> all (${EDITING_KINDS}::text[])`)
  const again = rooms.filter(({ channel_id }) => told.some((one) => one.channel_id === channel_id))
  await enqueue(
    db,
    again.map((message) => ({ ...message, occasion: position })),
  )
}

/** Why a message about a budget is skipped; undefined if it is sent. What was back before its first message is not posted. */
export async function whyBudgetObsolete(db: Database, message: Message): Promise<string | undefined> {
  if (message.subject !== 'budget' || message.delivered > 0 || message.reference !== '') return undefined
  const settled = await db.one(sql`
    select from measure_alerts a where a.account_id = ${message.account_id} and a.id = ${message.subject_id}::bigint and a.state = 'settled'
      and not exists (select from messages m where m.account_id = a.account_id and m.destination_id = ${message.destination_id}
        and m.subject = 'budget' and m.subject_id = ${message.subject_id} and m.to_user_id = ${message.to_user_id} and m.id <> ${message.id}
        and m.delivered > 0)`)
  return settled === undefined ? undefined : 'The measure was back when this was due.'
}
