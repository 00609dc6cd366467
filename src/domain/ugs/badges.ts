import type { UgsBadgeState } from '../../contract/sets.ts'
import { type Database, sql } from '../../db/database.ts'

/** The key of all Unreal Game Sync data: a change, below a path, in a project. */
export interface UgsChange {
  account_id: number
  project_id: number
  path: string
  change: number
}

export interface Badge {
  name: string
  state: UgsBadgeState
  url: string
}

/** Sets a badge on a change; replaces one of the same name. Badges of our own builds are written by the database, see `ugs_badge_build`. */
export const post = (db: Database, { account_id, project_id, path, change }: UgsChange, { name, state, url }: Badge) =>
  db.execute(sql`
    with touched as materialized (select ugs_touch(${account_id}::integer, ${project_id}::integer, ${path}, ${change}::integer) as sequence)
    insert into ugs_badges (account_id, project_id, path, change, name, state, url, sequence)
    select ${account_id}, ${project_id}, ${path}, ${change}, ${name}, ${state}, ${url}, sequence from touched
    on conflict (account_id, project_id, path, change, name)
      do update set state = excluded.state, url = excluded.url, build_run_id = null, sequence = excluded.sequence`)
