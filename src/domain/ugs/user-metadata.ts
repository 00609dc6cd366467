import type { UgsVote } from '../../contract/sets.ts'
import { type Database, sql } from '../../db/database.ts'
import type { UgsChange } from './badges.ts'

/** A user's metadata of a change; missing fields stay unchanged. */
export interface UserMetadata {
  user: string
  synced?: boolean
  vote?: UgsVote
  starred?: boolean
  investigating?: boolean
  /** Empty removes it. */
  comment?: string
}

export const update = (db: Database, { account_id, project_id, path, change }: UgsChange, metadata: UserMetadata) =>
  db.execute(sql`
    with touched as materialized (select ugs_touch(${account_id}::integer, ${project_id}::integer, ${path}, ${change}::integer) as sequence)
    insert into ugs_user_metadata as m (account_id, project_id, path, change, user_key, user_name, synced_at, vote, starred, investigating,
      comment, sequence)
    select ${account_id}, ${project_id}, ${path}, ${change}, ${metadata.user.toLowerCase()}, ${metadata.user},
      case when ${metadata.synced ?? false} then clock_timestamp() end, ${metadata.vote ?? null}, ${metadata.starred ?? null}::boolean,
      ${metadata.investigating ?? null}::boolean, ${metadata.comment ?? null}, sequence
    from touched
    on conflict (account_id, project_id, path, change, user_key) do update set user_name = excluded.user_name,
      synced_at = coalesce(excluded.synced_at, m.synced_at), vote = coalesce(excluded.vote, m.vote),
      starred = coalesce(excluded.starred, m.starred), investigating = coalesce(excluded.investigating, m.investigating),
      comment = coalesce(excluded.comment, m.comment), sequence = excluded.sequence`)
