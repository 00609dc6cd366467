import { type Database, sql } from '../../db/database.ts'
import type { ProjectKey, RecordKey } from '../../db/project-key.ts'
import type { Jobs } from '../../db/queue.ts'
import { type ChangedFile, removeVersions } from '../../domain/assets/versions.ts'
import { forget } from '../../domain/integrations/etags.ts'

const AT_ONCE = 500

/** Deletes what only the import reported, a part at a time; it may be repeated. What the tool itself reported as well stays. */
export async function undoImport(db: Database, { account_id, import_id }: Jobs['undo_import'], signal?: AbortSignal) {
  const key = { account_id, id: import_id }
  const found = await db.one<ProjectKey & { created_at: string; integration_id: number }>(sql`
    select account_id, project_id, integration_id, created_at from imports where account_id = ${account_id} and id = ${import_id} and state = 'undoing'`)
  if (!found) return
  while ((await db.transaction((db) => removeBuilds(db, key))) === AT_ONCE) signal?.throwIfAborted()
  while ((await db.transaction((db) => removeChanges(db, key, found))) === AT_ONCE) signal?.throwIfAborted()
  await db.transaction(async (db) => {
    await quietly(db)
    await db.execute(sql`delete from deployments where account_id = ${account_id} and import_id = ${import_id}`)
    await db.execute(sql`delete from external_references where account_id = ${account_id} and import_id = ${import_id}`)
    await removeBranches(db, found)
    await forget(db, { account_id, id: found.integration_id })
    await db.execute(sql`
      update imports set state = 'undone', updated_at = now(), finished_at = now() where account_id = ${account_id} and id = ${import_id}`)
  })
}

const quietly = (db: Database) => db.execute(sql`set local goldmaster.quiet = 'on'`)

async function removeBuilds(db: Database, { account_id, id }: RecordKey): Promise<number> {
  await quietly(db)
  const gone = await db.rows<{ id: number }>(sql`
    select id from build_runs where account_id = ${account_id} and import_id = ${id} order by id limit ${AT_ONCE} for update`)
  const ids = gone.map((build) => build.id)
  // Of those that the tool itself reported.
  await db.execute(sql`
    update deployments set build_run_id = null, build_basis = '', updated_at = now() where account_id = ${account_id} and build_run_id = any (${ids})`)
  await db.execute(sql`delete from build_runs where account_id = ${account_id} and id = any (${ids})`)
  return gone.length
}

async function removeChanges(db: Database, { account_id, id }: RecordKey, project: ProjectKey): Promise<number> {
  await quietly(db)
  const gone = await db.rows<{ files: ChangedFile[] | null; timestamp: string }>(sql`
    delete from changes where account_id = ${account_id} and id in (
      select id from changes where account_id = ${account_id} and import_id = ${id} order by id limit ${AT_ONCE} for update)
    returning files, timestamp`)
  await removeVersions(db, project, gone)
  return gone.length
}

/** Branches that only the import knew. */
const removeBranches = (db: Database, { account_id, project_id, created_at }: ProjectKey & { created_at: string }) =>
  db.execute(sql`
    delete from branches b where b.account_id = ${account_id} and b.project_id = ${project_id} and b.created_at >= ${created_at}
      and b.deleted_at is null
      and not exists (select from change_branches p where p.account_id = b.account_id and p.project_id = b.project_id and p.branch = b.name)
      and not exists (
        select from build_runs r where r.account_id = b.account_id and r.project_id = b.project_id
          and build_branch(r.branch, r.inferred_branch) = b.name)`)
