import { type Static, Type } from 'typebox'
import { flag, idText, instant, integer, list, nullable, object, oneOf, ownText, text } from '../fields.ts'
import { Preflight } from '../health-shapes.ts'
import * as param from '../params.ts'
import { get, plainGet } from '../routes/route.ts'
import * as sets from '../sets.ts'

const RunningBuild = object({
  id: idText,
  project_id: integer,
  project_name: ownText,
  status: oneOf(sets.BUILD_STATUSES),
  ci_job_name: text,
  build_number: text,
  branch: text,
  phase: text,
  started_at: nullable(instant),
  created_at: instant,
})

export const buildLine = {
  id: idText,
  status: oneOf(sets.BUILD_STATUSES),
  ci_job_name: text,
  build_number: text,
  created_at: instant,
}
const BuildLine = object(buildLine)
export type BuildLine = Static<typeof BuildLine>

/** The context of a build. */
export const BuildContext = object({
  /** Its page in the CI. */
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
  /** Whether the change of a preflight is at fault; null if it is no preflight. */
  verdict: nullable(Preflight.properties.jobs.items),
  /** The branch of the build; empty if unknown, with the possible ones. */
  branch_name: text,
  branch_candidates: Type.Array(text),
  /** Whether a change is known on that branch. */
  branch_has_changes: flag,
  /** Of the same job and branch. */
  previous: nullable(BuildLine),
  next: nullable(BuildLine),
  last_passed: nullable(BuildLine),
  /** Whether a request would start an investigation. */
  can_investigate: flag,
  /** What its CI can be asked for now. */
  ci_actions: Type.Array(oneOf(sets.CI_ACTIONS)),
  /** What people may set when they start one; without values any text. */
  ci_parameters: Type.Array(object({ name: ownText, values: Type.Array(ownText) })),
  /** The URL template for files in a log, with {path} and {line}; empty if unknown. */
  file_url: text,
  /** The top folders of the repository, as far as changes have touched them. */
  roots: Type.Array(text),
})
export type BuildContext = Static<typeof BuildContext>

/** Routes for the build pages beyond the shared table. */
export const appBuildRoutes = {
  listRunningBuilds: {
    ...get,
    path: '/v1/accounts/:account_id/running_builds',
    summary: 'List the running builds of an account, newest first',
    role: 'guest',
    shows: ['build'],
    reply: list('build_runs', RunningBuild),
  },
  readBuildLogRest: {
    ...plainGet,
    path: '/v1/projects/:project_id/build_runs/:build_run_id/log/rest',
    summary: 'Get the new lines of a build log since a position, or the whole log',
    query: { mark: param.text },
    reply: object({ text, continues: flag }),
  },
  showBuildContext: {
    ...get,
    path: '/v1/projects/:project_id/build_runs/:build_run_id/context',
    summary: 'Show the links of a build: CI page, neighboring builds, file URLs',
    shows: ['build', 'investigation'],
    reply: BuildContext,
  },
} as const
