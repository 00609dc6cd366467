import { type Database, raw, type Sql, sql } from '../../db/database.ts'
import { PASSED } from './statuses.ts'

/** Whether the branch `p` of a change is what a build calls by this name: none at all, or the last folder of a stream. */
const isMeant = (name: Sql): Sql => sql`(${name} = '' or p.branch like '//%'
  and right(p.branch, length(branch_key(${name})) + 1) = '/' || lower(branch_key(${name})))`

/**
 * What a build `b` is of that does not say it in full: the branch of its change where it names none; where it calls a stream by its last
 * folder alone (`main` for `//game/main`), the stream of its change with that folder, or the one that the job's other builds were of.
 */
export const inferredBranch = ({ branch, commit, changelist }: { branch: Sql; commit: Sql; changelist: Sql }): Sql => {
  return sql`case when ${branch} not like '//%' then coalesce(
    (select p.branch from changes c join change_branches p on p.change_id = c.id
      where c.project_id = b.project_id and c.identifier in (${commit}, ${changelist}) and c.identifier <> ''
        and ${isMeant(branch)}
      order by p.id limit 1),
    (select o.inferred_branch from build_runs o where o.project_id = b.project_id and o.ci_job_name = b.ci_job_name and o.branch = ${branch}
      and o.branch <> '' and o.inferred_branch is not null and ${changelist} <> '' limit 1)) end`
}

/** Whether builds wait to be told on which branch one of these changes is. */
export const hasBuildsOf = (projectId: number, identifiers: readonly string[]): Sql => {
  const waiting = (column: string) => sql`
    select from unnest(${identifiers}::text[]) i (identifier), lateral (
      select from build_runs b where b.project_id = ${projectId} and b.inferred_branch is null
        and ${raw(column)} = i.identifier and ${raw(column)} <> '' limit 1) b`
  return sql`(exists (${waiting('b.commit_hash')}) or exists (${waiting('b.changelist')}))`
}

/**
 * Of builds that were reported before these changes. The last thing that a transaction does: it waits for builds that are being reported,
 * and whoever reports one waits for nothing that a push holds.
 */
export const inferBranchesOf = (db: Database, projectId: number, changeIds: readonly number[]) =>
  db.execute(sql`
    with first as (
      select distinct on (b.id) b.id, p.branch
      from change_branches p join changes c on c.id = p.change_id
      join build_runs b on b.project_id = ${projectId} and b.inferred_branch is null
        and (b.commit_hash = c.identifier and b.commit_hash <> '' or b.changelist = c.identifier and b.changelist <> '')
      where p.change_id = any (${changeIds}) and ${isMeant(sql`b.branch`)}
      order by b.id, p.id)
    update build_runs b set inferred_branch = first.branch from first where b.id = first.id`)

/**
 * Of a build that was reported while its change was: neither transaction saw the other's row. Every report about a build looks again, and
 * so does its investigation: nothing needs to wait for pushes, and only a last report in that very moment leaves a build without.
 */
export const inferBranchAnew = (db: Database, id: number) => {
  const inferred = inferredBranch({ branch: sql`b.branch`, commit: sql`b.commit_hash`, changelist: sql`b.changelist` })
  return db.execute(sql`
    update build_runs b set inferred_branch = ${inferred} where b.id = ${id} and b.inferred_branch is null and ${inferred} is not null`)
}

/** Of the builds of these accounts that were loaded. */
export const inferBranches = (db: Database, accountIds: readonly number[]) => {
  const inferred = inferredBranch({ branch: sql`b.branch`, commit: sql`b.commit_hash`, changelist: sql`b.changelist` })
  return db.execute(sql`
    update build_runs u set inferred_branch = i.branch
    from (select b.id, ${inferred} as branch from build_runs b where b.account_id = any (${accountIds})) i
    where u.id = i.id and i.branch is not null`)
}

/** The branch of a build `b`; empty where nobody knows. */
export const BRANCH = sql`build_branch(b.branch, b.inferred_branch)`

/**
 * Where a build `b` stands on a branch: at its own change, else, where changes are numbered, at the newest that is not above its number (a
 * number counts for the whole depot and often lies on another stream), else at the newest that had arrived when it began.
 */
export const positionOn = (branch: Sql): Sql => {
  const there = sql`p.account_id = b.account_id and p.project_id = b.project_id and p.branch = ${branch}`
  return sql`coalesce(
    (select max(p.position) from unnest(array[b.commit_hash, b.changelist]) named (identifier), lateral (
        select c.id from changes c where c.project_id = b.project_id and c.identifier = named.identifier offset 0) c
      join change_branches p on p.change_id = c.id and p.branch = ${branch}
      where named.identifier <> ''),
    case when b.changelist ~ '^[0-9]{1,15}$' and ${branch} like '//%' then coalesce((
      select max(p.position) from change_branches p where ${there} and p.position <= b.changelist::bigint), 0) end,
    (select p.position from change_branches p where ${there} and p.arrived_at <= coalesce(b.started_at, b.created_at)
      order by p.arrived_at desc, p.position desc limit 1))`
}

/** A build on its branch. */
export interface Placed {
  id: number
  began_at: string
  /** Empty where nobody knows. */
  branch: string
  /** Null where the branch has no changes that are known. */
  position: number | null
}

export const placed = (
  db: Database,
  { project_id, id }: { project_id: number; id: number },
  branch: Sql = BRANCH,
): Promise<Placed | undefined> =>
  db.one(sql`
    select b.id, coalesce(b.started_at, b.created_at) as began_at, ${branch} as branch, ${positionOn(branch)} as position
    from build_runs b where b.project_id = ${project_id} and b.id = ${id}`)

/** The passed build of the same job and branch that a build is compared with. */
export const lastPassed = (db: Database, build: Placed): Promise<Placed | undefined> =>
  build.position === null ? lastPassedInTime(db, build) : lastPassedBelow(db, build, build.position)

const mineOf = (id: number) => sql`select id, project_id, ci_job_name, created_at from build_runs where id = ${id}`
const passedOf = (branch: string) => sql`
  b.project_id = mine.project_id and ${BRANCH} = ${branch} and b.ci_job_name = mine.ci_job_name and b.status in ${PASSED}`

/** Reports of a job may come in any order: this many passed builds of either side are looked at. */
const NEIGHBOURS = 100

/** The one with the highest position below this. */
const lastPassedBelow = (db: Database, { id, branch }: Placed, position: number): Promise<Placed | undefined> =>
  db.one(sql`
    ${passedNear(id, branch)}
    select * from standing where position < ${position} order by position desc, began_at desc, id desc limit 1`)

/** The passed builds of the same job and branch around a build, each with its place. */
export const passesNear = (db: Database, id: number, branch: string): Promise<(Placed & { finished_at: string })[]> =>
  db.rows(sql`${passedNear(id, branch)} select * from standing`)

const passedNear = (id: number, branch: string) => {
  const side = (condition: Sql, order: Sql) => sql`(
    select b.* from build_runs b, mine where ${passedOf(branch)} and ${condition} order by ${order} limit ${NEIGHBOURS})`
  return sql`
    with mine as (${mineOf(id)}),
    near as (
      ${side(sql`(b.created_at, b.id) < (mine.created_at, mine.id)`, sql`b.created_at desc, b.id desc`)}
      union all ${side(sql`(b.created_at, b.id) > (mine.created_at, mine.id)`, sql`b.created_at, b.id`)}),
    standing as (
      select b.id, coalesce(b.started_at, b.created_at) as began_at, ${sql`${branch}::text`} as branch,
        ${positionOn(sql`${branch}::text`)} as position, coalesce(b.finished_at, b.updated_at) as finished_at
      from near b)`
}

/** Where the build has no position, the one that began last before it. */
const lastPassedInTime = (db: Database, { id, branch, began_at }: Placed): Promise<Placed | undefined> =>
  db.one(sql`
    with mine as (${mineOf(id)})
    select b.id, coalesce(b.started_at, b.created_at) as began_at, ${branch}::text as branch, null as position from build_runs b, mine
    where ${passedOf(branch)} and b.id <> mine.id and coalesce(b.started_at, b.created_at) <= ${began_at}
    order by coalesce(b.started_at, b.created_at) desc, b.id desc limit 1`)
