import { type Database, sql } from '../../db/database.ts'
import type { OutboxEntry } from '../feed/outbox.ts'
import type { Message } from '../sending/messages.ts'
import { enqueue, type NewMessage, revise } from './message-queue.ts'

/** What a studio waits for: a message of its own, since an edit notifies nobody and some rooms can't edit. */
const NEWS = { live: 'deployment_live', rejected: 'deployment_rejected', rolled_back: 'deployment_rolled_back' } as const
const NEWS_SUBJECTS = Object.values(NEWS)

const newsOf = ({ event_type, state = '' }: OutboxEntry) =>
  event_type === 'deployment.updated' && Object.hasOwn(NEWS, state) ? NEWS[state as keyof typeof NEWS] : undefined

/** Queues the message about a deployment and keeps it up to date; that it is live, rejected or rolled back is posted anew. */
export async function announceDeployment(db: Database, entry: OutboxEntry, rooms: readonly NewMessage[]) {
  await revise(db, entry.account_id, 'deployment', [entry.row_id])
  const subject = newsOf(entry)
  const messages = rooms.map((message) => (subject ? { ...message, subject, occasion: entry.position } : message))
  await enqueue(db, messages)
}

/** Why a message about a deployment is skipped; undefined if it is sent. What was overtaken before its first message is not posted. */
export async function whyDeploymentObsolete(db: Database, message: Message): Promise<string | undefined> {
  if (message.subject !== 'deployment' || message.delivered > 0 || message.reference !== '') return undefined
  const overtaken = await db.one(sql`
    select from messages m where m.account_id = ${message.account_id} and m.destination_id = ${message.destination_id}
      and m.subject = any (${NEWS_SUBJECTS}::text[]) and m.subject_id = ${message.subject_id}
      and m.queue_order > ${message.queue_order} limit 1`)
  return overtaken === undefined ? undefined : 'A newer message says more.'
}
