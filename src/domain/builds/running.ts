import type { AppReply } from '../../contract/app/routes.ts'
import { type Database, sql } from '../../db/database.ts'
import { RUNNING } from '../branches/build-statuses.ts'

const RUNNING_MAX = 20

/** The running builds in the projects of an account that a user has access to. */
export const running = (db: Database, accountId: number, userId: number): Promise<AppReply<'listRunningBuilds'>['build_runs']> =>
  db.rows(sql`
    select b.id::text, p.id as project_id, p.name as project_name, b.status, b.ci_job_name, b.build_number, b.branch, b.phase,
      iso(b.started_at) as started_at, iso(b.created_at) as created_at
    from projects p join project_access seen on seen.project_id = p.id and seen.user_id = ${userId} cross join lateral (
      select b.id, b.status, b.ci_job_name, b.build_number, b.branch, b.phase, b.started_at, b.created_at from build_runs b
      where b.account_id = p.account_id and b.project_id = p.id and b.status in ${RUNNING} and b.lost_at is null
        and b.created_at > now() - interval '7 days'
      order by b.created_at desc limit ${RUNNING_MAX}) b
    where p.account_id = ${accountId}
    order by b.created_at desc, b.id desc limit ${RUNNING_MAX}`)
