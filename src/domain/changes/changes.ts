import { notFound } from '../../contract/errors.ts'
import type { QueryOf, ReplyOf } from '../../contract/routes.ts'
import type { Change } from '../../contract/shapes.ts'
import { type Database, empty, type Sql, sql } from '../../db/database.ts'
import { among, bounded, inlineInteger, type Key, type Listing, when } from '../../db/page.ts'
import type { ProjectKey, ProjectSql } from '../../db/project-key.ts'
import { updatedAmong, updatedRows, type Within } from '../../db/updated-since.ts'
import { branchKey } from '../branches/branch-names.ts'
import { RUNNING } from '../branches/build-statuses.ts'
import { asShown, scrubAuthor } from '../privacy/scrub.ts'
import { branchesOf } from './branches.ts'

type Query = Omit<QueryOf<'listChanges'>, 'cursor'> & { branch?: string | undefined; cursor?: Key; ids?: readonly string[] } & {
  since?: string
  until?: string
  /** Includes the build states of each. */
  builds?: boolean
}
type Detail = ReplyOf<'showChange'>

export const columns = sql`
  c.id, c.identifier, c.display_identifier, c.source_type, c.author, c.description, iso(c.timestamp) as timestamp,
  iso(c.orphaned_at) as orphaned_at, iso(c.created_at) as created_at, iso(c.updated_at) as updated_at,
  case when c.files is null and c.source_type <> 'GitCommit' then 0 else c.file_count end as file_count,
  (select count(*) from approvals a where a.account_id = c.account_id and a.project_id = c.project_id
    and a.commit_sha = c.identifier) as approval_count,
  ${branchesOf} as branches`

/** A build `b` of a shelf names the change that it was built on: what it found is about the shelf. */
const IS_OF_CHANGE = sql`(b.kind <> 'preflight' or b.shelf = '')`

/** What builds count as. The newest of each job decides: one that failed and passed on a rerun has passed. */
const buildStates = sql`(
  select json_build_object('passed', count(*) filter (where b.verdict = 'passed'), 'failed', count(*) filter (where b.verdict = 'failed'),
    'running', count(*) filter (where b.status in ${RUNNING} and b.lost_at is null))
  from (
    select distinct on (b.job) b.status, b.verdict, b.lost_at from (
      select b.job, b.status, b.verdict, b.lost_at, b.created_at, b.id from build_runs b
      where b.account_id = c.account_id and b.project_id = c.project_id and b.commit_hash = c.identifier and b.commit_hash <> '' and ${IS_OF_CHANGE}
      union
      select b.job, b.status, b.verdict, b.lost_at, b.created_at, b.id from build_runs b
      where b.account_id = c.account_id and b.project_id = c.project_id and b.changelist = c.identifier and b.changelist <> '' and ${IS_OF_CHANGE}) b
    order by b.job, b.created_at desc, b.id desc) b)`

/**
 * Newest first. An identifier matches few; a branch is read from the table of branches, which has the order too, a type from its own index,
 * and the other filters apply afterwards.
 */
export function list(project: ProjectSql, q: Query): Listing {
  const inOrder = (take: number, at: Sql, id: Sql) => sql`order by ${at} desc, ${id} desc limit ${inlineInteger(take)}`
  const inTime = (at: Sql, id: Sql) => sql`
    ${when(q.since, (since) => sql`and ${at} >= ${since}::timestamptz`)}
    ${when(q.until, (until) => sql`and ${at} < ${until}::timestamptz`)}
    ${when(q.cursor, (key) => sql`and (${at}, ${id}) < (${key.at}::timestamptz, ${key.id}::bigint)`)}`
  const [at, id] = [sql`c.timestamp`, sql`c.id`]
  const narrowed = (within: Within | undefined, time = at) =>
    when(within, (condition) => sql`and ${condition({ at: time, id, updated: sql`c.updated_at` })}`)
  const kept = q.orphaned ? empty : sql`and c.orphaned_at is null`
  const ofType = when(q.source_type, (type) => sql`and c.source_type = ${type}`)
  const onBranch = (
    branch: string,
  ) => sql`p.project_id = ${project.project_id} and coalesce(p.told, p.branch) = ${asShown(branchKey(branch))}
    ${q.orphaned ? empty : sql`and p.orphaned_at is null`}`
  const few = (within: Within | undefined, take = q.limit + 1) => sql`
    select c.* from (
      select c.* from ${among(sql`changes`, project.account_id, q.ids, 'bigint')} c
      where c.account_id = ${project.account_id} and c.project_id = ${project.project_id}
        ${when(q.identifier, (identifier) => sql`and c.identifier = ${identifier}`)} ${narrowed(within)} offset 0) c
    where true ${inTime(at, id)} ${kept} ${ofType}
      ${when(
        q.branch,
        (branch) => sql`and exists (select from change_branches p where p.account_id = c.account_id and p.change_id = c.id
        and ${onBranch(branch)})`,
      )}
    ${inOrder(take, at, id)}`
  const isFew = q.ids !== undefined || q.identifier !== undefined
  const walked = () =>
    q.branch === undefined
      ? bounded({
          columns: sql`c.*`,
          from: sql`changes c where c.project_id = ${project.project_id} ${ofType} ${inTime(at, id)}`,
          at,
          id,
        })
      : bounded({
          columns: sql`p.account_id, p.timestamp, p.change_id`,
          from: sql`change_branches p where ${onBranch(q.branch)} ${inTime(sql`p.timestamp`, sql`p.change_id`)}`,
          at: sql`p.timestamp`,
          id: sql`p.change_id`,
        })
  const walk = isFew ? undefined : walked()
  const found = (within?: Within, take = q.limit + 1) => {
    if (!walk) return few(within, take)
    const rows = within ? walk.all : walk.rows
    if (q.branch === undefined)
      return sql`select c.* from (${rows}) c where true ${kept} ${narrowed(within)} ${inOrder(take, at, id)}`
    return sql`
      select c.* from (${rows}) p, lateral (select c.* from changes c where c.account_id = p.account_id and c.id = p.change_id offset 0) c
      where c.project_id = ${project.project_id} ${kept} ${ofType} ${narrowed(within, sql`p.timestamp`)} ${inOrder(take, sql`p.timestamp`, sql`p.change_id`)}`
  }
  const updatedSince = (since: string) =>
    isFew
      ? few(updatedAmong(since))
      : updatedRows({
          table: sql`changes c`,
          project: project.project_id,
          at: sql`timestamp`,
          id: sql`id`,
          since,
          where: sql`true ${inTime(at, id)} ${kept}`,
          filtered: [q.source_type, q.branch].some((filter) => filter !== undefined),
          list: found,
          few,
          take: q.limit + 1,
        })
  const rows = sql`
    select row_to_json(item) as item, c.timestamp as key_at, c.id as key_id
    from (${q.updated_since === undefined ? found() : updatedSince(q.updated_since)}) c, lateral (select ${columns} ${q.builds ? sql`, ${buildStates} as builds` : empty}) item`
  const isUpdated = q.updated_since !== undefined
  return { limit: q.limit, rows, unprepared: isUpdated, examined: isUpdated ? undefined : walk?.examined }
}

/** A change as it may be shown: an author without any at-sign. Other texts are scrubbed on the way out. */
export const shown = <C extends Pick<Change, 'author'>>(change: C): C => ({ ...change, author: scrubAuthor(change.author) })

export async function find(db: Database, project: ProjectKey, id: number | undefined): Promise<Detail> {
  const change = await db.one<Detail>(sql`
    with c as (select * from changes where account_id = ${project.account_id} and project_id = ${project.project_id} and id = ${id ?? 0}),
    builds as (
      select ${buildColumns} from c join build_runs b on b.account_id = c.account_id and b.project_id = c.project_id
        and b.commit_hash = c.identifier and b.commit_hash <> '' and ${IS_OF_CHANGE}
      union
      select ${buildColumns} from c join build_runs b on b.account_id = c.account_id and b.project_id = c.project_id
        and b.changelist = c.identifier and b.changelist <> '' and ${IS_OF_CHANGE})
    select ${columns},
      coalesce(c.files, '[]') as files,
      c.files is not null or c.source_type <> 'GitCommit' as files_available,
      (select json_build_object(
          'pending', count(*) filter (where a.status = 'pending'), 'approved', count(*) filter (where a.status = 'approved'),
          'denied', count(*) filter (where a.status = 'denied'), 'ignored', count(*) filter (where a.status = 'ignored'))
        from approvals a where a.account_id = c.account_id and a.project_id = c.project_id and a.commit_sha = c.identifier) as approvals,
      (select coalesce(json_agg(${buildReference} order by b.created_at desc, b.id desc), '[]') from builds b) as build_runs,
      (select ${buildReference} from builds b order by b.created_at desc, b.id desc limit 1) as latest_build,
      (select coalesce(json_agg(k.task_id order by k.task_id), '[]') from task_changes k
        join tasks t on t.account_id = k.account_id and t.id = k.task_id and t.deleted_at is null
        where k.account_id = c.account_id and k.change_id = c.id) as task_ids
    from c`)
  if (!change) throw notFound('Change')
  return shown(change)
}

/** Without the log: `distinct` must not compare logs. */
const buildColumns = sql`b.id, b.status, b.commit_hash, b.ci_job_name, b.created_at`
const buildReference = sql`json_build_object('id', b.id::text, 'status', b.status, 'commit_hash', b.commit_hash, 'ci_job_name', b.ci_job_name)`
