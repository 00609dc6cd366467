import { type Pool, sql } from '../../db/database.ts'
import type { ProjectKey, RecordKey } from '../../db/project-key.ts'
import { enqueue } from '../../db/queue.ts'
import { BRANCH, positionOn } from '../branches/positions.ts'
import { LATE, scheduleBreakageCheck } from '../builds/follow-up-jobs.ts'
import { recomputeDeletedBranches } from './recompute.ts'

/** How many failed builds of a day are checked. */
const BUILDS_MAX = 200
/** Computes suspects and ranges again for builds whose range got or lost a change since the last check. */
export async function reviewRanges(db: Pool, project: ProjectKey) {
  await recomputeDeletedBranches(db, project)
  const builds = await db.rows<RecordKey>(sql`
    select b.id, b.account_id from (
      select b.*, ${BRANCH} as on_branch, ${positionOn(BRANCH)} as position,
        (select coalesce(i.reviewed_at, b.created_at) from investigations i where i.account_id = b.account_id and i.build_run_id = b.id
          and i.status = 'completed'
          order by i.id desc limit 1) as looked_at
      from (
        select * from build_runs where account_id = ${project.account_id} and project_id = ${project.project_id} and status = 'failed'
          and created_at > goldmaster_now() - ${LATE}
        order by created_at desc, id desc limit ${BUILDS_MAX}) b) b
    where exists (
      select from change_branches p where p.account_id = b.account_id and p.project_id = b.project_id and p.branch = b.on_branch
        and p.position <= b.position and greatest(p.arrived_at, p.orphaned_at, p.doubted_at) > b.looked_at)
    order by b.id`)
  for (const { id, account_id } of builds)
    await enqueue(db, 'review_suspects', { account_id, build_run_id: id }, { account_id, name: `review suspects of build ${id}` })
  // The position of a passed build changes when a change below its own arrives, and the fix may be older than the newest such build.
  const moved = await db.rows<{ id: number }>(sql`
    select min(b.id) as id from (
      select b.*, ${BRANCH} as on_branch, ${positionOn(BRANCH)} as position from (
        select * from build_runs where account_id = ${project.account_id} and project_id = ${project.project_id} and status <> 'failed'
          and created_at > goldmaster_now() - ${LATE}
        order by created_at desc, id desc limit ${BUILDS_MAX}) b) b
    where exists (
      select from change_branches p where p.account_id = b.account_id and p.project_id = b.project_id and p.branch = b.on_branch
        and p.position <= b.position and p.arrived_at > b.created_at)
    group by b.ci_job_name, b.on_branch`)
  for (const { id } of moved) await scheduleBreakageCheck(db, { account_id: project.account_id, id })
}
