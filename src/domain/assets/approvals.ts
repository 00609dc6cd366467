import { notFound } from '../../contract/errors.ts'
import { isUuid } from '../../contract/params.ts'
import type { QueryOf } from '../../contract/routes.ts'
import { APPROVAL_STATUSES } from '../../contract/sets.ts'
import type { Approval } from '../../contract/shapes.ts'
import { type Database, empty, sql } from '../../db/database.ts'
import { bounded, inlineInteger, type Key, type Listing, ofEveryKind, when } from '../../db/page.ts'
import type { ProjectKey, ProjectSql } from '../../db/project-key.ts'
import { updatedRows, type Within } from '../../db/updated-since.ts'
import { newestOf } from '../previews/previews.ts'
import { details, type QueueFilters, waiting } from './queue.ts'

type Query = Omit<QueryOf<'listApprovals'>, 'cursor'> & {
  cursor?: Key
  /** Includes the change that caused each request. */
  changes?: boolean
  /** Includes the path and type of each asset, and the preview of its newest version. */
  previews?: boolean
  /** Only what waits, with why; a level's files count as one. */
  queue?: boolean
} & Omit<QueueFilters, 'stage'>

/** The stage of a record without a given stage. */
export const DEFAULT_STAGE = 'art_review'

const decidedAs = (status: string) => sql`case when p.status = ${status} then iso(p.decided_at) end`

const columns = sql`
  p.id, p.asset_id, s.name as asset_name, p.commit_sha, p.approval_stage, p.approval_type, p.status, p.approver_user_id, p.comments,
  p.asset_version, ${decidedAs('approved')} as approved_at, ${decidedAs('denied')} as denied_at, ${decidedAs('ignored')} as ignored_at,
  iso(p.decided_at) as decided_at, iso(p.created_at) as created_at, iso(p.updated_at) as updated_at`

const change = sql`(
  select json_build_object('id', c.id, 'display_identifier', c.display_identifier, 'description', c.description, 'author', c.author)
  from changes c where c.account_id = p.account_id and c.project_id = p.project_id and c.identifier = p.commit_sha order by c.id desc limit 1)`

const asset = sql`s.path as asset_path, s.asset_type, ${newestOf(sql`s`)} as preview`

/**
 * Newest first; statuses are read in parallel and merged, those of a stage from the stage's own index. With a commit the other filters are
 * applied afterwards.
 */
export function list(project: ProjectSql, q: Query): Listing {
  const inOrder = (take: number) => sql`order by p.created_at desc, p.id desc limit ${inlineInteger(take)}`
  const after = when(q.cursor, ({ at, id }) => sql`and (p.created_at, p.id) < (${at}::timestamptz, ${id}::uuid)`)
  const narrowed = (within: Within | undefined) =>
    when(within, (condition) => sql`and ${condition({ at: sql`p.created_at`, id: sql`p.id`, updated: sql`p.updated_at` })}`)
  const inStage = when(q.stage, (stage) => sql`and p.approval_stage = ${stage}`)
  const ofCommit = when(q.commit_sha, (sha) => sql`and p.commit_sha = nullif(${sha}, '')`)
  const others = sql`${inStage} ${when(q.status, (statuses) => sql`and p.status = any (${statuses}::text[])`)}`
  const few = (within: Within | undefined, take = q.limit + 1) => sql`
    select p.* from approvals p where p.project_id = ${project.project_id} ${after} ${ofCommit} ${others} ${narrowed(within)} ${inOrder(take)}`
  const walk =
    q.commit_sha === undefined
      ? undefined
      : bounded({
          columns: sql`p.*`,
          from: sql`approvals p where p.project_id = ${project.project_id} ${ofCommit} ${after}`,
          at: sql`p.created_at`,
          id: sql`p.id`,
        })
  const statuses = [{ column: sql`p.status`, values: APPROVAL_STATUSES, asked: q.status }]
  const found = (within?: Within, take = q.limit + 1) => {
    if (walk)
      return sql`select p.* from (${within ? walk.all : walk.rows}) p where true ${others} ${narrowed(within)} ${inOrder(take)}`
    if (q.stage === undefined && q.status === undefined) return few(within, take)
    return sql`select p.* from (${ofEveryKind(
      statuses,
      (kind) =>
        sql`select p.* from approvals p where p.project_id = ${project.project_id} ${inStage}
          and ${kind} ${after} ${narrowed(within)} ${inOrder(take)}`,
    )}) p ${inOrder(take)}`
  }
  const updatedSince = (since: string) =>
    updatedRows({
      table: sql`approvals p`,
      project: project.project_id,
      at: sql`created_at`,
      id: sql`id`,
      since,
      where: sql`true ${after}`,
      filtered: [q.status, q.stage, q.commit_sha].some((filter) => filter !== undefined),
      list: found,
      few,
      take: q.limit + 1,
    })
  const waits = q.queue ? waiting(project, q) : undefined
  const rows = sql`
    select row_to_json(item) as item, p.created_at as key_at, p.id as key_id
    from (${waits?.rows ?? (q.updated_since === undefined ? found() : updatedSince(q.updated_since))}) p join assets s on s.account_id = p.account_id
      and s.id = p.asset_id, lateral (select ${columns} ${q.changes ? sql`, ${change} as change` : empty} ${q.previews ? sql`, ${asset}` : empty}
        ${waits ? sql`, ${details} as queue` : empty}) item
    order by p.created_at desc, p.id desc`
  if (waits) return { limit: q.limit, rows, examined: waits.examined }
  const isUpdated = q.updated_since !== undefined
  return { limit: q.limit, rows, unprepared: isUpdated, examined: isUpdated ? undefined : walk?.examined }
}

export async function find(db: Database, project: ProjectKey, id: string): Promise<Approval> {
  const approval = isUuid(id)
    ? await db.one<Approval>(sql`
        select ${columns} from approvals p join assets s on s.account_id = p.account_id and s.id = p.asset_id
          where p.account_id = ${project.account_id} and p.project_id = ${project.project_id} and p.id = ${id}`)
    : undefined
  if (!approval) throw notFound('Approval')
  return approval
}

/** In the order of their ids. */
export const findAll = (db: Database, project: ProjectKey, ids: readonly string[]): Promise<Approval[]> =>
  db.rows<Approval>(sql`
    select ${columns} from approvals p join assets s on s.account_id = p.account_id and s.id = p.asset_id
    where p.account_id = ${project.account_id} and p.project_id = ${project.project_id} and p.id = any (${ids}::uuid[]) order by p.asset_id`)
