import { type Database, type Sql, sql } from '../../db/database.ts'
import type { ProjectKey } from '../../db/project-key.ts'
import { assetFiles, type ChangedFile } from './changed-files.ts'

/** The columns of a preview but its version. */
const REST = sql`
  account_id, project_id, asset_id, change_id, state, kind, reason, source, placeholder, width, height, small_sha256, small_bytes, large_sha256,
  large_bytes, original_sha256, original_bytes, original_type, created_at, updated_at`

/**
 * Moves the previews of later versions by the number of versions in `made` (asset_id, timestamp). They are written again, because no two of an
 * asset may have one number at any time; sorted, so that all of them are deleted before the first is written. The rows are found step by step:
 * planned while these tables are young, joins would compare all previews with all previews and all changes.
 */
const moving = (accountId: number, made: Sql, sign: Sql) => sql`
  shifts as materialized (
    select p.asset_id, p.version, p.version ${sign} count(*)::integer as moved_to
    from (${made}) m
    cross join lateral (select p.* from previews p where p.account_id = ${accountId} and p.asset_id = m.asset_id offset 0) p
    left join lateral (select c.timestamp from changes c where c.account_id = ${accountId} and c.id = p.change_id offset 0) c on true
    where c.timestamp is null or c.timestamp > m.timestamp
    group by p.asset_id, p.version),
  taken as (
    delete from previews p using shifts s
    where p.account_id = ${accountId} and p.asset_id = any (array(select asset_id from shifts)) and p.asset_id = s.asset_id and p.version = s.version
    returning p.*, s.moved_to),
  put_back as (
    insert into previews (version, ${REST}) select moved_to, ${REST} from taken where moved_to > 0 order by asset_id, moved_to)`

/** The asset of each row of `t`, by its path. */
const assetOf = ({ account_id, project_id }: ProjectKey) => sql`
  cross join lateral (
    select a.id from assets a where a.account_id = ${account_id} and a.project_id = ${project_id} and a.path = t.path and a.path <> '' offset 0) a`

/** An import reports versions that came before known ones: these get higher numbers, and their previews with them. */
export const movePreviews = (owner: ProjectKey, touches: readonly object[]): Sql =>
  moving(
    owner.account_id,
    sql`
      select distinct a.id as asset_id, w.id, w.timestamp
      from jsonb_to_recordset(${JSON.stringify(touches)}::jsonb) as t (identifier text, path text)
      join written w on w.identifier = t.identifier and w.news ${assetOf(owner)}`,
    sql`+`,
  )

/** The same in reverse: deleted changes take their versions with them. Previews of those versions are deleted. */
export async function lowerPreviews(
  db: Database,
  owner: ProjectKey,
  gone: readonly { files: ChangedFile[] | null; timestamp: string }[],
) {
  const touches = gone.flatMap((change) =>
    [...new Set(assetFiles(change).map(({ path }) => path))].map((path) => ({ path, timestamp: change.timestamp })),
  )
  if (touches.length === 0) return
  const made = sql`
    select a.id as asset_id, t.timestamp
    from jsonb_to_recordset(${JSON.stringify(touches)}::jsonb) as t (path text, timestamp timestamptz) ${assetOf(owner)}`
  await db.execute(sql`with ${moving(owner.account_id, made, sql`-`)} select 1`)
}
