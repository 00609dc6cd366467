import { type Sql, sql } from '../../db/database.ts'

/** Whether a deployment `d` went live and was not taken back. */
export const WENT_LIVE = sql`d.went_live_at is not null and d.status <> 'rolled_back'`

const sameTrack = sql`n.project_id = d.project_id and n.platform = d.platform and n.store = d.store and n.track = d.track
  and n.went_live_at is not null and n.status <> 'rolled_back' and (n.went_live_at, n.number) > (d.went_live_at, d.number)`

/** The deployment that replaced `d` on its track; null if it never was live, was taken back, or still is live. */
export const REPLACED_BY = sql`case when ${WENT_LIVE} then (
  select n.id from deployments n where n.account_id = d.account_id and ${sameTrack} order by n.went_live_at, n.number limit 1) end`

/**
 * Whether a deployment `d` is what is live: of all deployments on its track of its store, the one that went live last and was not taken back.
 * This and `liveOn` are the only definition.
 */
export const IS_CURRENT = sql`(${WENT_LIVE} and not exists (select from deployments n where n.account_id = d.account_id and ${sameTrack}))`

/** What is live in a project: one deployment for each track of each store. A loose index scan: the cost depends on the number of tracks. */
export const liveOn = (project: { account_id: Sql; project_id: Sql }): Sql => {
  const next = (condition: Sql) => sql`
    select d.* from deployments d
    where d.account_id = ${project.account_id} and d.project_id = ${project.project_id} and ${WENT_LIVE} ${condition}
    order by d.platform, d.store, d.track, d.went_live_at desc, d.number desc limit 1`
  return sql`(
    with recursive walk as (
      select * from (${next(sql``)}) first
      union all
      select n.* from walk w cross join lateral (${next(sql`and (d.platform, d.store, d.track) > (w.platform, w.store, w.track)`)}) n)
    select * from walk)`
}
