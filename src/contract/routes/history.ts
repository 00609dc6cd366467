import { Type } from 'typebox'
import { anyObject, flag, idText, instant, integer, nullable, object, oneOf, page, ShortPagination, text } from '../fields.ts'
import * as param from '../params.ts'
import { DEPLOYMENT_STATUSES, HISTORY_KINDS, type Scope } from '../sets.ts'
import { get, type TokenRoute } from './route.ts'

/** Who changed what in a record, and when. */

export const HistoryEntry = object({
  id: text,
  kind: oneOf(HISTORY_KINDS),
  /** Null if a tool reported it, the service did it, or the user was deleted. */
  user_id: nullable(integer),
  /** With an API token, by a script or an assistant. */
  via_token: flag,
  /** Old and new values by field; null for texts that may be long. */
  changes: Type.Unsafe<Record<string, { from: unknown; to: unknown } | null>>(anyObject),
  /** The reason, or what it was about; empty if there is none. */
  note: text,
  at: instant,
})

/** A change of status has `before` and `after`; a change of build has `build_run_id`, null if the build was removed. */
const DeploymentEntry = object({
  ...HistoryEntry.properties,
  before: nullable(oneOf(DEPLOYMENT_STATUSES)),
  after: nullable(oneOf(DEPLOYMENT_STATUSES)),
  build_run_id: nullable(idText),
})

const historyOf = <
  const P extends string,
  const S extends Scope,
  const E extends 'task' | 'build' | 'breakage' | 'change' | 'approval' | 'deployment',
>(
  record: P,
  scope: S,
  event: E,
  noun: string,
) =>
  ({
    ...get,
    path: `/v1/projects/:project_id/${record}/history`,
    scope,
    summary: `List the history of ${noun}: who changed what and when, newest first`,
    query: { limit: param.limit },
    shows: [event],
    single: true,
    reply: page('history', HistoryEntry, ShortPagination),
    tool: false,
  }) as const

export const historyRoutes = {
  listTaskHistory: historyOf('tasks/:id', 'read:tasks', 'task', 'a task, also of a deleted one while it can be restored'),
  listBuildHistory: historyOf('build_runs/:build_run_id', 'read:builds', 'build', 'a build run'),
  listBreakageHistory: historyOf('breakages/:id', 'read:builds', 'breakage', 'a breakage'),
  listChangeHistory: historyOf('changes/:id', 'read:changes', 'change', 'a change'),
  listAssetHistory: historyOf('assets/:asset_id', 'read:assets', 'approval', 'an asset'),
  listDeploymentHistory: {
    ...historyOf('deployments/:id', 'read:builds', 'deployment', 'a deployment'),
    reply: page('history', DeploymentEntry, ShortPagination),
  },
} as const satisfies Record<string, TokenRoute>
