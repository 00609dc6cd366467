import { type Database, join, raw, type Sql, sql } from '../../db/database.ts'
import type { ProjectKey, RecordKey } from '../../db/project-key.ts'
import { idsNamed, nameOf } from './build-names.ts'
import { IS_OF_BRANCH } from './build-statuses.ts'

interface Named {
  branch: Sql
  commit: Sql
  changelist: Sql
  repository: Sql
}

/** A changelist number without a commit: numbers are depot-wide, so the change of that number says nothing about the build's stream. */
const isDepotWide = ({ commit, changelist }: Named) => sql`(${commit} = '' and ${changelist} ~ '^[0-9]{1,15}$')`

/** The branch of the change that a build `b` is of; if the build names a branch, only one of that name. */
const branchOfChange = ({ branch, commit, changelist }: Named) => sql`(
  select p.branch from ${changesNamed(commit, changelist)} join change_branches p on p.account_id = c.account_id and p.change_id = c.id
  where (${branch} = '' or coalesce(p.told, p.branch) = branch_key(${branch}))
  order by p.id limit 1)`

/** A branch `g` has changes with a changelist number. */
const HAS_CHANGELISTS = sql`exists (
  select from change_branches p join changes c on c.account_id = p.account_id and c.id = p.change_id
  where p.account_id = g.account_id and p.project_id = g.project_id and p.branch = g.name and c.source_type = 'Changelist')`

/**
 * The only stream whose name ends in the CI's branch name; unknown if there are several, or if only another version control system has that
 * name.
 */
const streamCalled = ({ branch }: Named) => sql`(
  select case when count(*) = 1 then min(s.name) when count(*) > 1 then ''
    when exists (select from branches g where g.account_id = b.account_id and g.project_id = b.project_id
      and g.told = branch_key(${branch}) and not ${HAS_CHANGELISTS})
      then '' end
  from branches s where s.account_id = b.account_id and s.project_id = b.project_id and s.tail = substring(lower(branch_key(${branch})) from '[^/]+$')
    and s.deleted_at is null and right(s.name, length(branch_key(${branch})) + 1) = '/' || lower(branch_key(${branch})))`

/**
 * The branch of this name in the build's repository; unknown if only other repositories have one, or if there are several and the build
 * names no repository.
 */
const branchCalled = ({ branch, repository }: Named) => sql`(
  select case when bool_or(g.repository = ${repository}) then min(g.name) filter (where g.repository = ${repository})
    when ${repository} = '' and count(*) > 1 or ${repository} <> '' and bool_and(g.repository <> '') then '' end
  from branches g where g.account_id = b.account_id and g.project_id = b.project_id and g.told = branch_key(${branch}) and g.deleted_at is null)`

const OF_BUILD = { account_id: sql`b.account_id`, project_id: sql`b.project_id` }

/** The branch of the job's other builds with the same names; jobs of several repositories may share a name. */
const branchOfJob = ({ branch, repository }: Named) => sql`(
  select o.inferred_branch from (${idsNamed(OF_BUILD, 'job_branch', nameOf(sql`b.ci_job_name`, branch))} limit 1) n
  join build_runs o on o.account_id = b.account_id and o.id = n.build_run_id where ${repository} = '')`

/** A stream may have any depth: unless the server or the operator says more, only the usual depth is known. */
const isOfUnknownDepth = ({ branch }: Named) => sql`(
  branch_key(${branch}) ~ '^//[^/]+/[^/]+/[^/]'
  and not exists (select from branches k where k.account_id = b.account_id and k.project_id = b.project_id and k.name = branch_key(${branch}))
  and not exists (select from integrations i where i.project_id = b.project_id
    and (i.config ->> 'branches' like '%//%' or jsonb_array_length(i.streams) > 0)))`

/**
 * The branch of a build `b` if it is not simply the one it names: the branch of its change if it names none; a stream that it calls by its
 * last folder; the branch of one of several repositories. Empty: it is ambiguous.
 */
export const inferredBranch = (named: Named): Sql => sql`case
  when ${named.branch} like '//%' then case when ${isOfUnknownDepth(named)} then '' end
  when ${named.branch} <> '' and ${isDepotWide(named)} then ${streamCalled(named)}
  else (
    select nullif(coalesce(of_change, ${branchOfJob(named)}, called), branch_key(${named.branch}))
    from (select ${branchOfChange(named)} as of_change,
      case when ${named.branch} <> '' then ${branchCalled(named)} end as called offset 0) found) end`

/** From the columns of a build `b`. */
const AS_STORED: Named = {
  branch: sql`b.branch`,
  commit: sql`b.commit_hash`,
  changelist: sql`b.changelist`,
  repository: sql`b.repository`,
}

/**
 * The changes `c` that a build `b` names in some of its columns. Each column is looked up separately: a comparison with a list of columns
 * reads every change of the project if PostgreSQL expects few.
 */
export const changesNamed = (...columns: Sql[]): Sql => sql`lateral (
  select distinct named.identifier from unnest(array[${join(columns)}]) named (identifier) where named.identifier <> '') named, lateral (
  select c.* from changes c where c.account_id = b.account_id and c.project_id = b.project_id and c.identifier = named.identifier offset 0) c`
export const NAMED_CHANGES = changesNamed(sql`b.commit_hash`, sql`b.changelist`)

/** Builds whose branch is not known yet. */
const IS_OPEN = sql`coalesce(b.inferred_branch, '') = ''`

/** Whether builds without a known branch name one of these changes. */
export const hasBuildsOf = (project: ProjectKey, identifiers: readonly string[]): Sql => {
  const waiting = (column: string) => sql`
    select from unnest(${identifiers}::text[]) i (identifier), lateral (
      select from build_runs b where b.account_id = ${project.account_id} and b.project_id = ${project.project_id} and ${IS_OPEN}
        and ${raw(column)} = i.identifier and ${raw(column)} <> '' limit 1) b`
  return sql`(exists (${waiting('b.commit_hash')}) or exists (${waiting('b.changelist')}))`
}

/**
 * For builds that were reported before these changes. Must be the last statement of a transaction: it waits for builds that are being
 * reported, and those reports wait for nothing that a push locks.
 */
export const inferBranchesOf = (db: Database, project: ProjectKey, changeIds: readonly number[]) =>
  inferOpen(db, project.account_id, sql`b.id = any (array(${buildsOf(project, changeIds)}))`)

/** The builds that name one of these changes. */
export const buildsOf = (project: ProjectKey, changeIds: readonly number[]): Sql => {
  const naming = (column: string) => sql`
    select b.id from changes c, lateral (
      select b.id from build_runs b where b.account_id = ${project.account_id} and b.project_id = ${project.project_id}
        and ${raw(column)} = c.identifier and ${raw(column)} <> '' offset 0) b
    where c.account_id = ${project.account_id} and c.id = any (${changeIds})`
  return sql`${naming('b.commit_hash')} union all ${naming('b.changelist')}`
}

/** For builds of the last day: the first report about a branch may show which one they meant. */
export const inferLatestBranches = (db: Database, project: ProjectKey) =>
  inferOpen(
    db,
    project.account_id,
    sql`b.project_id = ${project.project_id} and b.created_at > goldmaster_now() - interval '1 day'`,
  )

/**
 * For a build that was reported at the same time as its change: neither transaction saw the other's row. Every report about a build tries
 * again, and so does its investigation: nothing needs to wait for pushes, and only a last report at that very moment leaves a build without
 * a branch.
 */
export const inferBranchAnew = (db: Database, { account_id, id }: RecordKey) => inferOpen(db, account_id, sql`b.id = ${id}`)

const inferOpen = (db: Database, accountId: number, which: Sql) =>
  db.execute(sql`
    with found as materialized (
      select b.id, b.inferred_branch as before, ${inferredBranch(AS_STORED)} as branch from build_runs b
      where b.account_id = ${accountId} and ${which} and ${IS_OPEN})
    update build_runs b set inferred_branch = found.branch from found
    where b.account_id = ${accountId} and b.id = found.id and found.branch is distinct from found.before`)

/** For the loaded builds of an account. */
export const inferBranches = (db: Database, accountId: number) => inferOpen(db, accountId, sql`true`)

/** When a build `b` started, by our own clock if the start was reported to us. */
const BEGAN = sql`coalesce(b.begin_received_at, b.started_at, b.created_at)`

/** The branch of a build `b`; empty if unknown. */
export const BRANCH = sql`build_branch(b.branch, b.inferred_branch)`

/**
 * The position of a build `b` on a branch: that of its own change; otherwise, with changelist numbers, the newest change not above its
 * number (numbers are depot-wide and often belong to another stream); otherwise the newest change that had arrived when it started.
 */
export const positionOn = (branch: Sql): Sql => sql`coalesce(${namedOn(branch)},
    (select p.position from change_branches p where p.account_id = b.account_id and p.project_id = b.project_id and p.branch = ${branch}
      and p.arrived_at <= ${BEGAN} order by p.arrived_at desc, p.position desc limit 1))`

/** The position of the change that a build `b` names; null if it names none that is known. */
export const namedOn = (branch: Sql): Sql => sql`coalesce(
    (select max(p.position) from unnest(array[b.commit_hash, b.changelist]) named (identifier), lateral (
        select c.id from changes c where c.account_id = b.account_id and c.project_id = b.project_id and c.identifier = named.identifier offset 0) c
      join change_branches p on p.account_id = b.account_id and p.change_id = c.id and p.branch = ${branch}
      where named.identifier <> ''),
    case when b.changelist ~ '^[0-9]{1,15}$' and ${branch} like '//%' then coalesce((
      select max(p.position) from change_branches p where p.account_id = b.account_id and p.project_id = b.project_id
        and p.branch = ${branch} and p.position <= b.changelist::bigint), 0) end)`

/**
 * The order of a job's builds `b` on a branch: by position, then by the CI's number, then by arrival. The clock of the build machine is not
 * used.
 */
export const inOrder = (position: Sql): Sql =>
  sql`(coalesce(${position}, 0)::bigint, coalesce(ci_number(b.build_number), '{}'), b.id)`

/** A build on its branch. */
export interface Placed extends RecordKey {
  began_at: string
  /** Empty if unknown. */
  branch: string
  /** Null if the branch has no known changes. */
  position: number | null
}

export const placed = (
  db: Database,
  { account_id, project_id, id }: ProjectKey & { id: number },
  branch: Sql = BRANCH,
): Promise<Placed | undefined> =>
  db.one(sql`
    select b.account_id, b.id, ${BEGAN} as began_at, ${branch} as branch, ${positionOn(branch)} as position
    from build_runs b where b.account_id = ${account_id} and b.project_id = ${project_id} and b.id = ${id}`)

/** The passed build of the same job and branch that a build is compared with. */
export const lastPassed = (db: Database, build: Placed): Promise<Placed | undefined> =>
  build.position === null ? lastPassedByNumber(db, build) : lastPassedBelow(db, build, build.position)

const mineOf = ({ account_id, id }: RecordKey) =>
  sql`select account_id, id, project_id, job, created_at from build_runs where account_id = ${account_id} and id = ${id}`
const passedOf = (branch: string) => sql`
  b.account_id = mine.account_id and b.project_id = mine.project_id and ${BRANCH} = ${branch} and b.job = mine.job
    and b.verdict = 'passed'
  and ${IS_OF_BRANCH}`

/** Reports of a job may arrive in any order: this many passed builds on either side are read. */
const NEIGHBOURS = 100

/** The one before it on the branch. A pass at the same change leaves an empty range. */
const lastPassedBelow = (db: Database, build: Placed, position: number): Promise<Placed | undefined> =>
  db.one(sql`
    ${passedNear(build, build.branch)}
    select b.* from (select b.*, ${inOrder(sql`position`)} as place from standing b where position is not null) b,
      (select ${inOrder(sql`${position}`)} as place from build_runs b where b.account_id = ${build.account_id} and b.id = ${build.id}) this
    where b.place < this.place order by b.place desc limit 1`)

/** A passed build of a job on a branch. */
export interface Standing extends Placed {
  build_number: string
  commit_hash: string
  changelist: string
  finished_at: string
  received_at: string
  bisect: boolean
}

/** The passed builds of the same job and branch around a build, each with its position. */
export const passesNear = (db: Database, build: RecordKey, branch: string): Promise<Standing[]> =>
  db.rows(sql`${passedNear(build, branch)} select * from standing`)

const passedNear = (build: RecordKey, branch: string) => {
  const side = (condition: Sql, order: Sql) => sql`(
    select b.* from mine, lateral (
      select b.* from build_runs b where ${passedOf(branch)} and ${condition} order by ${order} limit ${NEIGHBOURS}) b)`
  return sql`
    with mine as (${mineOf(build)}),
    near as (
      ${side(sql`(b.created_at, b.id) < (mine.created_at, mine.id)`, sql`b.created_at desc, b.id desc`)}
      union all ${side(sql`(b.created_at, b.id) > (mine.created_at, mine.id)`, sql`b.created_at, b.id`)}),
    standing as materialized (
      select b.account_id, b.id, ${BEGAN} as began_at, ${sql`${branch}::text`} as branch,
        ${positionOn(sql`${branch}::text`)} as position, coalesce(b.finished_at, b.updated_at) as finished_at,
        b.build_number, b.commit_hash, b.changelist, b.created_at as received_at, b.kind = 'bisect' as bisect
      from near b)`
}

/** If the build has no position: the previous one by the CI's number, then by arrival. */
const lastPassedByNumber = (db: Database, build: Placed): Promise<Placed | undefined> =>
  db.one(sql`
    ${passedNear(build, build.branch)}
    select b.account_id, b.id, b.began_at, b.branch, null as position
    from (select b.*, ${inOrder(sql`null`)} as place from standing b) b,
      (select ${inOrder(sql`null`)} as place from build_runs b where b.account_id = ${build.account_id} and b.id = ${build.id}) this
    where b.place < this.place order by b.place desc limit 1`)
