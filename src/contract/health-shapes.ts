import { type Static, Type } from 'typebox'
import { flag, idText, instant, integer, nullable, object, oneOf, ownText, text } from './fields.ts'
import { BreakageCost } from './routes/build-cost.ts'
import * as sets from './sets.ts'
import { Investigation } from './shapes.ts'

/** The state of branches, breakages and their owners. */

export const changeReference = object({ id: integer, identifier: text, display_identifier: text, timestamp: instant })
const branchJob = {
  name: text,
  state: oneOf(sets.BRANCH_STATES),
  building: flag,
  red_since: nullable(instant),
  last_build_id: nullable(idText),
}
const branchRun = object({
  id: idText,
  status: oneOf(sets.BUILD_STATUSES),
  /** What it counts as for the branch. */
  verdict: nullable(oneOf(sets.BUILD_VERDICTS)),
  build_number: text,
  commit_hash: text,
  changelist: text,
  lost_at: nullable(instant),
  at: instant,
})
const branch = {
  name: text,
  /** A deleted branch is listed for one more day. */
  deleted_at: nullable(instant),
  state: oneOf(sets.BRANCH_STATES),
  red_since: nullable(instant),
  head: nullable(changeReference),
  last_known_good: nullable(changeReference),
  /** The person who marked it as good and the reason; null if its jobs passed. */
  marked_good: nullable(object({ user_id: nullable(integer), reason: text, marked_at: instant })),
  /** The jobs that keep later changes from being good. */
  held_back_by: Type.Array(text),
  /** At most `BEHIND_MAX`. */
  changes_behind: nullable(integer),
  /** The median duration of its breakages of the last thirty days; null if none was fixed. */
  time_to_green_seconds: nullable(integer),
}
const BranchJob = object(branchJob)
export type BranchJob = Static<typeof BranchJob>
export const Branch = object({ ...branch, jobs: Type.Array(BranchJob) })
export type Branch = Static<typeof Branch>
export const BranchHealth = object({
  ...branch,
  jobs: Type.Array(object({ ...branchJob, runs: Type.Array(branchRun) })),
})
export type BranchHealth = Static<typeof BranchHealth>

/** The range of the fix: after the first change, up to the second. */
const fixRange = { fixed_after_change: nullable(changeReference), fixed_up_to_change: nullable(changeReference) }

const breakage = {
  id: idText,
  project_id: idText,
  state: oneOf(sets.BREAKAGE_STATES),
  flaky: flag,
  branch: nullable(text),
  category: nullable(oneOf(sets.FAILURE_CATEGORIES)),
  confidence: nullable(oneOf(sets.CONFIDENCES)),
  cause: text,
  suggested_fix: text,
  evidence: Investigation.properties.evidence,
  suspects: Investigation.properties.suspects,
  jobs: Type.Array(text),
  /** As its builds were reported. */
  platforms: Type.Array(text),
  build_count: integer,
  first_build_id: nullable(idText),
  last_build_id: nullable(idText),
  last_good_change: nullable(changeReference),
  first_bad_change: nullable(changeReference),
  owner_user_id: nullable(integer),
  claimed_at: nullable(instant),
  muted_until: nullable(instant),
  fixed_by_change: nullable(changeReference),
  ...fixRange,
  fixed_at: nullable(instant),
  reopened_count: integer,
  withdrawn_reason: nullable(oneOf(sets.WITHDRAWN_REASONS)),
  same_as_breakage_id: nullable(idText),
  task_id: nullable(integer),
  opened_at: instant,
  last_seen_at: instant,
  updated_at: instant,
  urls: object({ web: ownText }),
}
export const Breakage = object(breakage)
export type Breakage = Static<typeof Breakage>
/** The newest search for the change that caused a breakage. */
const Bisection = object({
  id: idText,
  status: oneOf(sets.BISECTION_STATUSES),
  job: text,
  change_count: integer,
  /** How many of them can still be the cause. */
  remaining_count: integer,
  found_change: nullable(changeReference),
  probability: nullable(Type.Number()),
  reason: nullable(text),
  /** Its cost: oldest first. */
  builds: Type.Array(
    object({
      number: integer,
      build_id: nullable(idText),
      change: nullable(changeReference),
      verdict: nullable(oneOf(sets.BISECTION_VERDICTS)),
      duration_seconds: nullable(integer),
    }),
  ),
  duration_seconds: integer,
  /** Until when it waits because the builds of the day are used up. */
  waits_until: nullable(instant),
  user_id: nullable(integer),
  started_at: instant,
  finished_at: nullable(instant),
})
export type Bisection = Static<typeof Bisection>

export const BreakageDetail = object({
  ...breakage,
  cost: BreakageCost,
  bisection: nullable(Bisection),
  /** Whether a bisection can be started. */
  can_bisect: flag,
  /** Builds between its first and its newest ones that were not checked for passes: it may have been fixed and broken there. */
  builds_not_checked: integer,
  builds: Type.Array(
    object({
      id: idText,
      status: oneOf(sets.BUILD_STATUSES),
      ci_job_name: text,
      platform: nullable(text),
      build_number: text,
      branch: text,
      commit_hash: text,
      changelist: text,
      downstream: flag,
      created_at: instant,
    }),
  ),
  /** Newest first: each opening and reopening with its own range, suspects, owner and end. */
  occurrences: Type.Array(
    object({
      number: integer,
      opened_at: instant,
      first_build_id: nullable(idText),
      build_count: integer,
      last_good_change: nullable(changeReference),
      first_bad_change: nullable(changeReference),
      suspects: Investigation.properties.suspects,
      flickering: flag,
      owner_user_id: nullable(integer),
      claimed_at: nullable(instant),
      fixed_at: nullable(instant),
      fixed_by_change: nullable(changeReference),
      ...fixRange,
    }),
  ),
  history: Type.Array(
    object({ kind: oneOf(sets.BREAKAGE_HISTORY_KINDS), user_id: nullable(integer), detail: text, at: instant }),
  ),
})
export type BreakageDetail = Static<typeof BreakageDetail>

/** Whether a shelf, a pull request or a commit is at fault: its failures without those that the branch has already, and flaky ones. */
export const Preflight = object({
  verdict: oneOf(sets.PREFLIGHT_VERDICTS),
  /** All builds have ended, and failed ones are investigated. */
  settled: flag,
  /** Only builds of the newest commit count. Empty for a shelf. */
  commit: text,
  /** Empty if unknown. */
  target_branch: text,
  /** The newest build of each job; the one that decides the verdict first. */
  jobs: Type.Array(
    object({
      job: text,
      build_id: idText,
      verdict: oneOf(sets.PREFLIGHT_VERDICTS),
      reason: text,
      /** The breakage of the branch with the same cause. */
      breakage_id: nullable(idText),
      category: nullable(oneOf(sets.FAILURE_CATEGORIES)),
      evidence: nullable(text),
    }),
  ),
  /** What is broken on the branch already. */
  branch_breakages: Type.Array(object({ id: idText, cause: text })),
})

/** What a person corrected about the finding of a failed build; null where the finding was right. */
export const Correction = object({
  id: idText,
  project_id: idText,
  /** The build that was corrected; null after it was deleted. */
  build_run_id: nullable(idText),
  line: nullable(integer),
  line_text: nullable(text),
  category: nullable(oneOf(sets.CORRECT_CATEGORIES)),
  cause: nullable(text),
  cleared_change_ids: Type.Array(integer),
  user_id: nullable(integer),
  corrected_at: instant,
})
export type Correction = Static<typeof Correction>
