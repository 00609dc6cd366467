import { type Database, sql } from '../../db/database.ts'
import { scheduleBreakageCheck } from './follow-up-jobs.ts'

/** Builds of changelists that turn out to be pending become preflights and leave their breakages. */
export async function makePreflights(db: Database, projectId: number, changelists: readonly string[]) {
  const made = await db.rows<{ id: number }>(sql`
    update build_runs set kind = 'preflight', updated_at = now()
    where project_id = ${projectId} and changelist = any (${changelists}::text[]) and changelist <> '' and kind = 'regular' returning id`)
  for (const { id } of made) await scheduleBreakageCheck(db, id)
}
