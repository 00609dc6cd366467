import { notFound } from '../../contract/errors.ts'
import { isUuid, readShortId } from '../../contract/params.ts'
import type { QueryOf, ReplyOf } from '../../contract/routes.ts'
import { DEPLOYMENT_STATUSES, PLATFORMS } from '../../contract/sets.ts'
import { type Database, empty, sql } from '../../db/database.ts'
import { bounded, inlineInteger, type Key, type Listing, ofEveryKind, when } from '../../db/page.ts'
import type { ProjectKey, ProjectSql } from '../../db/project-key.ts'
import { updatedRows, type Within } from '../../db/updated-since.ts'
import { IS_CURRENT, liveOn, REPLACED_BY } from './live.ts'

type Query = Omit<QueryOf<'listDeployments'>, 'cursor'> &
  Partial<Pick<QueryOf<'searchDeployments'>, 'current'>> & { cursor?: Key }
type Detail = ReplyOf<'showDeployment'>

/** The store of a deployment `d`: its platform, or the store's name if the platform is custom. */
export const storeWord = sql`coalesce(nullif(d.store, ''), d.platform)`

export const columns = sql`
  d.id, d.platform, nullif(${storeWord}, 'custom') as store, nullif(d.track, '') as track, d.status, d.branch, d.version, d.external_id, d.external_build_id, d.build_run_id::text, d.integration_id,
  iso(d.submitted_at) as submitted_at, iso(d.deployed_at) as deployed_at, iso(d.live_at) as live_at,
  ${IS_CURRENT} as current, ${REPLACED_BY} as replaced_by, iso(d.created_at) as created_at, iso(d.updated_at) as updated_at`

/**
 * Newest first, ties by number. Statuses and platforms are read in parallel from one index and merged; for a build, and for what is not live,
 * the other filters apply afterwards. What is live has its own index.
 */
export function list(project: ProjectSql, q: Query): Listing {
  const item = sql`(select row_to_json(item) from (select ${columns}) item) as item, d.created_at as key_at, d.number as key_id,
    concat_ws(E'\\n', d.store, d.track, d.branch, d.version, d.external_id, d.external_build_id) as foreign_text`
  const inOrder = (take: number) => sql`order by d.created_at desc, d.number desc limit ${inlineInteger(take)}`
  const where =
    q.cursor === undefined ? sql`true` : sql`(d.created_at, d.number) < (${q.cursor.at}::timestamptz, ${q.cursor.id}::integer)`
  const narrowed = (within: Within | undefined) =>
    when(within, (condition) => sql`and ${condition({ at: sql`d.created_at`, id: sql`d.number`, updated: sql`d.updated_at` })}`)
  const ofBuild = when(q.build_run_id, (id) => sql`and d.build_run_id = ${id}`)
  const others = sql`${when(q.status, (status) => sql`and d.status = ${status}`)} ${when(q.platform, (platform) => sql`and d.platform = ${platform}`)}
    ${q.current === false ? sql`and not ${IS_CURRENT}` : empty}`
  const all = q.current === true ? liveOn(project) : sql`deployments`
  const few = (within: Within | undefined, take = q.limit + 1) => sql`
    select d.* from ${all} d where d.project_id = ${project.project_id} and ${where} ${ofBuild} ${others} ${narrowed(within)} ${inOrder(take)}`
  const walk =
    q.current === true || (q.build_run_id === undefined && q.current === undefined)
      ? undefined
      : bounded({
          columns: sql`d.*`,
          from: sql`deployments d where d.project_id = ${project.project_id} ${ofBuild} and ${where}`,
          at: sql`d.created_at`,
          id: sql`d.number`,
        })
  const kinds = [
    { column: sql`d.status`, values: DEPLOYMENT_STATUSES, asked: q.status && [q.status] },
    { column: sql`d.platform`, values: PLATFORMS, asked: q.platform && [q.platform] },
  ]
  const found = (within?: Within, take = q.limit + 1) => {
    if (walk)
      return sql`select d.* from (${within ? walk.all : walk.rows}) d where true ${others} ${narrowed(within)} ${inOrder(take)}`
    if (q.current || (q.status === undefined && q.platform === undefined)) return few(within, take)
    return sql`select d.* from (${ofEveryKind(
      q.status === undefined ? kinds.slice(1) : kinds,
      (kind) =>
        sql`select d.* from deployments d where d.project_id = ${project.project_id} and ${kind} and ${where} ${narrowed(within)} ${inOrder(take)}`,
    )}) d ${inOrder(take)}`
  }
  const updatedSince = (since: string) =>
    updatedRows({
      table: sql`deployments d`,
      project: project.project_id,
      at: sql`created_at`,
      id: sql`number`,
      since,
      where,
      filtered: [q.status, q.platform, q.build_run_id, q.current].some((filter) => filter !== undefined),
      list: found,
      few,
      take: q.limit + 1,
    })
  const rows = sql`select ${item} from (${q.updated_since === undefined ? found() : updatedSince(q.updated_since)}) d
    order by d.created_at desc, d.number desc`
  const isUpdated = q.updated_since !== undefined
  return { limit: q.limit, foreign: true, rows, unprepared: isUpdated, examined: isUpdated ? undefined : walk?.examined }
}

/** By its id or its number. */
export async function find(db: Database, project: ProjectKey, id: string): Promise<Detail> {
  const named = isUuid(id) ? sql`d.id = ${id}` : sql`d.number = ${readShortId(id) ?? 0}`
  const deployment = await db.one<Detail>(sql`
    select ${columns},
      (select json_build_object('id', b.id::text, 'status', b.status, 'commit_hash', b.commit_hash, 'ci_job_name', b.ci_job_name)
        from build_runs b where b.account_id = d.account_id and b.id = d.build_run_id) as build_run,
      (select json_build_object('build_number', b.build_number, 'created_at', iso(b.created_at)) from build_runs b
        where b.account_id = d.account_id and b.id = d.build_run_id) as built,
      (select coalesce(json_agg(json_build_object('status', r.after, 'at', iso(r.at))), '[]') from (
        select h.after, max(h.at) as at from deployment_history h
        where h.account_id = d.account_id and h.deployment_id = d.id and h.kind = 'status' and h.after <> '' group by h.after) r) as reached
    from deployments d where d.account_id = ${project.account_id} and d.project_id = ${project.project_id} and ${named}`)
  if (!deployment) throw notFound('Deployment')
  return deployment
}
