import { type Static, Type } from 'typebox'
import { FEED_EVENT_TYPES } from './events.ts'
import { flag, idText, instant, integer, nullable, object, oneOf, ownText, Pagination, text, uuid } from './fields.ts'
import * as sets from './sets.ts'
import { partOf } from './task-fields.ts'

/** Resources of the API. A field here is a column of the same name; nothing else is ever sent. */

export const Ping = object({
  ok: flag,
  user_id: integer,
  account_id: nullable(integer),
  token: object({ name: ownText, prefix: ownText, scopes: Type.Array(text), expires_at: nullable(instant) }),
})

const project = { id: idText, name: ownText, engine: text, created_at: instant }
export const Project = object(project)
export const ProjectDetail = object({
  ...project,
  status: oneOf(sets.PROJECT_STATUSES),
  tasks_count: integer,
  build_runs_count: integer,
  assets_count: integer,
})

const task = {
  id: integer,
  account_id: integer,
  project_id: integer,
  ...partOf('shown'),
  created_at: instant,
  updated_at: instant,
  urls: object({ web: ownText }),
}
export const Task = object(task)
export const TaskDetail = object({
  ...task,
  links: object({
    changes: Type.Array(object({ id: integer, identifier: text, source_type: text, display_identifier: text })),
    build_runs: Type.Array(object({ id: integer, status: text, commit_hash: text, ci_job_name: text })),
    deployments: Type.Array(object({ id: integer, status: text, platform: text, branch: text })),
  }),
})
export type TaskDetail = Static<typeof TaskDetail>

export const Members = object({
  members: Type.Array(
    object({
      user_id: integer,
      role: oneOf(sets.ROLES),
      project_role: oneOf(sets.PROJECT_ROLES),
      connected_accounts: Type.Array(object({ id: integer, provider: text, uid: Type.Optional(text) })),
    }),
  ),
  assignee_handles: Type.Array(ownText),
  truncated: flag,
})

const buildReference = object({ id: idText, status: text, commit_hash: text, ci_job_name: text })

/** A named number of a build, such as the bytes of its package. */
const measure = { name: text, value: Type.Number(), unit: nullable(text), platform: nullable(text) }
const Measure = object(measure)
/** A measure in the passed builds of the job and branch, up to the build. */
const MeasureTrend = object({
  ...measure,
  /** The median of up to 20 earlier builds; null without any. */
  usual: nullable(Type.Number()),
  /** Oldest first, with the build itself. */
  values: Type.Array(object({ build_run_id: idText, build_number: text, value: Type.Number() })),
  /** Lasting changes, oldest first: from the level before to the level after, in one of the builds from the first to the last. */
  jumps: Type.Array(
    object({ before: Type.Number(), after: Type.Number(), first_build_run_id: idText, last_build_run_id: idText }),
  ),
})
export const MeasureTrends = object({ measures: Type.Array(MeasureTrend) })

const buildRun = {
  id: idText,
  project_id: idText,
  status: oneOf(sets.BUILD_STATUSES),
  build_type: oneOf(sets.BUILD_TYPES),
  target_type: oneOf(sets.TARGET_TYPES),
  ci_job_name: text,
  build_number: text,
  commit_hash: text,
  changelist: text,
  branch: text,
  kind: oneOf(sets.BUILD_KINDS),
  phase: text,
  platform: nullable(text),
  configuration: nullable(text),
  agent: nullable(text),
  measures: nullable(Type.Array(Measure)),
  duration_seconds: nullable(integer),
  started_at: nullable(instant),
  finished_at: nullable(instant),
  // Since when a build that the CI reports as running counts as lost, because it stopped reporting.
  lost_at: nullable(instant),
  created_at: instant,
  updated_at: instant,
  urls: object({ web: ownText }),
}
export const BuildRun = object(buildRun)

export const Investigation = object({
  investigation_id: ownText,
  status: oneOf(sets.INVESTIGATION_STATUSES),
  diagnosis: nullable(text),
  suggested_fix: nullable(text),
  attributed_user_id: nullable(integer),
  steps: Type.Array(object({ name: text, status: text, detail: text })),
  category: nullable(oneOf(sets.FAILURE_CATEGORIES)),
  confidence: nullable(oneOf(sets.CONFIDENCES)),
  who_acts: nullable(oneOf(sets.WHO_ACTS)),
  retry_may_help: nullable(Type.Boolean()),
  evidence: Type.Array(object({ line: integer, text })),
  /** The author and the identifier are those of the change; null if it was deleted. */
  suspects: Type.Array(
    object({
      change_id: integer,
      display_identifier: nullable(text),
      author: nullable(text),
      user_id: nullable(integer),
      score: Type.Number(),
      reasons: Type.Array(text),
      reason_codes: Type.Array(oneOf(sets.SUSPECT_REASONS)),
    }),
  ),
  created_at: instant,
  finished_at: nullable(instant),
})
export type Investigation = Static<typeof Investigation>

/** A file of a build that is stored here. */
export const Artifact = object({
  id: uuid,
  build_run_id: idText,
  name: text,
  size_bytes: integer,
  /** Of its bytes, in hexadecimal. */
  sha256: text,
  url: ownText,
  created_at: instant,
})

/** The same, or one that the build only reported: it has a place in the report instead of an id, and no hash or time. */
export const ListedArtifact = object({
  ...Artifact.properties,
  id: nullable(uuid),
  position: nullable(integer),
  size_bytes: nullable(integer),
  sha256: nullable(text),
  url: text,
  created_at: nullable(instant),
})

/** Downloads one artifact without signing in, until it expires or its creator loses access. */
export const ShareLink = object({
  id: integer,
  build_run_id: idText,
  artifact_id: uuid,
  artifact_name: text,
  user_id: integer,
  created_at: instant,
  expires_at: instant,
})

export const BuildRunDetail = object({
  ...buildRun,
  artifacts: Type.Array(object({ name: text, size_bytes: nullable(integer), url: text })),
  steps: Type.Array(
    object({
      name: text,
      status: text,
      started_at: nullable(instant),
      finished_at: nullable(instant),
      duration_seconds: nullable(integer),
      detail: text,
    }),
  ),
  // Only if it is running, streams its log, and has sent nothing for ten minutes: since when. Its runner may be gone.
  silent_since: Type.Optional(instant),
  investigation: nullable(Investigation),
})

const asset = {
  id: uuid,
  project_id: idText,
  name: text,
  path: text,
  asset_type: oneOf(sets.ASSET_TYPES),
  approval_status: oneOf(sets.ASSET_APPROVAL_STATUSES),
  /** The stage that it waits for; null if it doesn't wait. */
  next_stage: nullable(text),
  version: integer,
  size_bytes: nullable(integer),
  last_change_id: nullable(integer),
  created_at: instant,
  updated_at: instant,
}
export const Asset = object(asset)
export const AssetDetail = object({
  ...asset,
  approvals_history: Type.Array(
    object({
      id: uuid,
      status: oneOf(sets.APPROVAL_STATUSES),
      approver_user_id: nullable(integer),
      comments: text,
      decided_at: nullable(instant),
    }),
  ),
})

export const Approval = object({
  id: uuid,
  asset_id: uuid,
  asset_name: text,
  commit_sha: text,
  approval_stage: text,
  approval_type: text,
  status: oneOf(sets.APPROVAL_STATUSES),
  approver_user_id: nullable(integer),
  comments: text,
  asset_version: integer,
  approved_at: nullable(instant),
  denied_at: nullable(instant),
  ignored_at: nullable(instant),
  decided_at: nullable(instant),
  created_at: instant,
  updated_at: instant,
})
export type Approval = Static<typeof Approval>

/** With the stage that the asset waits for after the decision. */
export const DecidedApproval = object({
  ...Approval.properties,
  next_stage: nullable(text),
})
export type DecidedApproval = Static<typeof DecidedApproval>

const change = {
  id: integer,
  identifier: text,
  display_identifier: text,
  source_type: oneOf(sets.SOURCE_TYPES),
  author: text,
  description: text,
  timestamp: instant,
  orphaned_at: nullable(instant),
  created_at: instant,
  updated_at: instant,
  file_count: nullable(integer),
  approval_count: integer,
  branches: Type.Array(text),
}
export const Change = object(change)
export type Change = Static<typeof Change>
export const ChangeDetail = object({
  ...change,
  files: Type.Array(object({ path: text, action: text })),
  files_available: flag,
  approvals: object({ pending: integer, approved: integer, denied: integer, ignored: integer }),
  build_runs: Type.Array(buildReference),
  latest_build: nullable(buildReference),
  task_ids: Type.Array(integer),
})
export type ChangeDetail = Static<typeof ChangeDetail>

const deployment = {
  id: uuid,
  platform: oneOf(sets.PLATFORMS),
  store: nullable(text),
  track: nullable(text),
  status: oneOf(sets.DEPLOYMENT_STATUSES),
  branch: text,
  version: text,
  external_id: text,
  external_build_id: text,
  build_run_id: nullable(idText),
  integration_id: nullable(integer),
  submitted_at: nullable(instant),
  deployed_at: nullable(instant),
  live_at: nullable(instant),
  /** Of all deployments on its track, it went live last and was not taken back. */
  current: flag,
  /** The deployment that went live after it on its track. */
  replaced_by: nullable(uuid),
  created_at: instant,
  updated_at: instant,
}
export const Deployment = object(deployment)
export type Deployment = Static<typeof Deployment>
export const DeploymentDetail = object({ ...deployment, build_run: nullable(buildReference) })

const candidate = object({ ...buildReference.properties, build_number: text, changelist: text })
/** The build of a deployment and how it was found, or the reason why it has none and the candidates. */
export const DeploymentBuild = object({
  build_run_id: nullable(idText),
  basis: nullable(oneOf(sets.BUILD_BASES)),
  reason: nullable(oneOf(sets.BUILD_GAPS)),
  candidates: Type.Array(candidate),
})

export const BuildChanges = object({
  changes: Type.Array(Change),
  /** Changes of the branch that a forced push may have replaced. */
  doubtful: Type.Array(Change),
  branch: text,
  basis: oneOf(sets.RANGE_BASES),
  has_more: flag,
  since: nullable(buildReference),
})
/** The changes between two builds, and how well they are known. */
export type Contents = Omit<Static<typeof BuildChanges>, 'since'>

export const Event = object({
  event_type: oneOf(FEED_EVENT_TYPES),
  project_id: integer,
  project_name: ownText,
  actor: text,
  timestamp: instant,
  target_ref: text,
  status: oneOf(sets.PILLS),
  message: text,
  url: ownText,
  cursor_key: ownText,
})
export type Event = Static<typeof Event>

export const Rollup = object({
  changes_24h: integer,
  builds_passed_24h: integer,
  builds_failed_24h: integer,
  open_tasks: integer,
  total_projects: integer,
  active_projects: integer,
})
export type Rollup = Static<typeof Rollup>

export const Feed = object({ events: Type.Array(Event), rollup: nullable(Rollup), pagination: Pagination })
