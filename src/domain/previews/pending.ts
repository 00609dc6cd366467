import { type Database, sql } from '../../db/database.ts'
import type { ProjectKey, RecordKey } from '../../db/project-key.ts'
import { together, turnOf } from '../accounts/isolation.ts'

/** Files whose content is fetched from a server; more types are read when they are uploaded. */
const FETCHED = /\.(?:uasset|umap|png|jpe?g|webp|gif|tga|psd|psb|hdr|exr|wav|ogg|opus|csv|ini|json|po)$/i
/** One file per actor of a level: thousands in a change, and nothing to see in any. */
const ACTORS = /\/__External(?:Actors|Objects)__\//

export const isFetched = (path: string): boolean => FETCHED.test(path) && !ACTORS.test(path)

/** Of one change, or of one delivery with several: those that somebody has to approve come first. */
const AT_ONCE = 500
/** Of a project: the newest are fetched. */
const PENDING_MAX = 2_000
const TOO_MANY = 'Too many files arrived at once. Upload a preview, or submit the file again.'
const SILENT = 'The server did not give the file for a day.'

/** New versions that a server can be asked for; returns whether there are any. */
export async function awaitFiles(
  db: Database,
  { account_id, project_id }: ProjectKey,
  changeIds: readonly number[],
  paths: readonly string[],
): Promise<boolean> {
  const fetched = [...new Set(paths.filter(isFetched))]
  if (fetched.length === 0) return false
  const added = await db.execute(sql`
    insert into previews (account_id, project_id, asset_id, version, change_id, state, reason)
    select a.account_id, a.project_id, a.id, a.version, a.last_change_id, case when a.place <= ${AT_ONCE} then 'pending' else 'none' end,
      case when a.place > ${AT_ONCE} then ${TOO_MANY} end
    from (
      select a.*, row_number() over (order by a.approval_status = 'pending' desc, a.path) as place from assets a
      where a.account_id = ${account_id} and a.project_id = ${project_id} and a.path = any (${fetched}::text[])
        and a.last_change_id = any (${changeIds}::bigint[])) a
    on conflict (account_id, asset_id, version) do nothing`)
  return added > 0
}

export interface PendingPreview {
  project_id: number
  asset_id: string
  version: number
  path: string
  /** The change that made the version. */
  identifier: string
}

/** The newest of a project are fetched; older ones of too many are given up. */
export const dropExcess = (db: Database, accountId: number, projectId: number) =>
  db.execute(sql`
    update previews set state = 'none', reason = ${TOO_MANY}, updated_at = now()
    where account_id = ${accountId} and state = 'pending' and (asset_id, version) in (
      select p.asset_id, p.version from previews p where p.account_id = ${accountId} and p.project_id = ${projectId} and p.state = 'pending'
      order by p.created_at desc, p.asset_id offset ${PENDING_MAX})`)

/** The newest that changes of an integration left. */
export const nextPending = (
  db: Database,
  { account_id, id }: RecordKey,
  projectId: number,
): Promise<PendingPreview | undefined> =>
  db.one<PendingPreview>(sql`
    select p.project_id, p.asset_id, p.version, a.path, c.identifier
    from previews p
    join assets a on a.account_id = p.account_id and a.id = p.asset_id
    join changes c on c.account_id = p.account_id and c.id = p.change_id and c.integration_id = ${id}
    where p.account_id = ${account_id} and p.project_id = ${projectId} and p.state = 'pending'
    order by p.created_at desc, a.approval_status = 'pending' desc, p.asset_id limit 1`)

/** There is none, for a reason; an upload that came meanwhile stays. */
export const giveUp = (db: Database, accountId: number, { asset_id, version }: PendingPreview, reason: string) =>
  db.execute(sql`
    update previews set state = 'none', reason = ${reason}, updated_at = now()
    where account_id = ${accountId} and asset_id = ${asset_id} and version = ${version} and state = 'pending'`)

/** Of servers that were silent, and of integrations that were deleted. */
export async function giveUpOld(db: Database) {
  const isOld = sql`state = 'pending' and created_at < now() - interval '1 day'`
  const due = await db.rows<{ account_id: number }>(sql`select distinct account_id from previews where ${isOld}`, {
    across: true,
  })
  const turn = await turnOf(
    db,
    'give_up_previews',
    due.map(({ account_id }) => account_id),
  )
  await together(db, 'give_up_previews', turn, (ids) =>
    db.execute(
      sql`update previews set state = 'none', reason = ${SILENT}, updated_at = now() where account_id = any (${ids}::integer[]) and ${isOld}`,
      { across: true },
    ),
  )
}
