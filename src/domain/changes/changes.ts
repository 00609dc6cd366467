import { notFound } from '../../contract/errors.ts'
import type { QueryOf, ReplyOf } from '../../contract/routes.ts'
import type { Change } from '../../contract/shapes.ts'
import { type Database, type Sql, sql } from '../../db/database.ts'
import { count, type Key, type Listing, moment, when } from '../../db/page.ts'
import { updatedKeys } from '../../db/updated-since.ts'
import { scrubAuthor } from '../privacy/scrub.ts'

type Query = Omit<QueryOf<'listChanges'>, 'cursor'> & { cursor?: Key }
type Detail = ReplyOf<'showChange'>

export const columns = sql`
  c.id, c.identifier, c.display_identifier, c.source_type, c.author, c.description, iso(c.timestamp) as timestamp,
  iso(c.orphaned_at) as orphaned_at, iso(c.created_at) as created_at, iso(c.updated_at) as updated_at,
  case when c.files is null and c.source_type <> 'GitCommit' then 0 else c.file_count end as file_count,
  (select count(*) from approvals a where a.project_id = c.project_id and a.commit_sha = c.identifier) as approval_count`

export function list(project: Sql, q: Query): Listing {
  const where = sql`true
    ${q.orphaned ? sql`` : sql`and c.orphaned_at is null`}
    ${when(q.cursor, ({ at, id }) => sql`and (c.timestamp, c.id) < (${at}::timestamptz, ${id}::integer)`)}`
  const found =
    q.updated_since !== undefined && q.identifier === undefined && q.source_type === undefined
      ? updated(project, where, q.limit + 1, q.updated_since)
      : sql`
          select c.* from changes c
          where c.project_id = ${project} and ${where}
            ${when(q.identifier, (identifier) => sql`and c.identifier = ${identifier}`)}
            ${when(q.source_type, (type) => sql`and c.source_type = ${type}`)}
            ${when(q.updated_since, (at) => sql`and c.updated_at >= ${moment(at)}`)}
          order by c.timestamp desc, c.id desc limit ${count(q.limit + 1)}`
  const rows = sql`
    select row_to_json(item) as item, c.timestamp as key_at, c.id as key_id
    from (${found}) c, lateral (select ${columns}) item`
  return { limit: q.limit, rows, replan: q.updated_since !== undefined }
}

/** By the time of the last update alone. */
const updated = (project: Sql, where: Sql, take: number, since: string) => sql`
  select c.* from (${updatedKeys({
    from: sql`changes c`,
    project: sql`c.project_id = ${project}`,
    updated: sql`c.updated_at`,
    at: sql`c.timestamp`,
    id: sql`c.id`,
    since,
    where,
    take,
  })}) k join changes c on c.id = k.id order by k.at desc, k.id desc`

/** As a change may be shown: an author has no at-sign at all. Its other texts are scrubbed like all that leave. */
export const shown = <C extends Pick<Change, 'author'>>(change: C): C => ({ ...change, author: scrubAuthor(change.author) })

export async function find(db: Database, projectId: number, id: number | undefined): Promise<Detail> {
  const change = await db.one<Detail>(sql`
    with c as (select * from changes where project_id = ${projectId} and id = ${id ?? 0}),
    builds as (
      select ${told} from c join build_runs b on b.project_id = c.project_id and b.commit_hash = c.identifier and b.commit_hash <> ''
      union
      select ${told} from c join build_runs b on b.project_id = c.project_id and b.changelist = c.identifier and b.changelist <> '')
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
const told = sql`b.id, b.status, b.commit_hash, b.ci_job_name, b.created_at`
const buildReference = sql`json_build_object('id', b.id::text, 'status', b.status, 'commit_hash', b.commit_hash, 'ci_job_name', b.ci_job_name)`
