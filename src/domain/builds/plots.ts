import type { OwnReply } from '../../contract/app/routes.ts'
import { type Database, sql } from '../../db/database.ts'
import { PASSED_OR_FAILED } from './statuses.ts'

type Plots = OwnReply<'showPlots'>

/** How many points a plot has room for, and how many deployments are looked at for them. */
const POINTS_MAX = 300
const DEPLOYMENTS_MAX = 2_000

/** What the plots of a project show: bounded by time and, where every record is a point, by number. Days are UTC. */
export async function plots(db: Database, projectId: number, days: number): Promise<Plots> {
  const since = sql`(date_trunc('day', now(), 'UTC') - make_interval(days => ${days - 1}))`
  const [builds, durations, lead_times, causes] = await Promise.all([
    // One walk along the index over status and time, without a look at the rows themselves; days of UTC are all of one length.
    db.rows<Plots['builds'][number]>(sql`
      with counted as (
        select date_bin('1 day', created_at, timestamptz '2000-01-01T00:00:00Z') as day, status, count(*) as n from build_runs
        where project_id = ${projectId} and status in ('completed', 'failed', 'cancelled', 'passed_pending_approval')
          and created_at >= ${since}
        group by 1, 2)
      select to_char(d.day at time zone 'UTC', 'YYYY-MM-DD') as day,
        coalesce(sum(n) filter (where status = 'completed'), 0)::integer as completed,
        coalesce(sum(n) filter (where status = 'failed'), 0)::integer as failed,
        coalesce(sum(n) filter (where status = 'cancelled'), 0)::integer as cancelled,
        coalesce(sum(n) filter (where status = 'passed_pending_approval'), 0)::integer as waiting
      from generate_series(${since}, now(), interval '1 day') d (day) left join counted c on c.day = d.day
      group by d.day order by d.day`),
    db.rows<Plots['durations'][number]>(sql`
      select id, ci_job_name, build_number, iso(at) as at, seconds, status from (
        select id, ci_job_name, build_number, happened_at as at, duration_seconds as seconds, status from build_runs
        where project_id = ${projectId} and status in ${PASSED_OR_FAILED} and happened_at >= ${since}
          and duration_seconds is not null
        order by happened_at desc, id desc limit ${POINTS_MAX}) b order by b.at, id`),
    db.rows<Plots['lead_times'][number]>(sql`
      select id, iso(at) as at, platform, version, hours from (
        select d.id, d.live_at as at, d.platform, d.version,
          round((extract(epoch from d.live_at - c.timestamp) / 3600)::numeric, 2)::float8 as hours
        from (select * from deployments where project_id = ${projectId}
          order by created_at desc, number desc limit ${DEPLOYMENTS_MAX}) d
        join build_runs b on b.id = d.build_run_id
        join lateral (
          select timestamp from changes c where c.project_id = b.project_id
            and c.identifier = any (array_remove(array[b.commit_hash, b.changelist], '')) order by timestamp limit 1) c on true
        where d.live_at >= ${since} and d.live_at >= c.timestamp
        order by d.live_at desc, d.id limit ${POINTS_MAX}) d order by d.at, id`),
    // A build that was investigated twice failed once.
    db.rows<Plots['causes'][number]>(sql`
      select i.category, count(distinct b.id)::integer as count from investigations i join build_runs b on b.id = i.build_run_id
      where b.project_id = ${projectId} and i.created_at >= ${since} and i.category is not null
        and i.account_id = (select account_id from projects where id = ${projectId})
      group by 1 order by 2 desc, 1`),
  ])
  return { builds, durations, lead_times, causes }
}
