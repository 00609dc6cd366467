import type { Static } from 'typebox'
import { notFound } from '../../contract/errors.ts'
import type { QueryOf, ReplyOf } from '../../contract/routes.ts'
import type { BuildRun } from '../../contract/shapes.ts'
import { type Database, type Sql, sql } from '../../db/database.ts'
import { count, type Key, type Listing, when } from '../../db/page.ts'
import { scrub } from '../privacy/scrub.ts'
import { newestOf } from './investigations.ts'

type Query = QueryOf<'listBuilds'> & { cursor?: Key }
type Detail = ReplyOf<'showBuild'>

const columns = (site: string) => sql`
  b.id::text, b.project_id::text, b.status, b.build_type, b.target_type, b.ci_job_name, b.build_number, b.commit_hash, b.changelist,
  b.branch, b.phase, b.duration_seconds, iso(b.started_at) as started_at, iso(b.finished_at) as finished_at,
  iso(b.created_at) as created_at, iso(b.updated_at) as updated_at,
  json_build_object('web', ${site}::text || '/projects/' || b.project_id || '/builds/' || b.id) as urls`

export const list = (project: Sql, q: Query, site: string): Listing => ({
  limit: q.limit,
  foreign: true,
  rows: sql`
    select row_to_json(item) as item, b.created_at as key_at, b.id as key_id,
      concat_ws(E'\\n', b.ci_job_name, b.build_number, b.commit_hash, b.changelist, b.branch, b.phase) as foreign_text
    from (
      select b.* from build_runs b
      where b.project_id = ${project}
        ${when(q.status, (status) => sql`and b.status = ${status}`)}
        ${when(q.build_type, (type) => sql`and b.build_type = ${type}`)}
        ${when(q.target_type, (type) => sql`and b.target_type = ${type}`)}
        ${when(q.cursor, ({ at, id }) => sql`and (b.created_at, b.id) < (${at}::timestamptz, ${id}::integer)`)}
      order by b.created_at desc, b.id desc limit ${count(q.limit + 1)}
    ) b, lateral (select ${columns(site)}) item`,
})

export async function find(db: Database, projectId: number, id: number | undefined, site: string): Promise<Detail> {
  const build = await db.one<Detail>(sql`
    select ${columns(site)}, b.artifacts,
      (select coalesce(json_agg(x), '[]') from (
        select s.name, s.status, iso(s.started_at) as started_at, iso(s.finished_at) as finished_at, s.duration_seconds, s.detail
        from build_steps s where s.build_run_id = b.id order by s.id) x) as steps,
      ${newestOf} as investigation
    from build_runs b where b.project_id = ${projectId} and b.id = ${id ?? 0}`)
  if (!build) throw notFound('Build run')
  return build
}

/** The newest build of a project, if there is one. */
export const newest = async (db: Database, projectId: number, site: string): Promise<Static<typeof BuildRun> | null> =>
  (await db.one(sql`
    select ${columns(site)} from build_runs b where b.project_id = ${projectId} order by b.created_at desc, b.id desc limit 1`)) ??
  null

/** The stored log, its last lines, or those that contain a text; addresses reduced. */
export async function readLog(
  db: Database,
  projectId: number,
  id: number | undefined,
  { tail, search }: QueryOf<'readBuildLog'>,
): Promise<string> {
  const build = await db.one<{ output_log: string | null }>(
    sql`select output_log from build_runs where project_id = ${projectId} and id = ${id ?? 0}`,
  )
  if (!build) throw notFound('Build run')
  const log = scrub(build.output_log ?? '')
  if (tail === undefined && search === undefined) return log
  const ended = log.endsWith('\n') ? log.slice(0, -1) : log
  const lines = ended === '' ? [] : ended.split('\n')
  const kept = search === undefined ? lines : lines.filter((line) => search !== '' && line.includes(search))
  return kept
    .slice(tail === undefined ? 0 : -tail)
    .map((line) => `${line}\n`)
    .join('')
}
