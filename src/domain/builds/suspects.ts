import { type Database, sql } from '../../db/database.ts'
import type { Candidate } from '../../diagnosis/finding.ts'
import { masksOf } from '../../diagnosis/stages/masks.ts'
import { COUNTS } from '../accounts/connected-accounts.ts'
import { scrub } from '../privacy/scrub.ts'
import { PASSED } from './statuses.ts'

/** A build under investigation. */
export interface Case {
  build_run_id: number
  project_id: number
  account_id: number
  ci_job_name: string
  branch: string
  commit_hash: string
  changelist: string
  output_log: string
  began_at: string
}

interface Passed {
  id: number
  began_at: string
  commit_hash: string
  changelist: string
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
  passed: Passed | undefined
}

const CANDIDATES_MAX = 200
const PASSED_LOGS = 3

const sameJob = (it: Case) => sql`
  b.project_id = ${it.project_id} and b.ci_job_name = ${it.ci_job_name} and b.branch = ${it.branch} and b.id <> ${it.build_run_id}
  and b.status in ${PASSED} and coalesce(b.started_at, b.created_at) <= ${it.began_at}`

/** What the last passed logs of the same job say too is no reason for this one to fail. */
export const passedMasks = async (db: Database, it: Case): Promise<Set<string>[]> =>
  (
    await db.rows<{ output_log: string }>(sql`
      select b.output_log from build_runs b where ${sameJob(it)} and b.output_log is not null
      order by b.created_at desc, b.id desc limit ${PASSED_LOGS}`)
  ).map(({ output_log }) => masksOf(output_log))

/** Who made a change that no tool tied to a user: the member whose confirmed address, or whose name in that version control, its author is. */
const AUTHOR = sql`coalesce(c.author_user_id,
  (select u.id from users u join account_members m on m.user_id = u.id and m.account_id = c.account_id
    where u.email_verified and lower(u.email) = lower(substring(c.author from '[^\\s<>()"]+@[^\\s<>()"]+'))),
  (select a.user_id from connected_accounts a join account_members m on m.user_id = a.user_id and m.account_id = c.account_id
    where lower(a.uid) = lower(c.author) and ${COUNTS} and a.provider = any (case c.source_type when 'Changelist' then array['perforce']
      when 'AssetCommit' then array['lore'] else array['github', 'diversion'] end) limit 1))`

/** The changes that went into this build and not into the last one that passed on the same job and branch. */
export async function suspectsOf(db: Database, it: Case): Promise<Suspects> {
  const passed = await db.one<Passed>(sql`
    select b.id, coalesce(b.started_at, b.created_at) as began_at, b.commit_hash, b.changelist from build_runs b where ${sameJob(it)}
    order by coalesce(b.started_at, b.created_at) desc, b.id desc limit 1`)
  // A build may name a commit and a changelist: it holds both, and all that is older.
  const newest = ({ commit_hash, changelist }: Pick<Case, 'commit_hash' | 'changelist'>) => sql`
    select max(timestamp) as timestamp from changes
    where project_id = ${it.project_id} and identifier in (${commit_hash}, ${changelist}) and identifier <> ''`
  const rows = await db.rows<CandidateRow>(sql`
    with mine as (${newest(it)}), last as (${newest(passed ?? { commit_hash: '', changelist: '' })})
    select c.id, c.author, ${AUTHOR} as author_user_id, c.timestamp, c.description, c.files from changes c
    where c.project_id = ${it.project_id} and c.orphaned_at is null and c.branch in ('', ${it.branch})
      and c.timestamp <= coalesce((select timestamp from mine), ${it.began_at}::timestamptz)
      and c.timestamp >= coalesce((select timestamp from last), ${passed?.began_at ?? null}::timestamptz, '-infinity')
      and c.identifier not in (${passed?.commit_hash ?? ''}, ${passed?.changelist ?? ''})
    order by c.timestamp desc, c.id desc limit ${CANDIDATES_MAX}`)
  return {
    passed,
    users: new Map(rows.map((row) => [String(row.id), row.author_user_id])),
    candidates: rows.map((row) => ({
      id: String(row.id),
      // One person under two names is one person; without a user the name must do.
      author: row.author_user_id === null ? `author:${row.author}` : `user:${row.author_user_id}`,
      timestamp: row.timestamp,
      subject: scrub(row.description),
      files: row.files ?? [],
    })),
  }
}
