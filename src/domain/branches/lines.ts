import { BRANCH_MAX } from '../../contract/limits.ts'
import { type Database, type Sql, sql } from '../../db/database.ts'
import type { ProjectKey } from '../../db/project-key.ts'
import { scrub } from '../privacy/scrub.ts'
import { branchKey } from './branch-names.ts'

/** A repository as its tool reports it. */
export interface Repository {
  /** Stays the same when the repository is renamed. */
  id: string
  name: string
}

/** A branch by its name in the tool. */
export interface ToldBranch {
  branch: string
  repository?: Repository | undefined
}

/** Cut, so that a long repository name leaves space for the branch. */
const REPOSITORY_MAX = 100

/** A branch in one spelling, with the qualified name for when another repository has that name. */
export function spelled({ branch, repository }: ToldBranch) {
  const told = branchKey(branch)
  const of = repository && scrub(repository.name).slice(0, REPOSITORY_MAX).toLowerCase()
  const id = repository?.id.slice(0, REPOSITORY_MAX) ?? ''
  return { told, repository: id, qualified: of === undefined ? told : `${of}:${told}` }
}

/** The name of a branch in all other tables: `told`, `repository` and `qualified` are columns of `t`. */
export const lineOf = ({ account_id, project_id }: ProjectKey): Sql => {
  const known = sql`from branches b where b.account_id = ${account_id} and b.project_id = ${project_id}`
  return sql`coalesce(
    (select b.name ${known} and b.told = t.told and b.repository = t.repository and t.repository <> '' order by b.created_at limit 1),
    case when t.repository <> '' and exists (select ${known} and b.name = t.told and b.repository not in ('', t.repository))
      then t.qualified else t.told end)`
}

/** The same for one branch. */
export async function findLine(db: Database, owner: ProjectKey, told: ToldBranch): Promise<string> {
  const { told: name, repository, qualified } = spelled(told)
  const found = await db.one<{ name: string }>(sql`
    select ${lineOf(owner)} as name
    from (select ${name}::text as told, ${repository}::text as repository, ${qualified}::text as qualified) t`)
  return found!.name
}

/**
 * `registered`: the branches of `lines` that are new or were deleted. A known branch is only read and not locked, so that pushes to it do
 * not wait for each other.
 */
export const registering = ({ account_id, project_id }: ProjectKey): Sql => sql`
  registered as (
    insert into branches as b (account_id, project_id, name, told, repository)
    select distinct on (l.name) ${account_id}::integer, ${project_id}::integer, l.name, l.told, l.repository from lines l
    where exists (select from written) and not exists (
      select from branches k where k.account_id = ${account_id} and k.project_id = ${project_id} and k.name = l.name and k.deleted_at is null
        and (k.repository <> '' or l.repository = ''))
    order by l.name
    on conflict (account_id, project_id, name) do update set deleted_at = null,
      repository = case when b.repository = '' then excluded.repository else b.repository end
    returning b.name)`

/** Branches of a loaded or described project that were never pushed to. */
export const registerAll = (db: Database, accountId: number) =>
  db.execute(sql`
    insert into branches (account_id, project_id, name, told)
    select distinct account_id, project_id, branch, branch from change_branches where account_id = ${accountId}
    on conflict do nothing`)

/** The streams that a server lists. */
export const registerStreams = (db: Database, integrationId: number, streams: readonly string[]) =>
  db.execute(sql`
    insert into branches (account_id, project_id, name, told)
    select p.account_id, p.id, s.name, s.name
    from integrations i join projects p on p.id = i.project_id, unnest(${streams.map(branchKey)}::text[]) s (name)
    where i.id = ${integrationId} and length(s.name) <= ${BRANCH_MAX} order by s.name
    on conflict do nothing`)

const placesOn = ({ account_id, project_id }: ProjectKey, name: string) =>
  sql`p.account_id = ${account_id} and p.project_id = ${project_id} and p.branch = ${name}`

const positionOf = (owner: ProjectKey, name: string, identifier: string | undefined) => sql`(
  select max(p.position) from changes c join change_branches p on p.account_id = c.account_id and p.change_id = c.id and ${placesOn(owner, name)}
  where c.account_id = ${owner.account_id} and c.project_id = ${owner.project_id} and c.identifier = ${identifier ?? ''})`

/** Changes that arrived on a branch earlier than this are assumed to have stayed: people rewrite recent ones. */
const DOUBTED = sql`interval '14 days'`

/**
 * A forced push removed the change `before`. If it goes back to a known change of the branch, later changes are removed too. Otherwise it is
 * unknown what it replaced, and recent changes are doubtful until they are reported again.
 */
export async function rewind(
  db: Database,
  owner: ProjectKey,
  told: ToldBranch & { identifier: string; after?: string | undefined },
): Promise<string> {
  const name = await findLine(db, owner, told)
  const here = placesOn(owner, name)
  await db.execute(sql`
    with ends as materialized (
      select coalesce(${positionOf(owner, name, told.identifier)}, 9223372036854775807) as left_at,
        ${positionOf(owner, name, told.after)} as now_at),
    touched as (
      update change_branches p set
        orphaned_at = case when p.position > ends.now_at then goldmaster_now() end,
        doubted_at = case when ends.now_at is null then goldmaster_now() end
      from ends
      where ${here} and p.orphaned_at is null and p.position <= ends.left_at
        and (p.position > ends.now_at or ends.now_at is not null and p.doubted_at is not null
          or ends.now_at is null and p.doubted_at is null and p.arrived_at > goldmaster_now() - ${DOUBTED})
      returning p.change_id, p.orphaned_at)
    update changes c set orphaned_at = now(), updated_at = now() from touched t
    where c.account_id = ${owner.account_id} and c.id = t.change_id and t.orphaned_at is not null and c.orphaned_at is null and not exists (
      select from change_branches p where p.account_id = c.account_id and p.change_id = c.id and p.branch <> ${name} and p.orphaned_at is null)`)
  return name
}

/** A branch was deleted, with all its changes. Null if it was pushed to since: then the report is outdated. */
export async function remove(
  db: Database,
  owner: ProjectKey,
  told: ToldBranch & { head?: string | undefined },
): Promise<string | null> {
  const { told: key, repository } = spelled(told)
  const name = await findLine(db, owner, told)
  const here = placesOn(owner, name)
  const head = positionOf(owner, name, told.head)
  const newer = await db.one(sql`
    select from change_branches p where ${here} and p.orphaned_at is null and p.position > ${head} limit 1`)
  if (newer) return null
  await db.execute(sql`
    insert into branches as b (account_id, project_id, name, told, repository, deleted_at)
    values (${owner.account_id}, ${owner.project_id}, ${name}, ${key}, ${repository}, goldmaster_now())
    on conflict (account_id, project_id, name) do update set deleted_at = coalesce(b.deleted_at, excluded.deleted_at)`)
  await db.execute(sql`
    update change_branches p set orphaned_at = goldmaster_now() where ${here} and p.orphaned_at is null`)
  return name
}

/** A deleted branch was restored at this change: the changes up to it are on the branch again. */
export async function restore(db: Database, owner: ProjectKey, told: ToldBranch & { head: string }) {
  const name = await findLine(db, owner, told)
  const { account_id, project_id } = owner
  await db.execute(sql`
    with gone as (
      select deleted_at, ${positionOf(owner, name, told.head)} as head from branches
      where account_id = ${account_id} and project_id = ${project_id} and name = ${name} and deleted_at is not null for update),
    there as (
      update branches b set deleted_at = null from gone
      where b.account_id = ${account_id} and b.project_id = ${project_id} and b.name = ${name})
    update change_branches p set orphaned_at = null from gone
    where ${placesOn(owner, name)} and p.position <= gone.head and p.orphaned_at = gone.deleted_at`)
}
