import type { AppReply } from '../../contract/app/routes.ts'
import { PASSED_STATUSES } from '../../contract/sets.ts'
import { type Database, type Sql, sql } from '../../db/database.ts'
import { ofEveryKind } from '../../db/page.ts'
import type { ProjectKey } from '../../db/project-key.ts'
import { IS_REGULAR, PASSED_OR_FAILED } from '../branches/build-statuses.ts'
import { labelsOfJobs } from '../branches/job-labels.ts'
import { storeWord } from '../deployments/deployments.ts'

type Plots = AppReply<'showPlots'>

/** How many points and lines fit into a plot, and how many records are read for them. */
const POINTS_MAX = 300
const JOBS_MAX = 6
const DEPLOYMENTS_MAX = 2_000
const BUILDS_MAX = 10_000
const ENDED = [...PASSED_STATUSES, 'failed']

/** The data of a project's plots: limited by time and, if every record is a point, by number. Days are those of the account's time zone. */
export async function trends(db: Database, project: ProjectKey, days: number): Promise<Plots> {
  const { zone } = (await db.one<{ zone: string }>(
    sql`select zone_or_utc(timezone) as zone from accounts where id = ${project.account_id}`,
  ))!
  const dayOf = (at: Sql) => sql`date_trunc('day', ${at} at time zone ${zone})`
  const firstDay = sql`(${dayOf(sql`now()`)} - make_interval(days => ${days - 1}))`
  const since = sql`(${firstDay} at time zone ${zone})`
  const [builds, jobs, lead_times, fixes, causes] = await Promise.all([
    // One index-only scan.
    db.rows<Plots['builds'][number]>(sql`
      with counted as (
        select ${dayOf(sql`created_at`)} as day, status, count(*) as n from build_runs
        where project_id = ${project.project_id} and kind = 'regular' and created_at >= ${since}
        group by 1, 2)
      select to_char(d.day, 'YYYY-MM-DD') as day,
        coalesce(sum(n) filter (where status = 'completed'), 0)::integer as completed,
        coalesce(sum(n) filter (where status = 'failed'), 0)::integer as failed,
        coalesce(sum(n) filter (where status = 'cancelled'), 0)::integer as cancelled,
        coalesce(sum(n) filter (where status = 'passed_pending_approval'), 0)::integer as waiting
      from generate_series(${firstDay}, ${dayOf(sql`now()`)}, interval '1 day') d (day) left join counted c on c.day = d.day
      group by d.day order by d.day`),
    // A point is a real build that can be opened: the median of each job and day, not a mean.
    db.rows<Plots['jobs'][number]>(sql`
      with ended as (
        select id, job, build_number, happened_at as at, duration_seconds as seconds, status = 'failed' as failed,
          ${dayOf(sql`happened_at`)} as day
        from (${ofEveryKind(
          [{ column: sql`status`, values: ENDED, asked: undefined }],
          (kind) => sql`
            select * from build_runs where account_id = ${project.account_id} and project_id = ${project.project_id} and kind = 'regular'
              and status in ${PASSED_OR_FAILED} and ${kind} and happened_at >= ${since}
            order by happened_at desc, id desc limit ${BUILDS_MAX}`,
        )}) b
        order by happened_at desc, id desc limit ${BUILDS_MAX}),
      busiest as (
        select job, count(*) filter (where not failed) as passed, count(*) filter (where failed) as failed from ended
        group by job order by count(*) desc, job limit ${JOBS_MAX}),
      ranked as (
        select e.id, e.job, e.build_number, e.at, e.seconds, row_number() over same_day as rank, count(*) over (partition by job, day) as builds
        from ended e join busiest using (job) where not e.failed and e.seconds is not null
        window same_day as (partition by job, day order by seconds, id)),
      typical as (
        select job, json_agg(json_build_object('id', id, 'build_number', build_number, 'at', iso(at), 'seconds', seconds) order by at, id) as builds
        from ranked where rank = (builds + 1) / 2 group by job)
      select j.job as name, j.passed, j.failed, coalesce(t.builds, '[]') as typical
      from busiest j left join typical t using (job) order by j.passed + j.failed desc, j.job`),
    db.rows<Plots['lead_times'][number]>(sql`
      select id, iso(at) as at, store, track, version, hours from (
        select d.id, d.live_at as at, nullif(${storeWord}, 'custom') as store, nullif(d.track, '') as track, d.version,
          round((extract(epoch from d.live_at - c.timestamp) / 3600)::numeric, 2)::float8 as hours
        from (select * from deployments where account_id = ${project.account_id} and project_id = ${project.project_id}
          order by created_at desc, number desc limit ${DEPLOYMENTS_MAX}) d
        join build_runs b on b.account_id = d.account_id and b.id = d.build_run_id
        join lateral (
          select timestamp from changes c where c.account_id = b.account_id and c.project_id = b.project_id
            and c.identifier = any (array_remove(array[b.commit_hash, b.changelist], '')) order by timestamp limit 1) c on true
        where d.live_at >= ${since} and d.live_at >= c.timestamp
        order by d.live_at desc, d.id limit ${POINTS_MAX}) d order by d.at, id`),
    db.rows<Plots['fixes'][number]>(sql`
      select id::text, iso(fixed_at) as at, greatest(0, extract(epoch from fixed_at - opened_at))::integer as seconds, branch, cause from (
        select k.id, o.fixed_at, o.opened_at, k.branch, k.cause
        from breakage_occurrences o join breakages k on k.account_id = o.account_id and k.id = o.breakage_id
        where o.account_id = ${project.account_id} and o.project_id = ${project.project_id} and o.fixed_at >= ${since}
        order by o.fixed_at desc limit ${POINTS_MAX}) k order by k.fixed_at, id`),
    // A build that was investigated twice failed once; it counts for the day it failed.
    db.rows<Plots['causes'][number]>(sql`
      select to_char(day, 'YYYY-MM-DD') as day, category, count(*)::integer as count from (
        select distinct on (b.id, i.category) ${dayOf(sql`b.happened_at`)} as day, i.category
        from investigations i join build_runs b on b.account_id = i.account_id and b.id = i.build_run_id
        where b.account_id = ${project.account_id} and b.project_id = ${project.project_id} and ${IS_REGULAR}
          and i.created_at >= ${since} and b.happened_at >= ${since} and i.category is not null) found
      group by day, category order by day, category`),
  ])
  const labels = labelsOfJobs(jobs.map(({ name }) => name))
  return { builds, jobs: jobs.map((job) => ({ ...job, name: labels.get(job.name)! })), lead_times, fixes, causes }
}
