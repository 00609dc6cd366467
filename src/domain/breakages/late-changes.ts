import { type Pool, sql } from '../../db/database.ts'
import type { ProjectKey, RecordKey } from '../../db/project-key.ts'
import { enqueue } from '../../db/queue.ts'
import { BRANCH, positionOn } from '../branches/positions.ts'
import { LATE, scheduleBreakageCheck } from '../builds/follow-up-jobs.ts'
import { recomputeDeletedBranches, recomputeLate } from './recompute.ts'
import { rehome } from './rehome.ts'

/** Computes suspects and ranges again for builds whose range got or lost a change since the last check. */
export async function reviewRanges(db: Pool, project: ProjectKey) {
  await recomputeDeletedBranches(db, project)
  await rehome(db, project)
  const builds = await db.rows<RecordKey & { breakage_id: number | null }>(sql`
    select b.id, b.account_id, m.breakage_id from (
      select b.*, ${BRANCH} as on_branch, ${positionOn(BRANCH)} as position,
        (select coalesce(i.reviewed_at, b.created_at) from investigations i where i.account_id = b.account_id and i.build_run_id = b.id
          and i.status = 'completed'
          order by i.id desc limit 1) as looked_at
      from (
        select * from build_runs where account_id = ${project.account_id} and project_id = ${project.project_id} and verdict = 'failed'
          and created_at > goldmaster_now() - ${LATE}) b) b
    left join breakage_builds m on m.account_id = b.account_id and m.build_run_id = b.id
    left join breakages k on k.account_id = m.account_id and k.id = m.breakage_id
    where k.state is distinct from 'withdrawn' and exists (
      select from change_branches p where p.account_id = b.account_id and p.project_id = b.project_id and p.branch = b.on_branch
        and p.position <= b.position and greatest(p.arrived_at, p.orphaned_at, p.doubted_at) > b.looked_at)
    order by b.id`)
  await recomputeLate(db, project, builds)
  for (const { id, account_id } of builds.filter(({ breakage_id }) => breakage_id === null))
    await enqueue(db, 'review_suspects', { account_id, build_run_id: id }, { account_id, name: `review suspects of build ${id}` })
  // The position of a passed build changes when a change below its own arrives, and the fix may be older than the newest such build.
  const moved = await db.rows<{ id: number }>(sql`
    select min(b.id) as id from (
      select b.*, ${BRANCH} as on_branch, ${positionOn(BRANCH)} as position from (
        select * from build_runs where account_id = ${project.account_id} and project_id = ${project.project_id} and verdict is distinct from 'failed'
          and created_at > goldmaster_now() - ${LATE}) b) b
    where exists (
      select from change_branches p where p.account_id = b.account_id and p.project_id = b.project_id and p.branch = b.on_branch
        and p.position <= b.position and p.arrived_at > b.created_at)
    group by b.job, b.on_branch`)
  for (const { id } of moved) await scheduleBreakageCheck(db, { account_id: project.account_id, id })
}
