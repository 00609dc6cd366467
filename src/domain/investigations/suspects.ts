import { CHANGE_SOURCES } from '../../contract/sets.ts'
import { type Database, join, sql } from '../../db/database.ts'
import type { Candidate } from '../../diagnosis/finding.ts'
import { COUNTS } from '../accounts/connected-accounts.ts'
import { lastPassed, type Placed, placed } from '../builds/positions.ts'
import { rangeBetween } from '../builds/range.ts'
import { scrub } from '../privacy/scrub.ts'

/** A build under investigation. */
export interface Case {
  build_run_id: number
  project_id: number
  account_id: number
  ci_job_name: string
  /** As it was told, else that of its change; empty where nobody knows. */
  branch: string
  commit_hash: string
  changelist: string
  began_at: string
}

interface CandidateRow {
  id: number
  author: string
  author_user_id: number | null
  timestamp: string
  description: string
  files: { path: string; action: string }[] | null
}

export interface Suspects {
  candidates: Candidate[]
  /** Who made which change, by its id. */
  users: Map<string, number | null>
  passed: Pick<Placed, 'began_at'> | undefined
  /** Whether they were found by their place on the build's branch; else by time alone. */
  placed: boolean
}

const CANDIDATES_MAX = 200

const SOURCES = join(Object.entries(CHANGE_SOURCES).map(([provider, source]) => sql`(${provider}, ${source})`))

/** Who made a change that no tool tied to a user: the member whose confirmed address, or whose name in that version control, its author is. */
const AUTHOR = sql`coalesce(c.author_user_id,
  (select u.id from users u join account_members m on m.user_id = u.id and m.account_id = c.account_id
    where u.email_verified and lower(u.email) = lower(substring(c.author from '[^\\s<>()"]+@[^\\s<>()"]+'))),
  (select a.user_id from connected_accounts a join account_members m on m.user_id = a.user_id and m.account_id = c.account_id
    where lower(a.uid) = lower(c.author) and ${COUNTS} and (a.provider, c.source_type) in (${SOURCES}) limit 1))`

/** The changes that went into this build and not into the last one that passed on the same job and branch. */
export async function suspectsOf(db: Database, it: Case): Promise<Suspects> {
  const build = (await placed(db, { ...it, id: it.build_run_id }))!
  const passed = await lastPassed(db, build)
  const { ids } = await rangeBetween(db, it, build, passed)
  const candidates = await db.rows<CandidateRow>(sql`
    select c.id, c.author, ${AUTHOR} as author_user_id, c.timestamp, c.description, c.files
    from unnest(${ids.slice(0, CANDIDATES_MAX)}::bigint[]) with ordinality held (id, place) join changes c on c.id = held.id
    order by held.place`)
  return {
    passed,
    placed: build.position !== null,
    users: new Map(candidates.map((row) => [String(row.id), row.author_user_id])),
    candidates: candidates.map((row) => ({
      id: String(row.id),
      // One person under two names is one person; without a user the name must do.
      author: row.author_user_id === null ? `author:${row.author}` : `user:${row.author_user_id}`,
      timestamp: row.timestamp,
      subject: scrub(row.description),
      files: row.files ?? [],
    })),
  }
}
