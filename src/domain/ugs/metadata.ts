import { INTEGER_MAX } from '../../contract/limits.ts'
import { UGS_BADGE_STATES, type UgsBadgeState, type UgsVote } from '../../contract/sets.ts'
import { type Database, sql } from '../../db/database.ts'
import { inlineInteger } from '../../db/page.ts'
import { scrub } from '../privacy/scrub.ts'
import { pathsAbove } from './paths.ts'

export interface Request {
  account_id: number
  project_id: number
  /** The stream's path, and the project's path in it unless it is the stream's root. */
  path: string
  isRoot: boolean
  min?: number
  max?: number
  /** Only items written after it; absent or 0 for everything. */
  sequence?: number
}

/** As stock clients read it: an item replaces everything they know of a change and project. */
interface Item {
  Change: number
  /** Empty: for all projects of the stream. */
  Project: string
  Users: object[]
  Badges: object[]
}

interface Row {
  change: number
  shared: boolean
  sequence: number
  users: {
    user: string
    sync_time: number | null
    vote: UgsVote | null
    comment: string | null
    investigating: boolean | null
    starred: boolean | null
  }[]
  badges: BadgeRow[]
}

export interface BadgeRow {
  name: string
  state: UgsBadgeState
  url: string
  build_run_id: number | null
}

/** More than any client shows. One that follows the sequence gets the rest with its next polls. */
const ITEMS_MAX = 5_000

/** All metadata of the changes that were updated since, complete for each. */
export async function list(db: Database, site: string, asked: Request): Promise<{ SequenceNumber: number; Items: Item[] }> {
  const { account_id, project_id, path, isRoot, min = 0, max = INTEGER_MAX, sequence = 0 } = asked
  const here = sql`account_id = ${account_id} and project_id = ${project_id} and path = any (${pathsAbove(path)}::text[])`
  const shared = sql`(${isRoot} or path <> ${path})`
  const inRange = sql`change between ${min} and ${max}`
  // A range has no next poll: if there are too many, clients show the newest first.
  const order = asked.max === undefined ? sql`sequence` : sql`change desc`
  const rows = await db.rows<Row>(sql`
    with written as materialized (
      -- By one index or the other: a generic plan cannot know which of the two conditions is selective.
      select path, change, sequence from ugs_changes where ${here} and ${sequence > 0 ? sql`sequence > ${sequence}` : inRange}),
    touched as (
      select change, ${shared} as shared, max(sequence) as sequence from written where ${inRange}
      group by 1, 2 order by ${order} limit ${inlineInteger(ITEMS_MAX)})
    select t.change, t.shared, t.sequence,
      coalesce((select json_agg(json_build_object('name', name, 'state', state, 'url', url, 'build_run_id', build_run_id) order by sequence)
        from ugs_badges where ${here} and ${shared} = t.shared and change = t.change), '[]') as badges,
      coalesce((select json_agg(json_build_object('user', user_name, 'sync_time', (extract(epoch from synced_at) * 1000)::bigint,
          'vote', nullif(vote, 'None'), 'comment', nullif(comment, ''), 'investigating', investigating, 'starred', starred) order by sequence)
        from ugs_user_metadata where ${here} and ${shared} = t.shared and change = t.change), '[]') as users
    from touched t order by t.sequence`)
  // The client follows the highest number it has got; one from a range of old changes would make it miss newer ones.
  const seen = asked.max === undefined ? (rows.at(-1)?.sequence ?? sequence) : sequence
  return { SequenceNumber: seen, Items: rows.map((row) => itemOf(row, site, asked)) }
}

const itemOf = ({ change, shared, users, badges }: Row, site: string, { project_id, path }: Request): Item => ({
  Change: change,
  Project: shared ? '' : path,
  Users: users.map(({ user, sync_time, vote, comment, investigating, starred }) => ({
    User: user,
    SyncTime: sync_time,
    Vote: vote,
    Comment: comment,
    Investigating: investigating,
    Starred: starred,
  })),
  Badges: badges.map((badge) => ({ ...shownBadge(badge, site, project_id), State: UGS_BADGE_STATES.indexOf(badge.state) })),
})

/** A job name comes from a tool and is scrubbed; badges that were posted here are meant for their readers. */
export const shownBadge = ({ name, url, build_run_id }: BadgeRow, site: string, projectId: number) =>
  build_run_id === null
    ? { Name: name, Url: url }
    : { Name: scrub(name), Url: `${site}/projects/${projectId}/builds/${build_run_id}` }
