import { type Database, sql } from '../../db/database.ts'
import type { ProjectKey } from '../../db/project-key.ts'
import { keysOf, type OutboxEntry } from '../feed/outbox.ts'

/** A person named the fixing change: failures before that change don't reopen the breakage. The change may be reported later. */
export const noteFixedIn = (db: Database, project: ProjectKey, id: number | undefined, changelist: number) =>
  db.execute(sql`
    with fixed as (
      update breakages k set fixed_in = ${String(changelist)}, resolved_position = ${changelist},
        fixed_by_change_id = (select c.id from changes c where c.account_id = k.account_id and c.project_id = k.project_id
          and c.identifier = ${String(changelist)} limit 1)
      where k.account_id = ${project.account_id} and k.project_id = ${project.project_id} and k.id = ${id ?? 0} and k.state = 'fixed'
        returning ${OCCURRENCE}, resolved_position)
    update breakage_occurrences o set fixed_by_change_id = fixed.fixed_by_change_id, resolved_position = fixed.resolved_position
    from fixed where ${OF_FIXED}`)

const OCCURRENCE = sql`k.account_id, k.id, k.occurrence, k.fixed_by_change_id`
const OF_FIXED = sql`o.account_id = fixed.account_id and o.breakage_id = fixed.id and o.number = fixed.occurrence`

/** Links changes that were named as a fix before they were reported. */
export async function linkFixes(db: Database, entries: readonly OutboxEntry[]) {
  const changes = entries.filter(({ event_type }) => event_type === 'change.submitted')
  if (changes.length > 0)
    await db.execute(sql`
      with fixed as (
        update breakages k set fixed_by_change_id = c.id from changes c
        where (c.account_id, c.id) in (${keysOf(changes, 'bigint')}) and k.account_id = c.account_id and k.project_id = c.project_id
          and k.fixed_in = c.identifier and k.state = 'fixed'
          and k.fixed_by_change_id is distinct from c.id returning ${OCCURRENCE})
      update breakage_occurrences o set fixed_by_change_id = fixed.fixed_by_change_id from fixed where ${OF_FIXED}`)
}
