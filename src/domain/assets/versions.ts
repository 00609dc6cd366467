import { APPROVED_TYPES } from '../../contract/sets.ts'
import { type Database, type Sql, sql } from '../../db/database.ts'
import * as builds from '../builds/report.ts'
import { assetFiles, type Submitted, type SubmittedRow } from '../changes/submit.ts'
import type { IntegrationContext } from '../integrations/context.ts'

interface Touch {
  path: string
  name: string
  asset_type: string
  size_bytes: number | null
  /** By how many of the changes. */
  times: number
  change_id: number
  commit_sha: string
}

/** An asset whose new version somebody has to approve. */
interface OpenedApproval {
  id: string
  name: string
  version: number
  commit_sha: string
}

/**
 * Files of changes that are news make assets or give them a version, and ask for an approval where the project wants one:
 * a pending record moves to the new commit, otherwise one is made.
 */
export async function recordVersions(
  db: Database,
  context: IntegrationContext,
  changes: Submitted[],
  rows: SubmittedRow[],
): Promise<void> {
  const touches = touchesOf(changes, rows)
  if (touches.length === 0) return
  const approved = context.approval_types ?? APPROVED_TYPES
  const done = (await db.one<{ moved: number; others: OpenedApproval[] | null }>(sql`
    with reported as (
      select * from jsonb_to_recordset(${JSON.stringify(touches)}::jsonb)
        as t (path text, name text, asset_type text, size_bytes bigint, times integer, change_id integer, commit_sha text)),
    touched as (
      insert into assets as a (account_id, project_id, name, path, asset_type, version, size_bytes, last_change_id, approval_status)
      select ${context.account_id}, ${context.project_id}, t.name, t.path, t.asset_type, t.times, t.size_bytes, t.change_id,
        case when t.asset_type = any (${approved}) then 'pending' else 'none' end
      from reported t order by t.path
      on conflict (project_id, path) where path <> '' do update set
        version = a.version + excluded.version, size_bytes = coalesce(excluded.size_bytes, a.size_bytes),
        last_change_id = excluded.last_change_id, updated_at = now(),
        approval_status = case when a.asset_type = any (${approved}) then 'pending' else a.approval_status end
      returning a.id, a.name, a.path, a.asset_type, a.version, a.xmax = 0 as inserted),
    asked as (
      select a.id, a.name, a.version, a.inserted, t.commit_sha from touched a join reported t on t.path = a.path
      where a.asset_type = any (${approved})),
    ${MOVED},
    made as (${makeApprovals(context, sql`asked.inserted`)})
    select (select count(*) from moved) as moved, (
      select json_agg(asked) from asked where not asked.inserted and asked.id not in (select asset_id from moved)) as others`))!
  const moved = done.moved + (done.others ? await askAgain(db, context, done.others) : 0)
  // The commit an approval moved away from may have nothing left to wait for.
  if (moved > 0) await builds.release(db, context.project_id)
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

/** In a delivery with several changes to one file the last one speaks. */
function touchesOf(changes: Submitted[], rows: SubmittedRow[]): Touch[] {
  const news = new Map(rows.filter((row) => row.news).map((row) => [row.identifier, row.id]))
  const touches = new Map<string, Touch>()
  for (const change of changes) {
    const change_id = news.get(change.identifier)
    if (change_id === undefined) continue
    for (const file of assetFiles(change)) {
      const name = file.path.slice(Math.max(file.path.lastIndexOf('/'), file.path.lastIndexOf('\\')) + 1)
      const times = (touches.get(file.path)?.times ?? 0) + 1
      touches.set(file.path, { ...file, name, times, change_id, commit_sha: change.identifier })
    }
  }
  return [...touches.values()]
}
