import type { BuildKind } from '../../contract/sets.ts'
import { type Database, sql } from '../../db/database.ts'
import type { Candidate } from '../../diagnosis/finding.ts'
import { changesNamed, lastPassed, type Placed, passesNear, placed } from '../branches/positions.ts'
import { type Writer, writersOf } from '../changes/writers.ts'
import { doubtedBetween, rangeBetween } from '../contents/range.ts'
import { scrub } from '../privacy/scrub.ts'

/** A build under investigation. */
export interface Case {
  build_run_id: number
  project_id: number
  account_id: number
  ci_job_name: string
  /** Its job with the platform and configuration, as `build_job` writes it. */
  job: string
  /** As reported, otherwise that of its change; empty if unknown. */
  branch: string
  /** Its CI says that it passed; its tests failed. */
  is_passed: boolean
  told_branch: string
  kind: BuildKind
  /** The target branch of a preflight; its own branch if unknown. */
  target_branch: string
  commit_hash: string
  changelist: string
  /** Empty if unknown. */
  agent: string
  created_at: string
  began_at: string
}

interface CandidateRow {
  id: number
  timestamp: string
  description: string
  files: { path: string; action: string }[] | null
  is_placed: boolean
}

export interface Suspects {
  candidates: Candidate[]
  /** The authors by change id. */
  users: Map<string, number | null>
  passed: Pick<Placed, 'id'> | undefined
  /** The positions between which they were searched; null if their place is unknown. */
  searched: Span | null
  /** Whether they were found by position on the build's branch; otherwise by time alone. */
  placed: boolean
  /** The job has passed at this same change, so no change is suspected. */
  hadPassed: boolean
  /** Changes in the range by time alone: without a known branch or files they name no suspect. */
  unplaced: ReadonlySet<string>
  /** What is uncertain about the range, in words. */
  notes: string[]
}

const CANDIDATES_MAX = 200

/** Changes above the first and up to the second position are considered. */
export interface Span {
  above: number
  up_to: number
}

/**
 * The changes of this build that are not in the last passed build of the same job and branch; for a preflight only its own. `span`: the range
 * that other builds have narrowed it to. `byTests`: it is the range of the failed tests, which may have failed in passed builds of the job.
 */
export async function suspectsOf(db: Database, it: Case, span?: Span, byTests = false): Promise<Suspects> {
  const build = (await placed(db, { ...it, id: it.build_run_id }))!
  const isPreflight = it.kind === 'preflight'
  const passed = isPreflight ? undefined : await lastPassed(db, build)
  const hadPassed =
    !isPreflight &&
    !byTests &&
    build.position !== null &&
    (await passesNear(db, build, build.branch)).some(({ position }) => position === build.position)
  const range = span && build.position !== null ? inSpan(build, span) : { to: build, since: passed }
  const { ids, has_more, notes } = isPreflight
    ? { ids: await ownChanges(db, it), has_more: false, notes: [] }
    : hadPassed
      ? { ids: [], has_more: false, notes: [] }
      : await rangeOf(db, it, range.to, range.since)
  const rows = await db.rows<CandidateRow>(sql`
    select c.id, c.timestamp, c.description, c.files, exists (
      select from change_branches p where p.account_id = c.account_id and p.change_id = c.id) as is_placed
    from unnest(${ids.slice(0, CANDIDATES_MAX)}::bigint[]) with ordinality held (id, place)
    join changes c on c.account_id = ${it.account_id} and c.id = held.id
    order by held.place`)
  const writers = await writersOf(
    db,
    it,
    rows.map(({ id }) => id),
  )
  return {
    passed,
    searched: isPreflight || range.to.position === null ? null : { above: range.since?.position ?? 0, up_to: range.to.position },
    placed: isPreflight || build.position !== null,
    hadPassed,
    unplaced: new Set(
      rows.flatMap(({ id, files, is_placed }) => (isPreflight || is_placed || files !== null ? [] : [String(id)])),
    ),
    notes: [...notes, ...uncheckedNotes(ids.length, has_more)],
    users: new Map(rows.map(({ id }) => [String(id), writers.get(id)!.user_id])),
    candidates: withoutMerged(rows).map((row) => ({
      id: String(row.id),
      author: authorOf(row.id, writers.get(row.id)!),
      timestamp: row.timestamp,
      subject: scrub(row.description),
      files: row.files ?? [],
    })),
  }
}

/** A cap must not look like an answer: one of the others may be the cause. */
const uncheckedNotes = (count: number, hasMore: boolean): string[] =>
  count > CANDIDATES_MAX
    ? [`The range has ${hasMore ? `more than ${count}` : count} changes: only the newest ${CANDIDATES_MAX} were checked.`]
    : []

/** The changes of a preflight: its shelf, or its commit if that is not on the target branch. The changelist it was synced to is not its own. */
const ownChanges = async (db: Database, it: Case): Promise<number[]> =>
  (
    await db.rows<{ id: number }>(sql`
      select c.id from build_runs b, ${changesNamed(sql`b.commit_hash`, sql`b.changelist`, sql`b.shelf`)}
      where b.account_id = ${it.account_id} and b.id = ${it.build_run_id} and (c.pending or c.source_type <> 'Changelist' and not exists (
        select from change_branches p where p.account_id = c.account_id and p.change_id = c.id and p.branch = branch_key(b.target_branch)))`)
  ).map(({ id }) => id)

const inSpan = (build: Placed, { above, up_to }: Span) => ({
  to: { ...build, position: up_to },
  since: { ...build, position: above },
})

/** Compares people by user, otherwise by name; an unknown person equals nobody. */
const authorOf = (id: number, { user_id, name }: Writer) =>
  user_id !== null ? `user:${user_id}` : name === '' ? `change:${id}` : `author:${name}`

async function rangeOf(
  db: Database,
  it: Case,
  build: Placed,
  passed: Placed | undefined,
): Promise<{ ids: number[]; has_more: boolean; notes: string[] }> {
  if (build.branch === '' && it.told_branch !== '')
    return {
      ids: [],
      has_more: false,
      notes: [`Branch unknown: the CI calls it “${it.told_branch}”, and that may be more than one. No change is suspected.`],
    }
  const { ids, has_more } = await rangeBetween(db, it, build, passed)
  const doubted = await doubtedBetween(db, it, build, passed)
  if (doubted.length === 0) return { ids, has_more, notes: [] }
  const count = doubted.length === 1 ? '1 change' : `${doubted.length} changes`
  return { ids, has_more, notes: [`A forced push may have replaced ${count} of the branch: not suspected.`] }
}

const MERGE = /^Merge (?:branch|branches|remote-tracking branch|pull request|tag|commit) /

/** A git merge lists the files of its commits again; it is not the cause of those changes. */
function withoutMerged(rows: readonly CandidateRow[]): CandidateRow[] {
  const own = new Set(
    rows.filter(({ description }) => !MERGE.test(description)).flatMap(({ files }) => (files ?? []).map(({ path }) => path)),
  )
  return rows.map((row) =>
    MERGE.test(row.description) ? { ...row, files: row.files?.filter(({ path }) => !own.has(path)) ?? null } : row,
  )
}
