import { UGS_BADGE_STATES, UGS_EVENT_TYPES, type UgsEventType, type UgsVote } from '../../contract/sets.ts'
import { type Database, type Sql, sql } from '../../db/database.ts'
import { inlineInteger } from '../../db/page.ts'
import { type BadgeRow, shownBadge } from './metadata.ts'
import { pathsAbove } from './paths.ts'
import type { UserMetadata } from './user-metadata.ts'

/** Version 1 of the protocol: lists that clients follow by the highest id they have seen, which is our sequence. */

interface Since {
  account_id: number
  project_id: number
  path: string
  /** The highest id the client has. */
  last: number
}

interface Position {
  path: string
  change: number
  sequence: number
}

const ROWS_MAX = 5_000

/** Rows of a table written after the last one seen, in that order. */
const after = <Row>(db: Database, table: Sql, columns: Sql, { account_id, project_id, path, last }: Since) =>
  db.rows<Row & Position>(sql`
    select r.path, r.change, r.sequence, ${columns}
    from ugs_changes c join ${table} r using (account_id, project_id, path, change)
    where c.account_id = ${account_id} and c.project_id = ${project_id} and c.path = any (${pathsAbove(path)}::text[])
      and c.sequence > ${last} and r.sequence > ${last}
    order by r.sequence limit ${inlineInteger(ROWS_MAX)}`)

export async function builds(db: Database, site: string, asked: Since) {
  const rows = await after<BadgeRow>(db, sql`ugs_badges`, sql`r.name, r.state, r.url, r.build_run_id`, asked)
  return rows.map((row) => {
    const { Name, Url } = shownBadge(row, site, asked.project_id)
    return {
      Id: row.sequence,
      Project: row.path,
      ChangeNumber: row.change,
      BuildType: Name,
      Result: UGS_BADGE_STATES.indexOf(row.state),
      Url,
      ArchivePath: '',
    }
  })
}

export async function comments(db: Database, asked: Since) {
  const rows = await after<{ user: string; comment: string | null }>(
    db,
    sql`ugs_user_metadata`,
    sql`r.user_name as user, nullif(r.comment, '') as comment`,
    asked,
  )
  return rows.flatMap(({ path, change, sequence, user, comment }) =>
    comment === null ? [] : [{ Id: sequence, Project: path, ChangeNumber: change, UserName: user, Text: comment }],
  )
}

interface MetadataRow {
  user: string
  synced: boolean
  vote: UgsVote | null
  starred: boolean | null
  investigating: boolean | null
}

export async function events(db: Database, asked: Since) {
  const rows = await after<MetadataRow>(
    db,
    sql`ugs_user_metadata`,
    sql`r.user_name as user, r.synced_at is not null as synced, r.vote, r.starred, r.investigating`,
    asked,
  )
  return rows.flatMap(({ path, change, sequence, user, ...metadata }) =>
    UGS_EVENT_TYPES.filter((type) => isTrueOf(EVENTS[type], metadata)).map((type) => ({
      Id: sequence,
      Project: path,
      Change: change,
      UserName: user,
      Type: UGS_EVENT_TYPES.indexOf(type),
    })),
  )
}

const isTrueOf = (event: Omit<UserMetadata, 'user'>, metadata: Omit<MetadataRow, 'user'>) =>
  Object.entries(event).every(([field, value]) => metadata[field as keyof typeof metadata] === value)

/** Each event in terms of version 2. */
export const EVENTS: Record<UgsEventType, Omit<UserMetadata, 'user'>> = {
  Syncing: { synced: true },
  Compiles: { vote: 'CompileSuccess' },
  DoesNotCompile: { vote: 'CompileFailure' },
  Good: { vote: 'Good' },
  Bad: { vote: 'Bad' },
  Unknown: { vote: 'None' },
  Starred: { starred: true },
  Unstarred: { starred: false },
  Investigating: { investigating: true },
  Resolved: { investigating: false },
}
