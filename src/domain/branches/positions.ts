import { type Database, join, raw, type Sql, sql } from '../../db/database.ts'
import { PASSED } from './build-statuses.ts'

interface Named {
  branch: Sql
  commit: Sql
  changelist: Sql
  repository: Sql
}

/** A number of a depot and no commit: it counts for all streams, so the change of that number tells nothing of the build's. */
const isDepotWide = ({ commit, changelist }: Named) => sql`(${commit} = '' and ${changelist} ~ '^[0-9]{1,15}$')`

/** The branch of the change that a build `b` is of; where the build names a branch, only one of that name. */
const branchOfChange = ({ branch, commit, changelist }: Named) => sql`(
  select p.branch from ${changesNamed(commit, changelist)} join change_branches p on p.change_id = c.id
  where (${branch} = '' or coalesce(p.told, p.branch) = branch_key(${branch}))
  order by p.id limit 1)`

/** A branch `g` has changes with a number of a depot. */
const HAS_CHANGELISTS = sql`exists (
  select from change_branches p join changes c on c.id = p.change_id
  where p.account_id = g.account_id and p.project_id = g.project_id and p.branch = g.name and c.source_type = 'Changelist')`

/** The one stream whose name ends in what the CI says; unknown where several do, or where only another version control has that name. */
const streamCalled = ({ branch }: Named) => sql`(
  select case when count(*) = 1 then min(s.name) when count(*) > 1 then ''
    when exists (select from branches g where g.project_id = b.project_id and g.told = branch_key(${branch}) and not ${HAS_CHANGELISTS})
      then '' end
  from branches s where s.project_id = b.project_id and s.tail = substring(lower(branch_key(${branch})) from '[^/]+$')
    and s.deleted_at is null and right(s.name, length(branch_key(${branch})) + 1) = '/' || lower(branch_key(${branch})))`

/** The branch of this name in the repository that the build names; unknown where only others have one, or several and it names none. */
const branchCalled = ({ branch, repository }: Named) => sql`(
  select case when bool_or(g.repository = ${repository}) then min(g.name) filter (where g.repository = ${repository})
    when ${repository} = '' and count(*) > 1 or ${repository} <> '' and bool_and(g.repository <> '') then '' end
  from branches g where g.project_id = b.project_id and g.told = branch_key(${branch}) and g.deleted_at is null)`

/** That of the job's other builds which say the same; jobs of several repositories may have one name. */
const branchOfJob = ({ branch, repository }: Named) => sql`(
  select o.inferred_branch from build_runs o where o.project_id = b.project_id and o.ci_job_name = b.ci_job_name and o.branch = ${branch}
    and o.branch <> '' and o.inferred_branch <> '' and o.repository = '' and ${repository} = '' and o.changelist = '' limit 1)`

/** A stream may have any depth: without the server's word or the operator's, only the usual one is known. */
const isOfUnknownDepth = ({ branch }: Named) => sql`(
  branch_key(${branch}) ~ '^//[^/]+/[^/]+/[^/]'
  and not exists (select from branches k where k.account_id = b.account_id and k.project_id = b.project_id and k.name = branch_key(${branch}))
  and not exists (select from integrations i where i.project_id = b.project_id
    and (i.config ->> 'branches' like '%//%' or jsonb_array_length(i.streams) > 0)))`

/**
 * The branch of a build `b` where that is not simply the one it names: of its change where it names none; a stream that it calls by its
 * last folder alone; the branch of one of several repositories. Empty: there is more than one that it may be.
 */
export const inferredBranch = (named: Named): Sql => sql`case
  when ${named.branch} like '//%' then case when ${isOfUnknownDepth(named)} then '' end
  when ${named.branch} <> '' and ${isDepotWide(named)} then ${streamCalled(named)}
  else (
    select nullif(coalesce(of_change, ${branchOfJob(named)}, called), branch_key(${named.branch}))
    from (select ${branchOfChange(named)} as of_change,
      case when ${named.branch} <> '' then ${branchCalled(named)} end as called offset 0) found) end`

/** As the columns of a build `b` name it. */
const AS_STORED: Named = {
  branch: sql`b.branch`,
  commit: sql`b.commit_hash`,
  changelist: sql`b.changelist`,
  repository: sql`b.repository`,
}

/**
 * The changes `c` that a build `b` names, from some of its columns. Each name is looked up by itself: a comparison with a list of columns
 * reads every change of the project where PostgreSQL expects few.
 */
export const changesNamed = (...columns: Sql[]): Sql => sql`lateral (
  select distinct named.identifier from unnest(array[${join(columns)}]) named (identifier) where named.identifier <> '') named, lateral (
  select c.* from changes c where c.project_id = b.project_id and c.identifier = named.identifier offset 0) c`
export const NAMED_CHANGES = changesNamed(sql`b.commit_hash`, sql`b.changelist`)

/** Builds whose branch nobody knows yet. */
const IS_OPEN = sql`coalesce(b.inferred_branch, '') = ''`

/** Whether builds wait to be told on which branch one of these changes is. */
export const hasBuildsOf = (projectId: number, identifiers: readonly string[]): Sql => {
  const waiting = (column: string) => sql`
    select from unnest(${identifiers}::text[]) i (identifier), lateral (
      select from build_runs b where b.project_id = ${projectId} and ${IS_OPEN}
        and ${raw(column)} = i.identifier and ${raw(column)} <> '' limit 1) b`
  return sql`(exists (${waiting('b.commit_hash')}) or exists (${waiting('b.changelist')}))`
}

/**
 * Of builds that were reported before these changes. The last thing that a transaction does: it waits for builds that are being reported,
 * and whoever reports one waits for nothing that a push holds.
 */
export const inferBranchesOf = (db: Database, projectId: number, changeIds: readonly number[]) =>
  inferOpen(db, sql`b.id = any (array(${buildsOf(projectId, changeIds)}))`)

/** The builds that name one of these changes. */
export const buildsOf = (projectId: number, changeIds: readonly number[]): Sql => {
  const naming = (column: string) => sql`
    select b.id from changes c, lateral (
      select b.id from build_runs b where b.project_id = ${projectId} and ${raw(column)} = c.identifier and ${raw(column)} <> '' offset 0) b
    where c.id = any (${changeIds})`
  return sql`${naming('b.commit_hash')} union all ${naming('b.changelist')}`
}

/** Of builds of the last day: the first report about a branch may tell which one they meant. */
export const inferLatestBranches = (db: Database, projectId: number) =>
  inferOpen(db, sql`b.project_id = ${projectId} and b.created_at > goldmaster_now() - interval '1 day'`)

/**
 * Of a build that was reported while its change was: neither transaction saw the other's row. Every report about a build looks again, and
 * so does its investigation: nothing needs to wait for pushes, and only a last report in that very moment leaves a build without.
 */
export const inferBranchAnew = (db: Database, id: number) => inferOpen(db, sql`b.id = ${id}`)

const inferOpen = (db: Database, which: Sql) =>
  db.execute(sql`
    with found as materialized (
      select b.id, b.inferred_branch as before, ${inferredBranch(AS_STORED)} as branch from build_runs b where ${which} and ${IS_OPEN})
    update build_runs b set inferred_branch = found.branch from found
    where b.id = found.id and found.branch is distinct from found.before`)

/** Of the builds of these accounts that were loaded. */
export const inferBranches = (db: Database, accountIds: readonly number[]) =>
  inferOpen(db, sql`b.account_id = any (${accountIds})`)

/** When a build `b` began, by our own clock where it was reported to us. */
export const BEGAN = sql`coalesce(b.begin_received_at, b.started_at, b.created_at)`

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
    (select p.position from change_branches p where ${there} and p.arrived_at <= ${BEGAN}
      order by p.arrived_at desc, p.position desc limit 1))`
}

/**
 * The order of a job's builds `b` on a branch: by position, then by the CI's number, then by arrival. The clock of the machine that built
 * orders nothing.
 */
export const inOrder = (position: Sql): Sql =>
  sql`(coalesce(${position}, 0)::bigint, coalesce(ci_number(b.build_number), '{}'), b.id)`

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
    select b.id, ${BEGAN} as began_at, ${branch} as branch, ${positionOn(branch)} as position
    from build_runs b where b.project_id = ${project_id} and b.id = ${id}`)

/** The passed build of the same job and branch that a build is compared with. */
export const lastPassed = (db: Database, build: Placed): Promise<Placed | undefined> =>
  build.position === null ? lastPassedByNumber(db, build) : lastPassedBelow(db, build, build.position)

const mineOf = (id: number) => sql`select id, project_id, ci_job_name, created_at from build_runs where id = ${id}`
const passedOf = (branch: string) => sql`
  b.project_id = mine.project_id and ${BRANCH} = ${branch} and b.ci_job_name = mine.ci_job_name and b.status in ${PASSED}
  and b.kind <> 'preflight'`

/** Reports of a job may come in any order: this many passed builds of either side are looked at. */
const NEIGHBOURS = 100

/** The one with the highest position below this. */
const lastPassedBelow = (db: Database, { id, branch }: Placed, position: number): Promise<Placed | undefined> =>
  db.one(sql`
    ${passedNear(id, branch)}
    select b.* from standing b where position < ${position} order by ${inOrder(sql`position`)} desc limit 1`)

/** A passed build of a job on a branch. */
export interface Standing extends Placed {
  build_number: string
  finished_at: string
  received_at: string
  bisect: boolean
}

/** The passed builds of the same job and branch around a build, each with its place. */
export const passesNear = (db: Database, id: number, branch: string): Promise<Standing[]> =>
  db.rows(sql`${passedNear(id, branch)} select * from standing`)

const passedNear = (id: number, branch: string) => {
  const side = (condition: Sql, order: Sql) => sql`(
    select b.* from mine, lateral (
      select b.* from build_runs b where ${passedOf(branch)} and ${condition} order by ${order} limit ${NEIGHBOURS}) b)`
  return sql`
    with mine as (${mineOf(id)}),
    near as (
      ${side(sql`(b.created_at, b.id) < (mine.created_at, mine.id)`, sql`b.created_at desc, b.id desc`)}
      union all ${side(sql`(b.created_at, b.id) > (mine.created_at, mine.id)`, sql`b.created_at, b.id`)}),
    standing as (
      select b.id, ${BEGAN} as began_at, ${sql`${branch}::text`} as branch,
        ${positionOn(sql`${branch}::text`)} as position, coalesce(b.finished_at, b.updated_at) as finished_at,
        b.build_number, b.created_at as received_at, b.kind = 'bisect' as bisect
      from near b)`
}

/** Where the build has no position, the one before it by the CI's number, then by arrival. */
const lastPassedByNumber = (db: Database, { id, branch }: Placed): Promise<Placed | undefined> =>
  db.one(sql`
    ${passedNear(id, branch)}
    select b.id, b.began_at, b.branch, null as position
    from (select b.*, ${inOrder(sql`null`)} as place from standing b) b,
      (select ${inOrder(sql`null`)} as place from build_runs b where b.id = ${id}) this
    where b.place < this.place order by b.place desc limit 1`)
