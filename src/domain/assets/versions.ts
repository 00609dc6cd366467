import { APPROVED_TYPES } from '../../contract/sets.ts'
import { type Database, type Sql, sql } from '../../db/database.ts'
import * as builds from '../builds/report.ts'
import { assetFiles, type ChangedFile } from '../changes/files.ts'
import type { IntegrationContext } from '../integrations/context.ts'

/** A change as far as its files are concerned. */
interface Changed {
  identifier: string
  files: ChangedFile[] | null
}

/** An asset whose new version somebody has to approve. */
export interface OpenedApproval {
  id: string
  name: string
  version: number
  commit_sha: string
}

/**
 * Files of those changes in `written` that are news make assets or give them a version, and ask for an approval where the project wants
 * one: a pending record moves to the new commit (`moved`), otherwise one is made, at once for a new asset and by `settle` for the
 * others (`unmoved`). Of several changes to one file the last one speaks.
 */
export function touching(context: IntegrationContext, changes: readonly Changed[]): Sql {
  const approved = context.approval_types ?? APPROVED_TYPES
  const touches = changes.flatMap(filesOf).map((file, place) => ({ ...file, place }))
  return sql`
    touches as (
      select distinct on (t.path) t.path, t.name, t.asset_type, t.size_bytes, w.id as change_id, w.identifier as commit_sha,
        count(*) over (partition by t.path) as times
      from jsonb_to_recordset(${JSON.stringify(touches)}::jsonb)
        as t (identifier text, path text, name text, asset_type text, size_bytes bigint, place integer)
      join written w on w.identifier = t.identifier and w.news
      order by t.path, t.place desc),
    touched as (
      insert into assets as a (account_id, project_id, name, path, asset_type, version, size_bytes, last_change_id, approval_status)
      select ${context.account_id}, ${context.project_id}, t.name, t.path, t.asset_type, t.times, t.size_bytes, t.change_id,
        case when t.asset_type = any (${approved}) then 'pending' else 'none' end
      from touches t order by t.path
      on conflict (project_id, path) where path <> '' do update set
        version = a.version + excluded.version, size_bytes = coalesce(excluded.size_bytes, a.size_bytes),
        last_change_id = excluded.last_change_id, updated_at = now(),
        approval_status = case when a.asset_type = any (${approved}) then 'pending' else a.approval_status end
      returning a.id, a.name, a.path, a.asset_type, a.version, a.xmax = 0 as inserted),
    asked as (
      select a.id, a.name, a.version, a.inserted, t.commit_sha from touched a join touches t on t.path = a.path
      where a.asset_type = any (${approved})),
    ${MOVED},
    made as (${makeApprovals(context, sql`asked.inserted`)}),
    unmoved as (select * from asked where not asked.inserted and asked.id not in (select asset_id from moved))`
}

const filesOf = (change: Changed) =>
  assetFiles(change).map((file) => ({
    ...file,
    identifier: change.identifier,
    name: file.path.slice(Math.max(file.path.lastIndexOf('/'), file.path.lastIndexOf('\\')) + 1),
  }))

/** What an approval that moved leaves behind, and those that could not be moved. */
export async function settle(db: Database, context: IntegrationContext, moved: number, others: OpenedApproval[]) {
  const all = moved + (others.length > 0 ? await askAgain(db, context, others) : 0)
  // The commit an approval moved away from may have nothing left to wait for.
  if (all > 0) await builds.release(db, context.project_id)
}

/** What another transaction wrote while this one waited for its assets is known to a new statement only. */
const askAgain = async (db: Database, context: IntegrationContext, others: OpenedApproval[]) =>
  (await db.one<{ moved: number }>(sql`
    with asked as (
      select *, false as inserted from jsonb_to_recordset(${JSON.stringify(others)}::jsonb) as o (id uuid, name text, version integer, commit_sha text)),
    ${MOVED},
    made as (${makeApprovals(context, sql`asked.id not in (select asset_id from moved)`)})
    select count(*) as moved from moved`))!.moved

/** The status is looked at twice: whoever decided meanwhile decided about the version before. */
const MOVED = sql`
  moved as (
    update approvals p set commit_sha = asked.commit_sha, asset_version = asked.version, updated_at = now()
    from asked
    where not asked.inserted and p.status = 'pending' and p.id = (
      select n.id from approvals n where n.asset_id = asked.id and n.status = 'pending' order by n.created_at desc, n.id desc limit 1)
    returning p.asset_id)`

const makeApprovals = (context: IntegrationContext, which: Sql) => sql`
  insert into approvals (account_id, project_id, asset_id, asset_name, commit_sha, approval_stage, asset_version)
  select ${context.account_id}, ${context.project_id}, asked.id, asked.name, asked.commit_sha, 'review', asked.version from asked where ${which}`
