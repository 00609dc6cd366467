import { type Database, type Sql, sql } from '../../db/database.ts'
import * as builds from '../builds/report.ts'
import type { IntegrationContext } from '../integrations/context.ts'
import { asking } from './approval-rules.ts'
import { assetFiles, type ChangedFile } from './changed-files.ts'

/** The fields of a change that matter for its files. */
interface Changed {
  identifier: string
  author: string
  files: ChangedFile[] | null
}
/** The branches on which a file of a change arrived, in any spelling. */
type BranchesOf<C> = (change: C, path: string) => string[]

/** An asset whose new version somebody has to approve. */
export interface OpenedApproval {
  id: string
  name: string
  version: number
  commit_sha: string
}

/**
 * New files of the changes in `written` create assets or add a version, and request an approval if the project's rules say so: a pending
 * record moves to the new commit (`moved`), otherwise one is created, at once for a new asset and by `openApprovals` for the others (`unmoved`).
 * If several changes touch one file, the last one counts.
 */
export function recordVersions<C extends Changed>(
  context: IntegrationContext,
  changes: readonly C[],
  branchesOf: BranchesOf<C>,
): Sql {
  const touches = changes.flatMap((change) => filesOf(context, change, branchesOf)).map((file, place) => ({ ...file, place }))
  return sql`
    touches as (
      select distinct on (t.path) t.path, t.name, t.asset_type, t.size_bytes, t.asks, w.id as change_id, w.identifier as commit_sha,
        count(*) over (partition by t.path) as times
      from jsonb_to_recordset(${JSON.stringify(touches)}::jsonb)
        as t (identifier text, path text, name text, asset_type text, size_bytes bigint, asks boolean, place integer)
      join written w on w.identifier = t.identifier and w.news
      order by t.path, t.place desc),
    touched as (
      insert into assets as a (account_id, project_id, name, path, asset_type, version, size_bytes, last_change_id, approval_status)
      select ${context.account_id}, ${context.project_id}, t.name, t.path, t.asset_type, t.times, t.size_bytes, t.change_id,
        case when t.asks then 'pending' else 'none' end
      from touches t order by t.path
      on conflict (account_id, project_id, path) where path <> '' do update set
        version = a.version + excluded.version, size_bytes = coalesce(excluded.size_bytes, a.size_bytes),
        last_change_id = excluded.last_change_id, updated_at = now(),
        approval_status = case excluded.approval_status when 'pending' then 'pending' else a.approval_status end
      returning a.id, a.name, a.path, a.version, a.xmax = 0 as inserted),
    asked as (
      select a.id, a.name, a.version, a.inserted, t.commit_sha from touched a join touches t on t.path = a.path where t.asks),
    ${moved(context.account_id)},
    made as (${makeApprovals(context, sql`asked.inserted`)}),
    unmoved as (select * from asked where not asked.inserted and asked.id not in (select asset_id from moved))`
}

function filesOf<C extends Changed>({ approval_rules }: IntegrationContext, change: C, branchesOf: BranchesOf<C>) {
  const asks = asking(approval_rules, change.author)
  return assetFiles(change).map((file) => ({
    ...file,
    asks: asks({ ...file, branches: () => branchesOf(change, file.path) }),
    identifier: change.identifier,
    name: file.path.slice(Math.max(file.path.lastIndexOf('/'), file.path.lastIndexOf('\\')) + 1),
  }))
}

/** Handles what a moved approval leaves behind, and the approvals that could not be moved. */
export async function openApprovals(db: Database, context: IntegrationContext, moved: number, others: OpenedApproval[]) {
  const all = moved + (others.length > 0 ? await askAgain(db, context, others) : 0)
  // The commit that an approval moved away from may have nothing left to wait for.
  if (all > 0) await builds.release(db, context)
}

/**
 * Known changes arrived on another branch: the rules for that branch apply now. Skips changes that already had a request, or whose asset
 * had a later one.
 */
export async function askOnBranch<C extends Changed>(
  db: Database,
  context: IntegrationContext,
  changes: readonly C[],
  branchesOf: BranchesOf<C>,
) {
  const rules = context.approval_rules?.filter(({ branch }) => branch !== '') ?? []
  if (rules.length === 0) return
  const files = changes.flatMap((change) => filesOf({ ...context, approval_rules: rules }, change, branchesOf))
  const told = files.filter((file) => file.asks).map(({ path, identifier }) => ({ path, identifier }))
  if (told.length === 0) return
  await db.execute(sql`
    with told as (
      select distinct on (t.path) a.id, t.identifier
      from jsonb_to_recordset(${JSON.stringify(told)}::jsonb) as t (path text, identifier text)
      join assets a on a.account_id = ${context.account_id} and a.project_id = ${context.project_id} and a.path = t.path
      where not exists (select from approvals n where n.account_id = a.account_id and n.asset_id = a.id and n.commit_sha = t.identifier)
      order by t.path),
    locked as (
      select a.id from assets a where a.account_id = ${context.account_id} and a.id in (select id from told)
        and a.approval_status <> 'pending' order by a.path for update),
    asked as (
      update assets a set approval_status = 'pending', updated_at = now() from locked l join told t on t.id = l.id
      where a.account_id = ${context.account_id} and a.id = l.id returning a.id, a.name, a.version, t.identifier as commit_sha)
    ${makeApprovals(context, sql`true`)}`)
}

/** Only a new statement sees what another transaction wrote while this one waited for its assets. */
const askAgain = async (db: Database, context: IntegrationContext, others: OpenedApproval[]) =>
  (await db.one<{ moved: number }>(sql`
    with asked as (
      select *, false as inserted from jsonb_to_recordset(${JSON.stringify(others)}::jsonb) as o (id uuid, name text, version integer, commit_sha text)),
    ${moved(context.account_id)},
    made as (${makeApprovals(context, sql`asked.id not in (select asset_id from moved)`)})
    select count(*) as moved from moved`))!.moved

/** The status is checked twice: a decision made in the meantime was about the previous version. */
const moved = (accountId: number) => sql`
  moved as (
    update approvals p set commit_sha = asked.commit_sha, asset_version = asked.version, updated_at = now()
    from asked
    where not asked.inserted and p.account_id = ${accountId} and p.status = 'pending' and p.id = (
      select n.id from approvals n where n.account_id = ${accountId} and n.asset_id = asked.id and n.status = 'pending'
        order by n.created_at desc, n.id desc limit 1)
    returning p.asset_id)`

const makeApprovals = (context: IntegrationContext, which: Sql) => sql`
  insert into approvals (account_id, project_id, asset_id, asset_name, commit_sha, approval_stage, asset_version)
  select ${context.account_id}, ${context.project_id}, asked.id, asked.name, asked.commit_sha, 'review', asked.version from asked where ${which}`
