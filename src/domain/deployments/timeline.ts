import type { AppReply } from '../../contract/app/routes.ts'
import { type Database, sql } from '../../db/database.ts'
import { storeWord } from './deployments.ts'

/** A deployment `d` as a point in time. */
export const timelineColumns = sql`
  d.id, d.platform, nullif(${storeWord}, 'custom') as store, nullif(d.track, '') as track, d.status, d.version,
  iso(d.deployed_at) as deployed_at, iso(d.live_at) as live_at, iso(d.created_at) as created_at`

/** As many as can be told apart in one chart. */
const SHOWN = 500

/** The deployments to stores in an account's projects that a user has access to, newest first. */
export async function timeline(
  db: Database,
  accountId: number,
  userId: number,
  daysBack: number,
): Promise<AppReply<'showReleaseTimeline'>> {
  const deployments = await db.rows<AppReply<'showReleaseTimeline'>['deployments'][number]>(sql`
    select ${timelineColumns}, d.project_id, p.name as project_name
    from deployments d join projects p on p.account_id = d.account_id and p.id = d.project_id
    join project_access seen on seen.account_id = d.account_id and seen.project_id = d.project_id and seen.user_id = ${userId}
    where d.account_id = ${accountId} and d.created_at >= now() - make_interval(days => ${daysBack})
    order by d.created_at desc, d.number desc limit ${SHOWN + 1}`)
  return { deployments: deployments.slice(0, SHOWN), has_more: deployments.length > SHOWN }
}
