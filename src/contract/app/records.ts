import { type Static, Type } from 'typebox'
import { flag, idText, instant, integer, nullable, object, oneOf, ownText, text, uuid } from '../fields.ts'
import * as param from '../params.ts'
import { plainGet } from '../routes/route.ts'
import * as sets from '../sets.ts'
import { Task } from '../shapes.ts'
import { Reference } from './work.ts'

const build = { id: idText, status: oneOf(sets.BUILD_STATUSES), ci_job_name: text, build_number: text, created_at: instant }
const BuildLine = object(build)
export type BuildLine = Static<typeof BuildLine>

const { id, title, state, task_type } = Task.properties
const TaskLine = object({ id, title, state, task_type })

const deployment = {
  id: uuid,
  platform: oneOf(sets.PLATFORMS),
  store: nullable(text),
  track: nullable(text),
  status: oneOf(sets.DEPLOYMENT_STATUSES),
  version: text,
  deployed_at: nullable(instant),
  live_at: nullable(instant),
  created_at: instant,
}

/** What stands around a build. */
export const BuildContext = object({
  /** Its page at the CI. */
  url: text,
  /** Whether the times from the CI were corrected or late. */
  time_note: nullable(oneOf(sets.BUILD_TIME_NOTES)),
  /** What a preflight builds, empty if unknown, and its target branch. */
  shelf: text,
  pull_request: text,
  head_repository: text,
  target_branch: text,
  /** The open breakages of that branch. */
  branch_breakages: Type.Array(object({ id: idText, cause: text })),
  /** The branch of the build; empty if unknown, with the possible ones. */
  branch_name: text,
  branch_candidates: Type.Array(text),
  /** Whether a change is known on that branch. */
  branch_has_changes: flag,
  /** Of the same job and branch. */
  previous: nullable(BuildLine),
  next: nullable(BuildLine),
  last_passed: nullable(BuildLine),
  /** Whether asking for an investigation would begin one. */
  can_investigate: flag,
  /** Where the file of a log may be looked at: an address with {path} and {line}, empty where nobody told. */
  file_url: text,
  /** The top folders of the repository, as far as changes have touched them. */
  roots: Type.Array(text),
})
export type BuildContext = Static<typeof BuildContext>

export const ChangeContext = object({
  /** Its page at the version control, with what it changed. */
  url: text,
  file_url: text,
  /** Made from it, newest first, and the first of every other job that holds it. */
  build_runs: Type.Array(object({ ...build, exact: flag })),
  tasks: Type.Array(TaskLine),
  /** Items of connected trackers named in its description or its git branch. */
  references: Type.Array(Reference),
  /** That hold it, oldest first. */
  deployments: Type.Array(object(deployment)),
})

/** What a deployment brought, in tasks and items of trackers. */
export const Release = object({
  /** Completed tasks that a change in it names. */
  tasks: Type.Array(TaskLine),
  /** Tasks that a change in it names, but that are left out of its notes. */
  left_out: Type.Array(object({ ...TaskLine.properties, reason: oneOf(sets.RELEASE_GAPS) })),
  references: Type.Array(Reference),
  /** Changes that belong to none of the tasks. */
  untracked_change_ids: Type.Array(integer),
})

export const TimelineDeployment = object({ ...deployment, project_id: integer, project_name: ownText })

/** What the pages of builds, changes and deployments show beside the record itself. */
export const recordRoutes = {
  readBuildLogRest: {
    ...plainGet,
    path: '/v1/projects/:project_id/build_runs/:build_run_id/log/rest',
    summary: 'How the log of a build goes on behind the lines somebody has, or all of it where that cannot be told',
    query: { mark: param.text },
    reply: object({ text, continues: flag }),
  },
  showBuildContext: {
    method: 'GET',
    path: '/v1/projects/:project_id/build_runs/:build_run_id/context',
    summary: 'What stands around a build: its page at the CI, its neighbours, where its files are shown',
    query: {},
    shows: ['build', 'investigation'],
    reply: BuildContext,
  },
  showChangeContext: {
    method: 'GET',
    path: '/v1/projects/:project_id/changes/:id/context',
    summary: 'Where a change is shown, and the builds, tasks and deployments that hold it',
    query: {},
    shows: ['build', 'deployment'],
    reply: ChangeContext,
  },
  showRelease: {
    method: 'GET',
    path: '/v1/projects/:project_id/deployments/:id/release',
    summary: 'The tasks and items of trackers that a deployment brought',
    query: {},
    shows: ['task', 'deployment'],
    reply: Release,
  },
  showReleaseTimeline: {
    method: 'GET',
    path: '/v1/accounts/:account_id/deployments',
    summary: 'What went to which store, of the games of an account that one sees, newest first',
    role: 'guest',
    query: { days_back: param.daysBack },
    shows: ['deployment'],
    reply: object({ deployments: Type.Array(TimelineDeployment), has_more: flag }),
  },
} as const
