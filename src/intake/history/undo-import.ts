import { type Database, raw, type Sql, sql } from '../../db/database.ts'
import type { ProjectKey, RecordKey } from '../../db/project-key.ts'
import type { Jobs } from '../../db/queue.ts'
import type { Gone } from '../../domain/assets/version-numbers.ts'
import { removeVersions } from '../../domain/assets/versions.ts'
import { idsNamed } from '../../domain/branches/build-names.ts'
import { forget } from '../../domain/integrations/etags.ts'
import { changesSeen, isKept } from './kept-records.ts'

const AT_ONCE = 500

interface Undoing extends ProjectKey, RecordKey {
  created_at: string
  integration_id: number
}

/**
 * Deletes what only the import reported, a part at a time; it may be repeated. What the tool itself reported as well stays, and so does a
 * record on which people wrote, decided, linked or corrected something: it no longer belongs to the import.
 */
export async function undoImport(db: Database, { account_id, import_id }: Jobs['undo_import'], signal?: AbortSignal) {
  const undoing = await db.one<Undoing>(sql`
    select account_id, id, project_id, integration_id, created_at from imports
    where account_id = ${account_id} and id = ${import_id} and state = 'undoing'`)
  if (!undoing) return
  for (const remove of [removeBuilds, removeChanges, removeDeployments])
    while ((await db.transaction((db) => remove(db, undoing))) === AT_ONCE) signal?.throwIfAborted()
  await db.transaction(async (db) => {
    await quietly(db)
    await db.execute(sql`delete from external_references where account_id = ${account_id} and import_id = ${import_id}`)
    await removeBranches(db, undoing)
    await forget(db, { account_id, id: undoing.integration_id })
    await db.execute(sql`
      update imports set state = 'undone', updated_at = now(), finished_at = now() where account_id = ${account_id} and id = ${import_id}`)
  })
}

const quietly = (db: Database) => db.execute(sql`set local goldmaster.quiet = 'on'`)

interface Row<T> {
  id: T
  is_kept: boolean
}

const next = <R extends Row<unknown>>(
  db: Database,
  table: 'changes' | 'build_runs' | 'deployments',
  { account_id, id }: RecordKey,
  { columns = sql``, belongs = sql`r.import_id = ${id}` }: { columns?: Sql; belongs?: Sql } = {},
) =>
  db.rows<R>(sql`
    select r.id ${columns}, ${isKept(table)} as is_kept from ${raw(table)} r
    where r.account_id = ${account_id} and ${belongs} order by r.id limit ${AT_ONCE} for update of r`)

/** Counts those that stay, and takes them out of the import. */
async function keep(
  db: Database,
  table: string,
  { account_id, id }: RecordKey,
  ids: readonly unknown[],
  type: 'bigint' | 'uuid',
) {
  if (ids.length === 0) return
  await db.execute(sql`
    update ${raw(table)} set import_id = null where account_id = ${account_id} and id = any (${ids}::${raw(type)}[])`)
  await db.execute(sql`update imports set kept = kept + ${ids.length}::integer where account_id = ${account_id} and id = ${id}`)
}

async function removeBuilds(db: Database, key: Undoing): Promise<number> {
  await quietly(db)
  const project = { account_id: sql`${key.account_id}`, project_id: sql`${key.project_id}` }
  const builds = await next<Row<number>>(db, 'build_runs', key, {
    belongs: sql`r.id = any (array(${idsNamed(project, 'import', sql`${String(key.id)}`)} order by n.build_run_id limit ${AT_ONCE}))`,
  })
  const idsOf = (isKept: boolean) => builds.filter((build) => build.is_kept === isKept).map(({ id }) => id)
  await keep(db, 'build_runs', key, idsOf(true), 'bigint')
  const ids = idsOf(false)
  // Of those that the tool itself reported.
  await db.execute(sql`
    update deployments set build_run_id = null, build_basis = '', updated_at = now()
    where account_id = ${key.account_id} and build_run_id = any (${ids})`)
  await db.execute(sql`delete from build_runs where account_id = ${key.account_id} and id = any (${ids})`)
  return builds.length
}

async function removeChanges(db: Database, key: Undoing): Promise<number> {
  await quietly(db)
  const changes = await next<Row<number> & Gone>(db, 'changes', key, { columns: sql`, r.files, r.timestamp` })
  const seen = await changesSeen(db, key, changes)
  const isLeft = ({ id, is_kept }: Row<number>) => is_kept || seen.has(id)
  await keep(
    db,
    'changes',
    key,
    changes.filter(isLeft).map(({ id }) => id),
    'bigint',
  )
  const gone = changes.filter((change) => !isLeft(change))
  await removeVersions(db, key, gone)
  await db.execute(
    sql`delete from changes where account_id = ${key.account_id} and id = any (${gone.map(({ id }) => id)}::bigint[])`,
  )
  return changes.length
}

async function removeDeployments(db: Database, key: Undoing): Promise<number> {
  await quietly(db)
  const deployments = await next<Row<string>>(db, 'deployments', key)
  const idsOf = (isKept: boolean) => deployments.filter((one) => one.is_kept === isKept).map(({ id }) => id)
  await keep(db, 'deployments', key, idsOf(true), 'uuid')
  await db.execute(sql`delete from deployments where account_id = ${key.account_id} and id = any (${idsOf(false)}::uuid[])`)
  return deployments.length
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
