import { type Database, join, raw, type Sql, sql } from '../../db/database.ts'
import { assetFiles, type ChangedFile } from '../../domain/assets/changed-files.ts'

/** The tables whose rows an undo of an import deletes. */
export const UNDONE = ['changes', 'build_runs', 'deployments'] as const
type Undone = (typeof UNDONE)[number]

/** Looked up for each record: without the barrier PostgreSQL may read the whole table once instead. */
const hangsOn = (table: string, column: string, more: Sql = sql`true`) => sql`exists (
  select from ${raw(table)} x where x.account_id = r.account_id and x.${raw(column)} = r.id and ${more} offset 0)`

/** Nothing that a person or another report said. */
const OURS = sql`false`

/**
 * What refers to a record `r`, by column, and whether it keeps the record: people wrote, decided, linked or corrected something, or a tool
 * reported something of its own. A test names the columns that are missing here.
 */
export const KEPT_BY: Record<Undone, Record<string, Sql>> = {
  changes: {
    'comments.change_id': hangsOn('comments', 'change_id', sql`x.deleted_at is null`),
    'branch_marks.change_id': hangsOn('branch_marks', 'change_id'),
    'bisections.found_change_id': hangsOn('bisections', 'found_change_id'),
    'previews.change_id': hangsOn('previews', 'change_id', sql`x.source = 'upload' and x.state = 'ready'`),
    // The text of a change makes a link again, a person's selection nothing does.
    'task_changes.change_id': hangsOn(
      'task_changes',
      'change_id',
      sql`r.description !~* ('(^|[^[:alnum:]_#])(#|GM-)' || x.task_id || '($|[^[:alnum:]_])')`,
    ),
    'approvals.commit_sha': sql`exists (
      select from approvals x where x.account_id = r.account_id and x.project_id = r.project_id and x.commit_sha = r.identifier
        and (x.approver_user_id is not null or x.sign_offs <> '[]' or x.undone <> '[]') offset 0)`,
    'corrections.cleared_change_ids': sql`exists (
      select from corrections x where x.account_id = r.account_id and x.cleared_change_ids @> array[r.id])`,
    'change_branches.change_id': OURS,
    ...pointers('breakages', 'change', ['last_good', 'first_bad', 'fixed_by', 'fixed_after', 'fixed_up_to']),
    ...pointers('breakage_occurrences', 'change', ['last_good', 'first_bad', 'fixed_by', 'fixed_after', 'fixed_up_to']),
  },
  build_runs: {
    'comments.build_run_id': hangsOn('comments', 'build_run_id', sql`x.deleted_at is null`),
    'corrections.build_run_id': hangsOn('corrections', 'build_run_id'),
    'bisection_builds.build_run_id': hangsOn('bisection_builds', 'build_run_id'),
    'investigations.build_run_id': hangsOn('investigations', 'build_run_id', sql`not x.automatic`),
    'deployments.build_run_id': hangsOn('deployments', 'build_run_id', sql`x.build_basis = 'person'`),
    // Reported by the CI itself, and deleted with its build.
    'artifacts.build_run_id': hangsOn('artifacts', 'build_run_id'),
    'test_builds.build_run_id': hangsOn('test_builds', 'build_run_id'),
    'artifact_builds.build_run_id': OURS,
    'breakage_builds.build_run_id': OURS,
    'build_log_streams.build_run_id': OURS,
    'build_names.build_run_id': OURS,
    'build_sizes.build_run_id': OURS,
    'build_steps.build_run_id': OURS,
    'passed_lines.build_run_id': OURS,
    'running_builds.build_run_id': OURS,
    'task_build_runs.build_run_id': OURS,
    'ugs_badges.build_run_id': OURS,
    ...pointers('breakages', 'build_run', ['first', 'last']),
    ...pointers('breakage_occurrences', 'build_run', ['first']),
  },
  deployments: {
    'comments.deployment_id': hangsOn('comments', 'deployment_id', sql`x.deleted_at is null`),
    'deployment_history.deployment_id': hangsOn('deployment_history', 'deployment_id', sql`x.user_id is not null`),
    'task_deployments.deployment_id': OURS,
  },
}

function pointers(table: string, kind: string, names: readonly string[]): Record<string, Sql> {
  return Object.fromEntries(names.map((name) => [`${table}.${name}_${kind}_id`, OURS]))
}

/** Whether the record `r` stays when its import is undone. */
export const isKept = (table: Undone): Sql =>
  sql`(${join(
    Object.values(KEPT_BY[table]).filter((condition) => condition !== OURS),
    ' or ',
  )})`

interface Imported {
  id: number
  files: ChangedFile[] | null
}

/**
 * Changes of an import whose versions of assets people commented on or gave a picture. A version whose change nothing tells may be that of any
 * of them, if the comment is not older than the import.
 */
export async function changesSeen(
  db: Database,
  { account_id, project_id, created_at }: { account_id: number; project_id: number; created_at: string },
  changes: readonly Imported[],
): Promise<Set<number>> {
  const touches = changes.flatMap(({ id, files }) => assetFiles({ files }).map(({ path }) => ({ id, path })))
  if (touches.length === 0) return new Set()
  const rows = await db.rows<{ id: number }>(sql`
    select distinct t.id from jsonb_to_recordset(${JSON.stringify(touches)}::jsonb) as t (id bigint, path text)
    cross join lateral (
      select a.id, a.version, a.last_change_id from assets a
      where a.account_id = ${account_id} and a.project_id = ${project_id} and a.path = t.path and a.path <> '' offset 0) a
    cross join lateral (
      select c.asset_version as version, c.created_at as at from comments c
      where c.account_id = ${account_id} and c.asset_id = a.id and c.deleted_at is null
      union all
      select p.version, p.updated_at from previews p where p.account_id = ${account_id} and p.asset_id = a.id and p.source = 'upload') w
    cross join lateral (
      select coalesce(
        (select p.change_id from previews p where p.account_id = ${account_id} and p.asset_id = a.id and p.version = w.version),
        (select c.id from approvals q join changes c on c.account_id = q.account_id and c.project_id = q.project_id and c.identifier = q.commit_sha
          where q.account_id = ${account_id} and q.asset_id = a.id and q.asset_version = w.version order by q.created_at desc limit 1),
        case when a.version = w.version then a.last_change_id end) as change_id) k
    where k.change_id = t.id or (k.change_id is null and w.at >= ${created_at}::timestamptz)`)
  return new Set(rows.map(({ id }) => id))
}
