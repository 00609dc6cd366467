import type { BreakageHistoryKind, WithdrawnReason } from '../../contract/sets.ts'
import { type Database, sql } from '../../db/database.ts'
import type { RecordKey } from '../../db/project-key.ts'
import { append, type InternalEventType } from '../feed/outbox.ts'
import { scheduleVerdicts } from '../integrations/write-backs.ts'
import { scheduleIssue } from './fixed-issues.ts'

export const recordEvent = (
  db: Database,
  type: InternalEventType,
  { account_id, id }: RecordKey,
  facts: { occurrence?: number } = {},
) =>
  append(db, type, sql`select account_id, project_id, id from breakages where account_id = ${account_id} and id = ${id}`, facts)

/** Kinds without their own event that change the text of messages. */
const REVISING: readonly BreakageHistoryKind[] = ['joined', 'released', 'unassigned', 'unmuted']

/** Kinds that change whether it is fixed. */
const DECIDING: readonly BreakageHistoryKind[] = ['fixed', 'resolved', 'reopened', 'withdrawn']

/** What an entry of the history is about. */
interface HistoryDetail {
  job?: string
  owner_user_id?: number
  because?: string
  muted_until?: string
  reason?: WithdrawnReason
  same_as_breakage_id?: number
  task_id?: number
  note?: string
}

export async function note(
  db: Database,
  { account_id, id }: RecordKey,
  kind: BreakageHistoryKind,
  userId: number | null = null,
  detail: HistoryDetail = {},
) {
  await db.execute(sql`
    insert into breakage_history (account_id, breakage_id, kind, user_id, detail)
    values (${account_id}, ${id}, ${kind}, ${userId}, ${JSON.stringify(detail)}::jsonb)`)
  if (DECIDING.includes(kind)) {
    await scheduleIssue(db, { account_id, id })
    await scheduleVerdicts(db, { account_id, id })
  }
  if (REVISING.includes(kind)) await recordEvent(db, 'breakage.revised', { account_id, id })
}
