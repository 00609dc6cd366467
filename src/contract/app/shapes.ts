import { type Static, type TSchema, Type } from 'typebox'
import { flag, idText, instant, integer, nullable, object, oneOf, own, ownText, text, uuid } from '../fields.ts'
import { Branch, BranchHealth } from '../health-shapes.ts'
import { BRANCH_MAX, NAME_MAX } from '../limits.ts'
import { ApprovalRule } from '../routes/approval-rules.ts'
import { AgentPrices } from '../routes/build-cost.ts'
import { PreviewSummary } from '../routes/previews.ts'
import * as sets from '../sets.ts'
import { BuildRun, TaskDetail } from '../shapes.ts'
import { DIMENSION_MAX } from '../spellings/build-dimensions.ts'

/** Only for the web app: people by name, settings, secrets shown to their owners. */

export const Done = object({ ok: flag })

export const Welcome = object({
  first_run: flag,
  sign_up: flag,
  /** Whether emails are sent; otherwise operators read them here and pass on their links. */
  mailing: flag,
  version: text,
})

export const AccountSummary = object({
  id: integer,
  name: text,
  plan: oneOf(sets.PLANS),
  role: oneOf(sets.ACCOUNT_ROLES),
  timezone: text,
  demo: flag,
  payment_method: flag,
  trial_ends_at: nullable(instant),
  read_only: nullable(oneOf(sets.READ_ONLY_REASONS)),
  /** Null: unlimited. */
  credits: nullable(integer),
  /** The maximum age of a token with access to it; null: any age. */
  token_days_max: nullable(integer),
  /** Why it is blocked for them for now. */
  blocked: nullable(oneOf(sets.BLOCKED_REASONS)),
})
export type AccountSummary = Static<typeof AccountSummary>

export const ProjectSummary = object({
  id: integer,
  account_id: integer,
  name: text,
  engine: text,
  status: oneOf(sets.PROJECT_STATUSES),
  /** The caller's role in it, derived from the project and the account. */
  project_role: oneOf(sets.PROJECT_ROLES),
})
export type ProjectSummary = Static<typeof ProjectSummary>

export const Me = object({
  user: object({
    id: integer,
    name: text,
    email: text,
    email_verified: flag,
    operator: flag,
    default_account_id: nullable(integer),
  }),
  accounts: Type.Array(AccountSummary),
  projects: Type.Array(ProjectSummary),
  /** Whether the service meters accounts: without metering there is nothing to bill. */
  metering: flag,
})
export type Me = Static<typeof Me>

export const Person = object({ user_id: integer, name: text })
export const Member = object({
  user_id: integer,
  name: text,
  /** For owners and admins only. */
  email: nullable(text),
  role: oneOf(sets.ACCOUNT_ROLES),
  created_at: instant,
})

/** A member of a project. */
export const ProjectMember = object({
  user_id: integer,
  name: text,
  /** For owners and admins of the account only. */
  email: nullable(text),
  project_role: oneOf(sets.PROJECT_ROLES),
  created_at: instant,
})

export const ConnectedAccount = object({
  id: integer,
  provider: text,
  uid: text,
  found_by: oneOf(sets.NAME_SOURCES),
  /** Names of the caller's accounts in which an owner has not confirmed it yet. */
  unconfirmed_in: Type.Array(text),
  created_at: instant,
})

/** A member's name in another tool. */
export const MemberName = object({
  id: integer,
  user_id: integer,
  provider: text,
  uid: text,
  found_by: oneOf(sets.NAME_SOURCES),
  state: oneOf(sets.NAME_STATES),
  /** Null if the service decided, or if nobody has. */
  decided_by_user_id: nullable(integer),
  created_at: instant,
})

export const Session = object({
  id: integer,
  current: flag,
  ip_address: nullable(text),
  user_agent: nullable(text),
  created_at: instant,
  updated_at: instant,
  expires_at: instant,
})

export const Token = object({
  id: integer,
  name: text,
  prefix: text,
  scopes: Type.Array(oneOf(sets.SCOPES)),
  created_via: oneOf(sets.TOKEN_ORIGINS),
  /** Null: every account of its user; with projects, only these. */
  account_id: nullable(integer),
  project_ids: nullable(Type.Array(integer)),
  expires_at: nullable(instant),
  revoked_at: nullable(instant),
  last_used_at: nullable(instant),
  created_at: instant,
})

/** A token with access to an account, for its admins. */
export const AccountToken = object({ ...Token.properties, user_id: integer, user_name: text })

/** A token of Unreal Game Sync clients and their CI for one project. */
export const UgsToken = object({
  id: integer,
  project_id: integer,
  name: text,
  prefix: text,
  revoked_at: nullable(instant),
  created_at: instant,
})

export const MadeToken = object({
  kind: oneOf(sets.MADE_TOKEN_KINDS),
  id: integer,
  project_id: integer,
  name: text,
  /** The person who created it. */
  user_id: integer,
  created_at: instant,
})

const retentionOf = <S extends TSchema>(days: S) =>
  Object.fromEntries(sets.RETENTION_KINDS.map((kind) => [kind, days])) as Record<sets.RetentionKind, S>

export const Account = object({
  id: integer,
  name: text,
  plan: oneOf(sets.PLANS),
  timezone: text,
  demo: flag,
  payment_method: flag,
  trial_ends_at: nullable(instant),
  read_only: nullable(oneOf(sets.READ_ONLY_REASONS)),
  members_see_projects: flag,
  /** Whether the language model of the service, if it has one, rephrases findings. */
  uses_language_model: flag,
  /** The maximum age of a token with access to the account; null: any age. */
  token_days_max: nullable(integer),
  /**
   * Retention in days by kind; null: the service's, which is also the maximum. `artifact_builds`: how many of the newest builds of a job,
   * branch and platform keep their artifacts; null: all.
   */
  retention: object({ ...retentionOf(nullable(integer)), artifact_builds: nullable(integer) }),
  retention_max: object(retentionOf(nullable(integer))),
  /** Ranges that people and tokens may connect from; null: any. */
  allowed_addresses: nullable(Type.Array(text)),
  requires_second_factor: flag,
  share_policy: oneOf(sets.SHARE_POLICIES),
  share_days_max: integer,
  /** Whether share links work outside of the allowed addresses. */
  share_anywhere: flag,
  /** Null: unlimited. */
  credits: nullable(integer),
  /** Investigations a day: the limit, today's number, and the usage of the last 30 days, newest first. */
  daily_limit: integer,
  used_today: integer,
  usage: Type.Array(object({ day: text, investigations: integer, refunded: integer })),
  members: integer,
  projects: integer,
  created_at: instant,
})

export const QuotaUsage = object({
  kind: oneOf(sets.QUOTA_KINDS),
  used: nullable(integer),
  /** Null: unlimited. */
  limit: nullable(integer),
})

export const Invitation = object({
  id: integer,
  email: text,
  role: oneOf(sets.ACCOUNT_ROLES),
  /** The projects of a guest. */
  project_ids: Type.Array(integer),
  expires_at: instant,
  created_at: instant,
})

/** The jobs that matching branches must pass to be good; a star in the name matches any text. */
export const RequiredJobs = object({
  branch: Type.String({ minLength: 1, maxLength: BRANCH_MAX }),
  jobs: Type.Array(Type.String({ minLength: 1, maxLength: NAME_MAX }), { minItems: 1, maxItems: 100 }),
})

/** Platform and configuration of jobs with such a name; a star matches any text. */
export const JobPattern = object({
  pattern: Type.String({ minLength: 1, maxLength: NAME_MAX }),
  platform: Type.Optional(Type.String({ minLength: 1, maxLength: DIMENSION_MAX })),
  configuration: Type.Optional(Type.String({ minLength: 1, maxLength: DIMENSION_MAX })),
})

/** Who gets breakages automatically. */
export const Assignment = object({
  on: flag,
  /** They get none. */
  excluded_user_ids: Type.Array(integer, { maxItems: 1000 }),
})
export type Assignment = Static<typeof Assignment>

/** When failing tests fail a build that its CI calls passed. */
export const TestGateSettings = object({
  /** Null: nobody has chosen yet. Failing tests count in jobs that run tests, crashed runs and missing reports in all. */
  fails_on: nullable(oneOf(sets.TEST_GATES)),
  /** By the name of a job; the first matching pattern counts. A star matches any text. */
  jobs: Type.Array(object({ pattern: Type.String({ minLength: 1, maxLength: NAME_MAX }), fails_on: oneOf(sets.TEST_GATES) }), {
    maxItems: 100,
  }),
})
export type TestGateSettings = Static<typeof TestGateSettings>

export const ProjectSettings = object({
  id: integer,
  account_id: integer,
  name: text,
  engine: text,
  status: oneOf(sets.PROJECT_STATUSES),
  /** Null: the default rule, which covers art; empty: nothing needs approval. */
  approval_rules: nullable(own(Type.Array(ApprovalRule))),
  /** The types in these rules; null with the default one. */
  approval_types: nullable(Type.Array(oneOf(sets.ASSET_TYPES))),
  required_jobs: Type.Array(RequiredJobs),
  job_patterns: Type.Array(JobPattern),
  /** The owners of files and tests, in the form of a CODEOWNERS file. */
  path_owners: ownText,
  test_gate: own(TestGateSettings),
  agent_prices: nullable(AgentPrices),
  /** Patterns above that no branch matches. */
  unmatched_patterns: Type.Array(text),
  /** Whether failed builds are investigated automatically; null: only if the account's investigations are unlimited. */
  investigates_failures: nullable(flag),
  bisect_builds_per_day: integer,
  assignment: Assignment,
  /** Null while the badge is disabled. */
  badge_key: nullable(ownText),
  created_at: instant,
})

/** The breakage of a failed build, in short. */
export const BuildBreakage = object({
  id: idText,
  cause: text,
  /** The author is null if the change was deleted. */
  suspect: nullable(object({ change_id: integer, user_id: nullable(integer), author: nullable(text) })),
})

/** The change of a suspect. */
export const SuspectChange = object({ id: integer, display_identifier: text, author: text, description: text })

/** Identifies the build of a deployment among those of its job. */
export const DeployedBuild = object({ build_number: text, created_at: instant })

/** When a deployment last reached a status, by its history. */
export const ReachedStatus = object({ status: oneOf(sets.DEPLOYMENT_STATUSES), at: instant })

/** The change of an asset version. */
export const ApprovalChange = object({ id: integer, display_identifier: text, description: text, author: text })
/** The asset of an approval, and what its newest version looks like. */
export const ApprovalAsset = object({
  asset_path: text,
  asset_type: oneOf(sets.ASSET_TYPES),
  preview: nullable(PreviewSummary),
})

/** A request in the approval queue. */
export const QueueDetails = object({
  author: text,
  branch: text,
  /** The rule that asked, as it was then; null if it is unknown. */
  rule: nullable(ApprovalRule),
  /** The place of its stage in the rule, from 0. */
  stage_number: integer,
  /** Who approved this stage so far. */
  sign_offs: Type.Array(object({ user_id: nullable(integer), comments: text, decided_at: instant })),
  /** The level that the file is a part of, and how many of its files wait. */
  level: nullable(text),
  parts: integer,
  /** Decisions about a level are about its files as they were then. */
  seen_at: instant,
  can_list_checkouts: flag,
})

const { properties: branchJob } = BranchHealth.properties.jobs.items
export const ListedBranch = object({
  ...Branch.properties,
  jobs: Type.Array(object({ ...branchJob, runs: Type.Optional(branchJob.runs) })),
})

/** The results of the newest build of each job for a change. */
export const BuildStates = object({ passed: integer, failed: integer, running: integer })

/** The current state of a project. */
export const Overview = object({
  changes_24h: integer,
  builds_running: integer,
  builds_passed_24h: integer,
  builds_failed_24h: integer,
  approvals_pending: integer,
  latest_build: nullable(BuildRun),
  /** The newest on each track of each store. */
  live: Type.Array(object({ store: nullable(text), track: nullable(text), version: text, live_at: nullable(instant), id: uuid })),
  /** The caller's work: open tasks, and breakages they own, or are suspected of while unowned. */
  mine: object({
    tasks: Type.Array(object({ id: integer, title: ownText, state: oneOf(sets.TASK_STATES), priority: oneOf(sets.PRIORITIES) })),
    breakages: Type.Array(object({ id: idText, cause: text, jobs: Type.Array(text), claimed: flag })),
  }),
})

/** At most `COUNT_MAX` per state. */
export const TaskCounts = Type.Unsafe<Record<sets.TaskState, number>>(
  object(Object.fromEntries(sets.TASK_STATES.map((state) => [state, integer]))),
)

const { changes, build_runs, deployments } = TaskDetail.properties.links.properties
/** The records linked to a task, with everything that a page shows of them. */
export const TaskLinks = object({
  changes: Type.Array(object({ ...changes.items.properties, description: text })),
  build_runs: Type.Array(object({ ...build_runs.items.properties, build_number: text, created_at: instant })),
  deployments,
})

export const Plots = object({
  builds: Type.Array(object({ day: text, completed: integer, failed: integer, cancelled: integer, waiting: integer })),
  /** The busiest jobs: their pass rate, and per day the passed build with the median duration. */
  jobs: Type.Array(
    object({
      name: text,
      passed: integer,
      failed: integer,
      typical: Type.Array(object({ id: integer, build_number: text, at: instant, seconds: integer })),
    }),
  ),
  /** From the change to the time its build was live somewhere. */
  lead_times: Type.Array(
    object({ id: uuid, at: instant, hours: Type.Number(), store: nullable(text), track: nullable(text), version: text }),
  ),
  /** Fixed breakages with their duration. */
  fixes: Type.Array(object({ id: idText, at: instant, seconds: integer, branch: nullable(text), cause: text })),
  causes: Type.Array(object({ day: text, category: oneOf(sets.FAILURE_CATEGORIES), count: integer })),
})

const SEARCH_KINDS = [
  'project',
  'person',
  'branch',
  'store',
  'task',
  'breakage',
  'build',
  'change',
  'asset',
  'deployment',
  'comment',
] as const
export const Hit = object({
  kind: oneOf(SEARCH_KINDS),
  project_id: integer,
  project_name: ownText,
  title: text,
  detail: text,
  url: text,
  /** The newest version of an asset. */
  version: Type.Optional(integer),
})

export const Mail = object({
  id: integer,
  to: ownText,
  subject: ownText,
  /** With the links that its recipient should follow. */
  text: ownText,
  error: text,
  created_at: instant,
  sent_at: nullable(instant),
})
