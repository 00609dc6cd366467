import { notFound } from '../../contract/errors.ts'
import type { QueryOf, ReplyOf } from '../../contract/routes.ts'
import type { Change } from '../../contract/shapes.ts'
import { type Database, empty, type Sql, sql } from '../../db/database.ts'
import { among, inlineInteger, type Key, type Listing, when } from '../../db/page.ts'
import { updatedAmong, updatedRows, type Within } from '../../db/updated-since.ts'
import { PASSED, RUNNING } from '../builds/statuses.ts'
import { asShown, scrubAuthor } from '../privacy/scrub.ts'
import { branchKey } from './branch-names.ts'
import { branchesOf } from './branches.ts'

type Query = Omit<QueryOf<'listChanges'>, 'cursor'> & { branch?: string | undefined; cursor?: Key; ids?: readonly string[] } & {
  since?: string
  until?: string
  /** With how the builds of each ended. */
  builds?: boolean
}
type Detail = ReplyOf<'showChange'>

export const columns = sql`
  c.id, c.identifier, c.display_identifier, c.source_type, c.author, c.description, iso(c.timestamp) as timestamp,
  iso(c.orphaned_at) as orphaned_at, iso(c.created_at) as created_at, iso(c.updated_at) as updated_at,
  case when c.files is null and c.source_type <> 'GitCommit' then 0 else c.file_count end as file_count,
  (select count(*) from approvals a where a.project_id = c.project_id and a.commit_sha = c.identifier) as approval_count,
  ${branchesOf} as branches`

/** Of each job the newest build counts: one that failed and passed when it was run again has passed. */
const buildStates = sql`(
  select json_build_object('passed', count(*) filter (where b.status in ${PASSED}), 'failed', count(*) filter (where b.status = 'failed'),
    'running', count(*) filter (where b.status in ${RUNNING} and b.lost_at is null))
  from (
    select distinct on (b.ci_job_name) b.status, b.lost_at from (
      select b.ci_job_name, b.status, b.lost_at, b.created_at, b.id from build_runs b
      where b.project_id = c.project_id and b.commit_hash = c.identifier and b.commit_hash <> ''
      union
      select b.ci_job_name, b.status, b.lost_at, b.created_at, b.id from build_runs b
      where b.project_id = c.project_id and b.changelist = c.identifier and b.changelist <> '') b
    order by b.ci_job_name, b.created_at desc, b.id desc) b)`

export function list(project: Sql, q: Query): Listing {
  // The table of branches carries the order too, so that a branch is walked newest first by itself.
  const [at, id] = q.branch === undefined ? [sql`c.timestamp`, sql`c.id`] : [sql`p.timestamp`, sql`p.change_id`]
  const where = (at: Sql, id: Sql) => sql`true
    ${q.orphaned ? sql`` : sql`and c.orphaned_at is null ${when(q.branch, () => sql`and p.orphaned_at is null`)}`}
    ${when(q.since, (since) => sql`and ${at} >= ${since}::timestamptz`)}
    ${when(q.until, (until) => sql`and ${at} < ${until}::timestamptz`)}
    ${when(q.cursor, (key) => sql`and (${at}, ${id}) < (${key.at}::timestamptz, ${key.id}::bigint)`)}`
  const found = (within?: Within) => sql`
    select c.* from ${among(sql`changes`, q.ids, 'bigint')} c
    ${when(q.branch, (branch) => sql`join change_branches p on p.change_id = c.id and p.project_id = ${project} and coalesce(p.told, p.branch) = ${asShown(branchKey(branch))}`)}
    where c.project_id = ${project} and ${where(at, id)}
      ${when(q.identifier, (identifier) => sql`and c.identifier = ${identifier}`)}
      ${when(q.source_type, (type) => sql`and c.source_type = ${type}`)}
      ${when(within, (condition) => sql`and ${condition({ at, id: sql`c.id`, updated: sql`c.updated_at` })}`)}
    order by ${at} desc, ${id} desc limit ${inlineInteger(q.limit + 1)}`
  const updatedSince = (since: string) =>
    q.ids !== undefined
      ? found(updatedAmong(since))
      : updatedRows({
          table: sql`changes c`,
          project,
          at: sql`timestamp`,
          id: sql`id`,
          since,
          where: where(sql`c.timestamp`, sql`c.id`),
          filtered: [q.identifier, q.source_type, q.branch].some((filter) => filter !== undefined),
          list: found,
          take: q.limit + 1,
        })
  const rows = sql`
    select row_to_json(item) as item, c.timestamp as key_at, c.id as key_id
    from (${q.updated_since === undefined ? found() : updatedSince(q.updated_since)}) c, lateral (select ${columns} ${q.builds ? sql`, ${buildStates} as builds` : empty}) item`
  return { limit: q.limit, rows, unprepared: q.updated_since !== undefined }
}

/** As a change may be shown: an author has no at-sign at all. Its other texts are scrubbed like all that leave. */
export const shown = <C extends Pick<Change, 'author'>>(change: C): C => ({ ...change, author: scrubAuthor(change.author) })

export async function find(db: Database, projectId: number, id: number | undefined): Promise<Detail> {
  const change = await db.one<Detail>(sql`
    with c as (select * from changes where project_id = ${projectId} and id = ${id ?? 0}),
    builds as (
      select ${buildColumns} from c join build_runs b on b.project_id = c.project_id and b.commit_hash = c.identifier and b.commit_hash <> ''
      union
      select ${buildColumns} from c join build_runs b on b.project_id = c.project_id and b.changelist = c.identifier and b.changelist <> '')
    select ${columns},
      coalesce(c.files, '[]') as files,
      c.files is not null or c.source_type <> 'GitCommit' as files_available,
      (select json_build_object(
          'pending', count(*) filter (where a.status = 'pending'), 'approved', count(*) filter (where a.status = 'approved'),
          'denied', count(*) filter (where a.status = 'denied'), 'ignored', count(*) filter (where a.status = 'ignored'))
        from approvals a where a.project_id = c.project_id and a.commit_sha = c.identifier) as approvals,
      (select coalesce(json_agg(${buildReference} order by b.created_at desc, b.id desc), '[]') from builds b) as build_runs,
      (select ${buildReference} from builds b order by b.created_at desc, b.id desc limit 1) as latest_build,
      (select coalesce(json_agg(k.task_id order by k.task_id), '[]') from task_changes k where k.change_id = c.id) as task_ids
    from c`)
  if (!change) throw notFound('Change')
  return shown(change)
}

/** Without the log: telling builds apart must not compare those. */
const buildColumns = sql`b.id, b.status, b.commit_hash, b.ci_job_name, b.created_at`
const buildReference = sql`json_build_object('id', b.id::text, 'status', b.status, 'commit_hash', b.commit_hash, 'ci_job_name', b.ci_job_name)`
