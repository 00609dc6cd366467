import { notFound } from '../../contract/errors.ts'
import { isUuid } from '../../contract/params.ts'
import type { QueryOf, ReplyOf } from '../../contract/routes.ts'
import type { AssetApprovalStatus } from '../../contract/sets.ts'
import { type Database, sql } from '../../db/database.ts'
import { among, inlineInteger, type Key, type Listing, when } from '../../db/page.ts'
import type { ProjectKey, ProjectSql } from '../../db/project-key.ts'
import { newestOf } from '../previews/previews.ts'
import { canListCheckouts } from './checkouts.ts'

type Query = QueryOf<'listAssets'> & {
  approval_status?: AssetApprovalStatus
  previews?: boolean
  cursor?: Key
  ids?: readonly string[]
}
/** `updated_at` also changes with a decision; the web app shows when the file changed. */
type Detail = ReplyOf<'showAsset'> & { changed_at: string | null; preview: object | null; can_list_checkouts: boolean }

const columns = sql`
  a.id, a.project_id::text, a.name, a.path, a.asset_type, a.approval_status,
  case when a.approval_status = 'pending' then (
    select p.approval_stage from approvals p where p.account_id = a.account_id and p.asset_id = a.id order by p.created_at desc, p.id desc
      limit 1) end as next_stage, a.version, a.size_bytes, a.last_change_id,
  iso(a.created_at) as created_at, iso(a.updated_at) as updated_at`

export const list = (project: ProjectSql, q: Query): Listing => ({
  limit: q.limit,
  foreign: true,
  rows: sql`
    select row_to_json(item) as item, a.created_at as key_at, a.id as key_id, concat_ws(E'\\n', a.name, a.path) as foreign_text
    from (
      select a.* from ${among(sql`assets`, project.account_id, q.ids, 'uuid')} a
      where a.project_id = ${project.project_id}
        ${q.pending_approval ? sql`and a.approval_status = 'pending'` : sql``}
        ${when(q.approval_status, (status) => sql`and a.approval_status = ${status}`)}
        ${when(q.asset_type, (type) => sql`and a.asset_type = ${type}`)}
        ${when(q.cursor, ({ at, id }) => sql`and (a.created_at, a.id) < (${at}::timestamptz, ${id}::uuid)`)}
      order by a.created_at desc, a.id desc limit ${inlineInteger(q.limit + 1)}
    ) a, lateral (select ${columns} ${q.previews ? sql`, ${newestOf(sql`a`)} as preview` : sql``}) item`,
})

export async function find(db: Database, project: ProjectKey, id: string): Promise<Detail> {
  const asset = isUuid(id)
    ? await db.one<Detail>(sql`
        select ${columns}, (select iso(c.timestamp) from changes c where c.account_id = a.account_id and c.id = a.last_change_id) as changed_at,
          ${newestOf(sql`a`)} as preview, ${canListCheckouts(sql`a.account_id`, sql`a.id`)} as can_list_checkouts,
          (select coalesce(json_agg(x), '[]') from (
            select p.id, p.status, p.approver_user_id, p.comments, iso(p.decided_at) as decided_at, p.asset_version
            from approvals p where p.account_id = a.account_id and p.asset_id = a.id order by p.created_at desc, p.id desc) x) as approvals_history
        from assets a where a.account_id = ${project.account_id} and a.project_id = ${project.project_id} and a.id = ${id}`)
    : undefined
  if (!asset) throw notFound('Asset')
  return asset
}
