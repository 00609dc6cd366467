import { type Database, type Sql, sql } from '../../db/database.ts'
import type { ProjectKey, RecordKey } from '../../db/project-key.ts'
import { NAMED_CHANGES, type Placed } from '../branches/positions.ts'
import { withoutReverts } from '../changes/reverts.ts'

export interface Range {
  /** The changes, newest first, without changes that were reverted and their reverts. */
  ids: number[]
  /** Whether there were more than are read. */
  has_more: boolean
}

/** How many changes are read to find reverts. */
const READ_MAX = 1_000
/** How many changes without a known branch are searched by time. */
const UNPLACED_LOOK = 1_000

/**
 * The changes of a build that an earlier one does not contain: by position on the build's branch, and on the branch of its second change if
 * it names a commit and a changelist. Changes of the same version control without a known branch are selected by time, unless their files
 * say that they are on no stream; so are all changes if the build's branch is unknown.
 */
export async function rangeBetween(db: Database, owner: ProjectKey, to: Placed, since: Placed | undefined): Promise<Range> {
  const { account_id, project_id } = owner
  const there = (branch: Sql) => sql`p.account_id = ${account_id} and p.project_id = ${project_id} and p.branch = ${branch}
    and p.orphaned_at is null and p.doubted_at is null`
  const read = await db.rows<{ id: number; identifier: string; description: string }>(sql`
    with mine as (${newestOf(to)}), last as (${newestOf(since ?? { account_id, id: 0 })}),
    of_time as (
      select c.id, c.timestamp, c.source_type = 'Changelist' and c.files is not null as is_placed from changes c
      where c.account_id = ${account_id} and c.project_id = ${project_id} and c.orphaned_at is null and c.source_type in (${sourcesOf(to)})
        and c.timestamp <= coalesce((select timestamp from mine), ${to.began_at}::timestamptz)
        and c.timestamp >= coalesce((select timestamp from last), ${since?.began_at ?? null}::timestamptz, '-infinity')
        and c.id not in (select id from last)
      order by c.timestamp desc, c.id desc limit ${UNPLACED_LOOK}),
    beside as (${linesBeside(to, since)}),
    held as (
      (select p.change_id as id, p.position from change_branches p
        where ${there(sql`${to.branch}`)} and p.position > ${since?.position ?? 0} and p.position <= ${to.position ?? 0}
        order by p.position desc, p.change_id desc limit ${READ_MAX})
      union
      (select p.change_id, p.position from beside, lateral (
        select p.change_id, p.position from change_branches p
        where ${there(sql`beside.branch`)} and p.position > beside.above and p.position <= beside.up_to
        order by p.position desc, p.change_id desc limit ${READ_MAX}) p)
      union all
      (select c.id, null from of_time c where ${to.branch === ''} or not c.is_placed and not exists (select from change_branches p
        where p.account_id = ${account_id} and p.change_id = c.id)
        order by c.timestamp desc, c.id desc limit ${READ_MAX}))
    select c.id, c.identifier, c.description from held join changes c on c.account_id = ${account_id} and c.id = held.id
    where c.orphaned_at is null
    order by held.position desc nulls last, c.timestamp desc, c.id desc limit ${READ_MAX}`)
  return { ids: withoutReverts(read).map(({ id }) => id), has_more: read.length === READ_MAX }
}

/** Changes of its range that a forced push may have replaced, newest first. */
export const doubtedBetween = async (db: Database, owner: ProjectKey, to: Placed, since: Placed | undefined): Promise<number[]> =>
  (
    await db.rows<{ id: number }>(sql`
      select p.change_id as id from change_branches p
      where p.account_id = ${owner.account_id} and p.project_id = ${owner.project_id} and p.branch = ${to.branch}
        and p.position > ${since?.position ?? 0} and p.position <= ${to.position ?? 0} and p.orphaned_at is null and p.doubted_at is not null
      order by p.position desc limit ${READ_MAX}`)
  ).map(({ id }) => id)

/** The source types that a build can contain: those of the changes that it names, otherwise by its fields and its branch. */
const sourcesOf = ({ account_id, id, branch }: Placed) => sql`
  with b as (
    select account_id, project_id, commit_hash, changelist from build_runs where account_id = ${account_id} and id = ${id}),
  named as (
    select c.source_type from b, ${NAMED_CHANGES})
  select source_type from named
  union all
  select t.source_type from b, (values ('Changelist', true), ('GitCommit', false), ('AssetCommit', false)) t (source_type, numbered)
  where not exists (select from named) and case
    when b.commit_hash = '' and b.changelist = '' then ${branch === ''} or t.numbered = ${branch.startsWith('//')}
    when t.numbered then b.changelist <> '' else b.commit_hash <> '' end`

/** The second branch of a build that names a commit and a changelist, from the earlier build's position on it. */
const linesBeside = (to: Placed, since: Placed | undefined) => {
  const placesOf = (buildId: number) => sql`
    select p.account_id, p.project_id, p.id, p.branch, p.position, p.change_id
    from build_runs b, ${NAMED_CHANGES}
    join change_branches p on p.account_id = c.account_id and p.change_id = c.id
    where b.account_id = ${to.account_id} and b.id = ${buildId} and b.commit_hash <> '' and b.changelist <> '' and p.branch <> ${to.branch}
      and not exists (select from change_branches o where o.account_id = c.account_id and o.change_id = c.id and o.branch = ${to.branch})`
  return sql`
    select distinct on (l.change_id) l.branch, l.position as up_to, coalesce(
      (select max(s.position) from (${placesOf(since?.id ?? 0)}) s where s.branch = l.branch),
      (select p.position from change_branches p where p.account_id = l.account_id and p.project_id = l.project_id and p.branch = l.branch
        and p.arrived_at <= ${since?.began_at ?? null}::timestamptz order by p.arrived_at desc, p.position desc limit 1), 0) as above
    from (${placesOf(to.id)}) l order by l.change_id, l.id`
}

/** The newest change that a build names; it may name a commit and a changelist: it contains both and everything older. */
const newestOf = (build: RecordKey) => sql`
  select c.id, c.timestamp from build_runs b, ${NAMED_CHANGES}
  where b.account_id = ${build.account_id} and b.id = ${build.id} order by c.timestamp desc limit 1`

/** Whether the change of a build is known. */
export const namesChange = async (db: Database, build: RecordKey): Promise<boolean> =>
  (await db.one(sql`${newestOf(build)}`)) !== undefined
