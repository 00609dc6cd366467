import { type Database, sql } from '../../db/database.ts'
import { enqueue } from '../../db/queue.ts'
import { UNSETTLED } from './breakages.ts'

interface Due {
  account_id: number
  project_id: number
  job: string
}

/** The fix and this build may have been reported with different clocks. */
const CLOCKS = sql`interval '3 hours'`

/** In the transaction that ended a build, where something is broken that its job was hit by, or was when the build ran. */
export async function scheduleSettling(db: Database, buildId: number) {
  const due = await db.one<Due & { began_at: string; late: boolean }>(sql`
    select b.account_id, b.project_id, b.ci_job_name as job, b.began_at, hit.late
    from (select *, least(started_at, created_at) - ${CLOCKS} as began_at from build_runs where id = ${buildId}) b, lateral (
      select bool_or(k.state = 'fixed') as late from breakages k
      where k.project_id = b.project_id and b.ci_job_name = any (k.jobs) and (${UNSETTLED} or k.fixed_at > b.began_at)) hit
    where hit.late is not null`)
  if (!due) return
  const { began_at, late, ...job } = due
  if (late) await enqueueLook(db, job, { since: began_at })
  else await scheduleLook(db, job)
}

/** One look is enough for all that happens before it. */
export const scheduleLook = (db: Database, due: Due, delay = 0) => enqueueLook(db, due, { delay })

const enqueueLook = (
  db: Database,
  { account_id, project_id, job }: Due,
  { since, delay = 0 }: { since?: string; delay?: number },
) =>
  enqueue(
    db,
    'settle_breakages',
    { project_id, job, ...(since !== undefined && { since }) },
    { account_id, name: `settle ${project_id} ${since ?? (delay > 0 ? 'later' : 'now')} ${job}`, delay },
  )
