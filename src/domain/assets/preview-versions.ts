import { type Database, type Sql, sql } from '../../db/database.ts'
import type { ProjectKey } from '../../db/project-key.ts'
import { assetFiles, type ChangedFile } from './changed-files.ts'

/** The columns of a preview but its version. */
const REST = sql`
  account_id, project_id, asset_id, change_id, state, kind, reason, source, placeholder, width, height, small_sha256, small_bytes, large_sha256,
  large_bytes, original_sha256, original_bytes, original_type, created_at, updated_at`

/**
 * Moves previews to the numbers in `shifts` (asset_id, version, moved_to): written again, because no two of an asset may have one number at
 * any time. Sorted, so that all of them are deleted before the first is written.
 */
const moving = (accountId: number) => sql`
  taken as (
    delete from previews p using shifts s where p.account_id = ${accountId} and p.asset_id = s.asset_id and p.version = s.version
    returning p.*, s.moved_to),
  put_back as (
    insert into previews (version, ${REST}) select moved_to, ${REST} from taken where moved_to > 0 order by asset_id, moved_to)`

/**
 * An import reports versions that came before known ones: these get higher numbers, and their previews with them. Materialized: a young table
 * looks as if it had one preview, and the numbers would be found again for each.
 */
export const movePreviews = ({ account_id, project_id }: ProjectKey, touches: readonly object[]): Sql => sql`
  shifts as materialized (
    select p.asset_id, p.version, p.version + count(distinct w.id)::integer as moved_to
    from jsonb_to_recordset(${JSON.stringify(touches)}::jsonb) as t (identifier text, path text)
    join written w on w.identifier = t.identifier and w.news
    join assets a on a.account_id = ${account_id} and a.project_id = ${project_id} and a.path = t.path
    join previews p on p.account_id = a.account_id and p.asset_id = a.id
    left join changes c on c.account_id = p.account_id and c.id = p.change_id
    where c.id is null or c.timestamp > w.timestamp
    group by p.asset_id, p.version),
  ${moving(account_id)}`

/** The same in reverse: deleted changes take their versions with them. Previews of those versions are deleted. */
export async function lowerPreviews(
  db: Database,
  { account_id, project_id }: ProjectKey,
  gone: readonly { files: ChangedFile[] | null; timestamp: string }[],
) {
  const touches = gone.flatMap((change) =>
    [...new Set(assetFiles(change).map(({ path }) => path))].map((path) => ({ path, timestamp: change.timestamp })),
  )
  if (touches.length === 0) return
  await db.execute(sql`
    with shifts as materialized (
      select p.asset_id, p.version, p.version - count(*)::integer as moved_to
      from jsonb_to_recordset(${JSON.stringify(touches)}::jsonb) as t (path text, timestamp timestamptz)
      join assets a on a.account_id = ${account_id} and a.project_id = ${project_id} and a.path = t.path
      join previews p on p.account_id = a.account_id and p.asset_id = a.id
      left join changes c on c.account_id = p.account_id and c.id = p.change_id
      where c.id is null or c.timestamp > t.timestamp
      group by p.asset_id, p.version),
    ${moving(account_id)}
    select 1`)
}
