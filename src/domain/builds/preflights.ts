import { type Database, sql } from '../../db/database.ts'
import type { ProjectKey, RecordKey } from '../../db/project-key.ts'
import { scheduleBreakageCheck } from './follow-up-jobs.ts'

/** Builds of changelists that turn out to be pending become preflights and leave their breakages. */
export async function makePreflights(db: Database, project: ProjectKey, changelists: readonly string[]) {
  const made = await db.rows<RecordKey>(sql`
    update build_runs set kind = 'preflight', updated_at = now()
    where account_id = ${project.account_id} and project_id = ${project.project_id} and changelist = any (${changelists}::text[])
      and changelist <> '' and kind = 'regular' returning account_id, id`)
  for (const build of made) await scheduleBreakageCheck(db, build)
}
