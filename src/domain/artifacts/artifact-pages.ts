import { invalidCursor, notFound } from '../../contract/errors.ts'
import { isUuid } from '../../contract/params.ts'
import type { ReplyOf } from '../../contract/routes.ts'
import { type Database, type Sql, sql } from '../../db/database.ts'
import { inlineInteger, type Key, type Page, readPage, when } from '../../db/page.ts'
import type { ProjectKey } from '../../db/project-key.ts'
import { artifactUrl } from '../builds/artifact-list.ts'

type Listed = ReplyOf<'listBuildArtifacts'>['artifacts'][number]

interface Query {
  name?: string | undefined
  limit: number
  cursor?: Key | undefined
}

/** `*` stands for anything. */
const likeOf = (pattern: string) => pattern.replace(/[\\%_]/g, '\\$&').replaceAll('*', '%')

export const isNamedLike = (name: Sql, pattern: string | undefined): Sql =>
  when(pattern, (pattern) => sql`and ${name} ilike ${likeOf(pattern)}`)

/** What is only reported has no time of its own: it follows the uploads in the order of the report, a millisecond apart before 1970. */
const REPORTED_AT = sql`timestamptz 'epoch' - r.place * interval '1 millisecond'`
const placeOf = ({ at }: Key) => Math.max(0, -Date.parse(at))

/**
 * The artifacts of a build: what it uploaded, newest first, then what it only reported. The report is one value, which is read only for pages
 * that the uploads don't fill.
 */
export async function listOfBuild(
  db: Database,
  { account_id, project_id }: ProjectKey,
  buildId: number | undefined,
  { name, limit, cursor }: Query,
  site: string,
): Promise<{ artifacts: Listed[] } & Omit<Page, 'items'>> {
  if (cursor && !isUuid(cursor.id)) throw invalidCursor()
  const build = await db.one(sql`
    select from build_runs where account_id = ${account_id} and project_id = ${project_id} and id = ${buildId ?? 0}`)
  if (!build) throw notFound('Build run')
  const take = inlineInteger(limit + 1)
  const { items, ...page } = await readPage(db, {
    limit,
    rows: sql`
      with uploads as materialized (
        select json_build_object('id', a.id, 'position', null, 'build_run_id', a.build_run_id::text, 'name', a.name, 'size_bytes', a.bytes,
            'sha256', encode(a.sha256, 'hex'), 'url', ${artifactUrl(site)}, 'created_at', iso(a.completed_at)) as item,
          a.completed_at as key_at, a.id as key_id
        from artifacts a
        where a.account_id = ${account_id} and a.build_run_id = ${buildId} and a.completed_at is not null ${isNamedLike(sql`a.name`, name)}
          ${when(cursor, ({ at, id }) => sql`and (a.completed_at, a.id) < (${at}::timestamptz, ${id}::uuid)`)}
        order by a.completed_at desc, a.id desc limit ${take}),
      reported as (
        select json_build_object('id', null, 'position', r.place, 'build_run_id', r.build_run_id::text, 'name', r.item ->> 'name', 'size_bytes', r.item -> 'size_bytes',
            'sha256', null, 'url', coalesce(r.item ->> 'url', ''), 'created_at', null) as item,
          ${REPORTED_AT} as key_at, '00000000-0000-0000-0000-000000000000'::uuid as key_id
        from (
          select b.id as build_run_id, r.item, r.place from build_runs b, jsonb_array_elements(b.artifacts) with ordinality r (item, place)
          where (select count(*) from uploads) < ${take} and b.account_id = ${account_id} and b.id = ${buildId}
          ${isNamedLike(sql`r.item ->> 'name'`, name)} ${when(cursor, (key) => sql`and r.place > ${placeOf(key)}`)}
          and r.item ->> 'name' not in (
            select a.name from artifacts a where a.account_id = ${account_id} and a.build_run_id = ${buildId} and a.completed_at is not null)
          order by r.place limit ${take}) r)
      select * from (select * from uploads union all select * from reported) x order by key_at desc, key_id desc limit ${take}`,
  })
  return { artifacts: JSON.parse(items), ...page }
}
