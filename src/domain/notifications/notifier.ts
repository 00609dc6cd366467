import { EVENTS, type EventType } from '../../contract/events.ts'
import { type Database, sql } from '../../db/database.ts'
import type { Vault } from '../access/secrets.ts'
import { linkFixes } from '../breakages/fixed-in.ts'
import { announce, type Occasion } from '../channels/announce.ts'
import { notifyPeople } from '../inbox/notify-people.ts'

const BATCH = 500

/**
 * Tells channels and people of what happened since it was last looked at. One node at a time, and what is queued for whom is committed
 * with how far it has come: nothing is told twice or left out. True when there is more than one turn takes.
 */
export async function notify(db: Database, means: { vault: Vault; site: string }): Promise<boolean> {
  const news = sql`select from outbox where position > (select position from notifier) order by position limit 1`
  if (!(await db.one(news))) return false
  return db.transaction(async (db) => {
    const cursor = await db.one<{ position: number }>(sql`select position from notifier for update skip locked`)
    if (!cursor) return false
    const read = await db.rows<Occasion & { event_type: string | null; project_known: boolean }>(sql`
      select o.position, o.account_id, o.project_id, o.event_type, o.row_id, coalesce((o.facts ->> 'occurrence')::integer, 0) as occurrence,
        p.id is not null as project_known
      from outbox o left join projects p on p.id = o.project_id
      where o.position > ${cursor.position} order by o.position limit ${BATCH}`)
    const occasions = read.filter(
      ({ event_type, project_known }) => project_known && Object.hasOwn(EVENTS, event_type as EventType),
    )
    await linkFixes(db, occasions)
    await announce(db, occasions)
    await notifyPeople(db, means, occasions)
    if (read.length > 0) await db.execute(sql`update notifier set position = ${read.at(-1)!.position}`)
    return read.length === BATCH
  })
}
