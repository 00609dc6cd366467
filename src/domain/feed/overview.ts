import type { AppReply } from '../../contract/app/routes.ts'
import { PRIORITIES, TASK_STATES, TASK_TYPES } from '../../contract/sets.ts'
import { type Database, type Sql, sql } from '../../db/database.ts'
import { ofEveryKind } from '../../db/page.ts'
import type { ProjectKey } from '../../db/project-key.ts'
import { PASSED, RUNNING } from '../branches/build-statuses.ts'
import { newest } from '../builds/builds.ts'
import { storeWord } from '../deployments/deployments.ts'
import { liveOn } from '../deployments/live.ts'

/** A short list; the full lists have the rest. */
const MINE_MAX = 5
const openTasksOf = (project: Sql, userId: number) =>
  ofEveryKind(
    [
      { column: sql`t.state`, values: TASK_STATES, asked: TASK_STATES.filter((state) => state !== 'completed') },
      { column: sql`t.task_type`, values: TASK_TYPES, asked: undefined },
      { column: sql`t.priority`, values: PRIORITIES, asked: undefined },
    ],
    (kind) => sql`
      select t.* from tasks t where t.project_id = ${project} and t.user_id = ${userId} and t.deleted_at is null and ${kind}
      order by t.created_at desc, t.id desc limit ${MINE_MAX}`,
  )

/** The current state of a project; every count reads no more of its index than needed. */
export async function overview(
  db: Database,
  project: ProjectKey,
  userId: number,
  site: string,
): Promise<AppReply<'showOverview'>> {
  const id = sql`${project.project_id}::integer`
  const counts = (await db.one<Omit<AppReply<'showOverview'>, 'latest_build'>>(sql`
    select
      (select count(*) from changes where project_id = ${id} and orphaned_at is null and timestamp > now() - interval '1 day') as changes_24h,
      (select count(*) from build_runs where project_id = ${id} and status in ${RUNNING} and lost_at is null
        and created_at > now() - interval '7 days') as builds_running,
      (select count(*) from build_runs where project_id = ${id} and status in ${PASSED} and kind = 'regular'
        and happened_at > now() - interval '1 day') as builds_passed_24h,
      (select count(*) from build_runs where project_id = ${id} and status = 'failed' and kind = 'regular' and happened_at > now() - interval '1 day')
        as builds_failed_24h,
      (select count(*) from assets where project_id = ${id} and approval_status = 'pending') as approvals_pending,
      (select coalesce(json_agg(d order by d.live_at desc), '[]') from (
        select nullif(${storeWord}, 'custom') as store, nullif(d.track, '') as track, d.version, iso(d.live_at) as live_at, d.id
        from ${liveOn({ account_id: sql`${project.account_id}::integer`, project_id: id })} d) d) as live,
      json_build_object(
        'tasks', (select coalesce(json_agg(t), '[]') from (
          select t.id, t.title, t.state, t.priority from (${openTasksOf(id, userId)}) t
          order by t.created_at desc, t.id desc limit ${MINE_MAX}) t),
        'breakages', (select coalesce(json_agg(k), '[]') from (
          select k.id::text, k.cause, k.jobs, k.owner_user_id is not null as claimed from breakages k
          where k.project_id = ${id} and k.state in ('open', 'claimed')
            and coalesce(k.owner_user_id, (named_suspect(k.suspects) ->> 'user_id')::integer) = ${userId}
          order by k.opened_at desc, k.id desc limit ${MINE_MAX}) k)) as mine`))!
  return { ...counts, latest_build: await newest(db, project, site) }
}
