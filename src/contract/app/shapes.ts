import { type Static, Type } from 'typebox'
import { flag, idText, instant, integer, nullable, object, oneOf, ownText, text, uuid } from '../fields.ts'
import { BRANCH_MAX, NAME_MAX } from '../limits.ts'
import * as sets from '../sets.ts'
import { BuildRun, TaskDetail } from '../shapes.ts'

/** What only the web app sees: people by name, settings, secrets shown to their owners. */

export const Done = object({ ok: flag })

export const Welcome = object({
  first_run: flag,
  sign_up: flag,
  /** Whether mails leave; otherwise operators read them here and hand their links over. */
  mailing: flag,
  version: text,
})

export const AccountSummary = object({
  id: integer,
  name: text,
  plan: oneOf(sets.PLANS),
  role: oneOf(sets.ROLES),
  timezone: text,
  demo: flag,
  payment_method: flag,
  trial_ends_at: nullable(instant),
  read_only: nullable(oneOf(sets.READ_ONLY_REASONS)),
  /** Null: not counted. */
  credits: nullable(integer),
})
export type AccountSummary = Static<typeof AccountSummary>

export const ProjectSummary = object({
  id: integer,
  account_id: integer,
  name: text,
  engine: text,
  status: oneOf(sets.PROJECT_STATUSES),
  /** Owners of the project or of its account may change its settings. */
  role: oneOf(sets.ROLES),
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
})
export type Me = Static<typeof Me>

export const Person = object({ user_id: integer, name: text })
export const Member = object({
  user_id: integer,
  name: text,
  /** Owners see addresses. */
  email: nullable(text),
  role: oneOf(sets.ROLES),
  created_at: instant,
})

export const ConnectedAccount = object({
  id: integer,
  provider: text,
  uid: text,
  /** Names of the caller's accounts where an owner has yet to confirm it. */
  unconfirmed_in: Type.Array(text),
  created_at: instant,
})

/** What a member says to be called elsewhere, before an owner confirms it. */
export const ClaimedAccount = object({
  id: integer,
  user_id: integer,
  name: text,
  provider: text,
  uid: text,
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
  expires_at: nullable(instant),
  revoked_at: nullable(instant),
  last_used_at: nullable(instant),
  created_at: instant,
})

/** What the clients of Unreal Game Sync and their CI show to reach one project. */
export const UgsToken = object({
  id: integer,
  project_id: integer,
  name: text,
  prefix: text,
  revoked_at: nullable(instant),
  created_at: instant,
})

export const Account = object({
  id: integer,
  name: text,
  plan: oneOf(sets.PLANS),
  timezone: text,
  demo: flag,
  payment_method: flag,
  trial_ends_at: nullable(instant),
  read_only: nullable(oneOf(sets.READ_ONLY_REASONS)),
  /** Null: not counted. */
  credits: nullable(integer),
  /** Investigations a day; used and the use of the last 30 days, newest first. */
  daily_limit: integer,
  used_today: integer,
  usage: Type.Array(object({ day: text, investigations: integer, refunded: integer })),
  members: integer,
  projects: integer,
  created_at: instant,
})

export const Invitation = object({
  id: integer,
  email: text,
  role: oneOf(sets.ROLES),
  expires_at: instant,
  created_at: instant,
})

/** What branches of a name must pass to be known good; a star in the name stands for any text. */
export const RequiredJobs = object({
  branch: Type.String({ minLength: 1, maxLength: BRANCH_MAX }),
  jobs: Type.Array(Type.String({ minLength: 1, maxLength: NAME_MAX }), { minItems: 1, maxItems: 100 }),
})

export const ProjectSettings = object({
  id: integer,
  account_id: integer,
  name: text,
  engine: text,
  status: oneOf(sets.PROJECT_STATUSES),
  /** Null takes the default list. */
  approval_types: nullable(Type.Array(oneOf(sets.ASSET_TYPES))),
  required_jobs: Type.Array(RequiredJobs),
  /** Whether failed builds are investigated by themselves; null: where the account does not count investigations. */
  investigates_failures: nullable(flag),
  /** Null while the badge is off. */
  badge_key: nullable(ownText),
  created_at: instant,
})

/** What a failed build is broken by, in a few words. */
export const BuildBreakage = object({
  id: idText,
  cause: text,
  suspect: nullable(object({ change_id: integer, user_id: nullable(integer) })),
})

const count = (names: readonly string[]) => object(Object.fromEntries(names.map((name) => [name, integer])))

/** Where everything in a project stands now. */
export const Overview = object({
  changes_24h: integer,
  builds_running: integer,
  builds_passed_24h: integer,
  builds_failed_24h: integer,
  approvals_pending: integer,
  tasks: Type.Unsafe<Record<sets.TaskState, number>>(count(sets.TASK_STATES)),
  latest_build: nullable(BuildRun),
  live: Type.Array(object({ platform: oneOf(sets.PLATFORMS), version: text, live_at: nullable(instant), id: uuid })),
})

const { changes, build_runs, deployments } = TaskDetail.properties.links.properties
/** What a task is linked to, with all that a page says of it. */
export const TaskLinks = object({
  changes: Type.Array(object({ ...changes.items.properties, description: text })),
  build_runs: Type.Array(object({ ...build_runs.items.properties, build_number: text, created_at: instant })),
  deployments,
})

export const Plots = object({
  builds: Type.Array(object({ day: text, completed: integer, failed: integer, cancelled: integer, waiting: integer })),
  durations: Type.Array(
    object({
      id: integer,
      ci_job_name: text,
      build_number: text,
      at: instant,
      seconds: integer,
      status: oneOf(sets.BUILD_STATUSES),
    }),
  ),
  /** From the change to the moment its build was live somewhere. */
  lead_times: Type.Array(object({ id: uuid, at: instant, hours: Type.Number(), platform: oneOf(sets.PLATFORMS), version: text })),
  causes: Type.Array(object({ category: oneOf(sets.FAILURE_CATEGORIES), count: integer })),
})

const SEARCH_KINDS = ['project', 'task', 'build', 'change', 'asset', 'deployment'] as const
export const Hit = object({
  kind: oneOf(SEARCH_KINDS),
  project_id: integer,
  project_name: ownText,
  title: text,
  detail: text,
  url: text,
})

export const Mail = object({
  id: integer,
  to: ownText,
  subject: ownText,
  /** With the links that somebody is to follow. */
  text: ownText,
  error: text,
  created_at: instant,
  sent_at: nullable(instant),
})
