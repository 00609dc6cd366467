import { type Database, join, raw, type Sql, sql } from '../../db/database.ts'
import type { ProjectKey } from '../../db/project-key.ts'
import { assetFiles, type ChangedFile } from './changed-files.ts'

/** The columns that hold the number of an asset's version, by table. A test compares them with the schema. */
export const VERSION_COLUMNS = { previews: 'version', comments: 'asset_version', approvals: 'asset_version' } as const

/** The columns of a preview but its version. */
const REST = sql`
  account_id, project_id, asset_id, change_id, state, kind, reason, source, placeholder, width, height, small_sha256, small_bytes, large_sha256,
  large_bytes, original_sha256, original_bytes, original_type, created_at, updated_at`

/** The numbers that something of the asset `m` has. */
const held = (accountId: number) => sql`
  ${join(
    Object.entries(VERSION_COLUMNS).map(
      ([table, column]) => sql`
        select h.${raw(column)} as version from ${raw(table)} h
        where h.account_id = ${accountId} and h.asset_id = m.asset_id and h.${raw(column)} is not null`,
    ),
    ' union ',
  )}
  union select (u.one ->> 'asset_version')::integer from approvals h, jsonb_array_elements(h.undone) u (one)
    where h.account_id = ${accountId} and h.asset_id = m.asset_id`

/** The versions of the asset `m` whose change is known, with its time: by a picture, a request, or because it is the newest. */
const dated = (accountId: number) => sql`
  select p.version, c.timestamp from previews p
    cross join lateral (select c.timestamp from changes c where c.account_id = ${accountId} and c.id = p.change_id offset 0) c
    where p.account_id = ${accountId} and p.asset_id = m.asset_id
  union all
  select a.asset_version, c.timestamp from approvals a
    cross join lateral (select c.timestamp from changes c
      where c.account_id = ${accountId} and c.project_id = a.project_id and c.identifier = a.commit_sha offset 0) c
    where a.account_id = ${accountId} and a.asset_id = m.asset_id and a.commit_sha <> ''
  union all
  select s.version, c.timestamp from assets s
    cross join lateral (select c.timestamp from changes c where c.account_id = ${accountId} and c.id = s.last_change_id offset 0) c
    where s.account_id = ${accountId} and s.id = m.asset_id`

/**
 * Moves what has the number of a later version by the number of versions in `made` (asset_id, timestamp). A version whose change is unknown
 * is at most as late as the next one that is known. Pictures of one asset never share a number; those of no version any more are deleted.
 * Rows are found step by step: planned while these tables are young, joins would compare all previews with all changes.
 */
const renumbering = (accountId: number, made: Sql, sign: Sql) => sql`
  made_versions as materialized (select v.asset_id, array_agg(v.timestamp) as times from (${made}) v group by v.asset_id),
  new_numbers as materialized (
    select m.asset_id, n.version, n.version ${sign} (
        select count(*) from unnest(m.times) t (at) where coalesce(t.at < (
          select min(d.timestamp) from (${dated(accountId)}) d where d.version >= n.version), true)) as number,
      exists (select from previews p where p.account_id = ${accountId} and p.asset_id = m.asset_id and p.version = n.version) as has_picture
    from made_versions m cross join lateral (${held(accountId)}) n),
  version_places as (
    select *, row_number() over (partition by asset_id, has_picture and number > 0 order by version) as place from new_numbers),
  version_moves as materialized (
    select asset_id, version, number > 0 as is_left, moved_to from (
      select *, case when has_picture and number > 0
        then place + max(number - place) over (partition by asset_id, has_picture and number > 0 order by version)
        else greatest(number, 1) end::integer as moved_to from version_places) n
    where moved_to <> version or number < 1),
  renumbered_comments as (
    update comments c set asset_version = s.moved_to from version_moves s
    where c.account_id = ${accountId} and c.asset_id = any (array(select asset_id from version_moves)) and c.asset_id = s.asset_id
      and c.asset_version = s.version and s.moved_to <> s.version),
  renumbered_approvals as (
    update approvals a set updated_at = now(), asset_version = coalesce(
        (select s.moved_to from version_moves s where s.asset_id = a.asset_id and s.version = a.asset_version), a.asset_version),
      undone = (
        select coalesce(jsonb_agg(case when s.moved_to is null then u.one else jsonb_set(u.one, '{asset_version}', to_jsonb(s.moved_to)) end
          order by u.place), '[]')
        from jsonb_array_elements(a.undone) with ordinality u (one, place)
        left join version_moves s on s.asset_id = a.asset_id and s.version = (u.one ->> 'asset_version')::integer)
    where a.account_id = ${accountId} and a.asset_id = any (array(select asset_id from version_moves)) and (a.undone <> '[]' or exists (
      select from version_moves s where s.asset_id = a.asset_id and s.version = a.asset_version and s.moved_to <> s.version))),
  taken_previews as (
    delete from previews p using version_moves s
    where p.account_id = ${accountId} and p.asset_id = any (array(select asset_id from version_moves)) and p.asset_id = s.asset_id
      and p.version = s.version
    returning p.*, s.moved_to, s.is_left),
  -- Written again, because no two of an asset may have one number at any time; sorted, so that all are deleted before the first is written.
  put_back_previews as (
    insert into previews (version, ${REST}) select moved_to, ${REST} from taken_previews where is_left order by asset_id, moved_to)`

/** The asset of each row of `t`, by its path. */
const assetOf = ({ account_id, project_id }: ProjectKey) => sql`
  cross join lateral (
    select a.id from assets a where a.account_id = ${account_id} and a.project_id = ${project_id} and a.path = t.path and a.path <> '' offset 0) a`

/** An import reports versions that came before known ones: these get higher numbers, and what hangs on them moves with them. */
export const raiseVersions = (owner: ProjectKey, touches: readonly object[]): Sql =>
  renumbering(
    owner.account_id,
    sql`
      select distinct a.id as asset_id, w.id, w.timestamp
      from jsonb_to_recordset(${JSON.stringify(touches)}::jsonb) as t (identifier text, path text)
      join written w on w.identifier = t.identifier and w.news ${assetOf(owner)}`,
    sql`+`,
  )

/** A change that is about to be deleted. */
export interface Gone {
  id: number
  files: ChangedFile[] | null
  timestamp: string
}

/** The same in reverse, before changes are deleted with their versions. Their previews are deleted. */
export async function lowerVersions(db: Database, owner: ProjectKey, gone: readonly Gone[]) {
  const touches = gone.flatMap((change) =>
    [...new Set(assetFiles(change).map(({ path }) => path))].map((path) => ({ path, timestamp: change.timestamp })),
  )
  if (touches.length === 0) return
  await db.execute(sql`
    delete from previews where account_id = ${owner.account_id} and change_id = any (${gone.map(({ id }) => id)}::bigint[])`)
  const made = sql`
    select a.id as asset_id, t.timestamp
    from jsonb_to_recordset(${JSON.stringify(touches)}::jsonb) as t (path text, timestamp timestamptz) ${assetOf(owner)}`
  await db.execute(sql`with ${renumbering(owner.account_id, made, sql`-`)} select 1`)
}
