import { assetTypeOf, type SourceType } from '../../contract/sets.ts'
import { type Database, sql } from '../../db/database.ts'
import { COUNTS } from '../accounts/connected-accounts.ts'
import type { Place } from '../integrations/place.ts'

/** A change as a tool tells it. */
export interface Submitted {
  source_type: SourceType
  identifier: string
  author: string
  author_uids: string[]
  description: string
  timestamp: string | null
  branch: string
  files: { path: string; action: string; size_bytes?: number }[] | null
}

export interface SubmittedRow {
  id: number
  identifier: string
  /** Its files were not known before: only then do they touch assets. */
  news: boolean
}

/** The same change told twice is one change; the later telling wins, and what it leaves out stays. All in one statement. */
export function submit(db: Database, place: Place, changes: Submitted[]): Promise<SubmittedRow[]> {
  // In one order everywhere, so that two deliveries with the same commits never wait for each other in a circle.
  const told = changes
    .toSorted((a, b) => (a.identifier < b.identifier ? -1 : 1))
    .map((change) => ({
      ...change,
      author_uids: change.author_uids.map((uid) => uid.toLowerCase()),
      asset_count: new Set(assetFiles(change).map((file) => file.path)).size,
    }))
  return db.rows<SubmittedRow>(sql`
    with told as (
      select * from jsonb_to_recordset(${JSON.stringify(told)}::jsonb)
        as t (source_type text, identifier text, author text, author_uids text[], description text, timestamp timestamptz, branch text,
          files jsonb, asset_count integer)),
    written as (
      insert into changes as c (account_id, project_id, integration_id, source_type, identifier, author, author_user_id, description,
        branch, timestamp, files, files_known_at, asset_count)
      select ${place.account_id}, ${place.project_id}, ${place.integration_id}, t.source_type, t.identifier, t.author,
        (select a.user_id from connected_accounts a join account_members m on m.user_id = a.user_id and m.account_id = ${place.account_id}
          where a.provider = ${place.provider} and lower(a.uid) = any (t.author_uids) and ${COUNTS}
          order by array_position(t.author_uids, lower(a.uid)) limit 1),
        t.description, t.branch, coalesce(t.timestamp, now()), nullif(t.files, 'null'), case when t.files <> 'null' then now() end, t.asset_count
      from told t
      on conflict (project_id, source_type, identifier) do update set
        author = case when excluded.author = '' then c.author else excluded.author end,
        author_user_id = coalesce(excluded.author_user_id, c.author_user_id),
        description = case when excluded.description = '' then c.description else excluded.description end,
        branch = case when c.branch = '' then excluded.branch else c.branch end,
        -- Now stands for a time nobody told.
        timestamp = case when excluded.timestamp = now()::timestamptz(3) then c.timestamp else excluded.timestamp end,
        files = coalesce(excluded.files, c.files),
        -- Never now, which stands for news: another transaction may have told them in this very millisecond.
        files_known_at = case when c.files is null then excluded.files_known_at
          else least(c.files_known_at, now() - interval '1 millisecond') end,
        asset_count = case when c.files is null then excluded.asset_count else c.asset_count end, orphaned_at = null, updated_at = now()
      returning c.id, c.identifier, coalesce(c.files_known_at = now()::timestamptz(3), false) as news)
    select * from written order by id`)
}

/** A forced push left this one behind. */
export const orphan = (db: Database, projectId: number, sourceType: SourceType, identifier: string) =>
  db.one<{ id: number }>(sql`
    update changes set orphaned_at = now(), updated_at = now()
    where project_id = ${projectId} and source_type = ${sourceType} and identifier = ${identifier} and orphaned_at is null
    returning id`)

/** A longer path fits into no index: its file is listed with the change and makes no asset. */
const PATH_MAX = 2_000
const DELETING = /delete|remove|purge|archive/i

/** The files of a change that are assets and are still there after it. */
export const assetFiles = (change: Submitted) =>
  (change.files ?? []).flatMap(({ path, action, size_bytes }) => {
    const asset_type = DELETING.test(action) || Buffer.byteLength(path) > PATH_MAX ? undefined : assetTypeOf(path)
    return asset_type === undefined ? [] : [{ path, asset_type, size_bytes: size_bytes ?? null }]
  })
