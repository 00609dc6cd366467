import * as filter from './filters.ts'
import * as param from './params.ts'
import { agentRoutes } from './routes/agents.ts'
import { assetRoutes } from './routes/assets.ts'
import { buildRoutes } from './routes/builds.ts'
import { changeRoutes } from './routes/changes.ts'
import { commentRoutes } from './routes/comments.ts'
import { deploymentRoutes } from './routes/deployments.ts'
import { healthRoutes } from './routes/health.ts'
import { historyRoutes } from './routes/history.ts'
import { measureRoutes } from './routes/measures.ts'
import { previewRoutes } from './routes/previews.ts'
import { projectRoutes } from './routes/projects.ts'
import { type Path, plainGet, type Query, type Reply, type TokenRoute } from './routes/route.ts'
import { taskRoutes } from './routes/tasks.ts'
import { testRoutes } from './routes/tests.ts'
import type { CommentSubject, Scope } from './sets.ts'
import * as shape from './shapes.ts'

export { previewDownload } from './routes/previews.ts'
export type { Route } from './routes/route.ts'

const eventFilters = {
  account_id: param.described(param.text, 'Account id (default: your default account)'),
  project_id: param.described(param.text, 'Only events of this project'),
  event_type: param.eventTypes,
  event_types: param.eventTypes,
}

/** Every route of the REST API; those of one kind of record are declared together in `routes/`. */
export const routes = {
  ...projectRoutes,
  ...taskRoutes,
  ...buildRoutes,
  ...testRoutes,
  ...agentRoutes,
  ...measureRoutes,
  ...deploymentRoutes,
  ...assetRoutes,
  ...previewRoutes,
  ...changeRoutes,
  ...healthRoutes,
  ...commentRoutes,
  ...historyRoutes,
  listEvents: {
    ...plainGet,
    path: '/v1/workspace/events',
    scope: 'read:workspace_events',
    summary: 'List the events of an account, newest first; the first page without filters has a rollup of counts',
    query: {
      ...eventFilters,
      days_back: param.daysBack,
      since: param.since,
      ...param.paging,
    },
    reply: shape.Feed,
  },
} as const satisfies Record<string, TokenRoute>

/** The live feed as server-sent events; not in the table, because it never ends. */
export const eventStream = {
  path: '/v1/workspace/events/stream',
  scope: 'read:workspace_events',
  query: { ...eventFilters, include: param.oneOf(['all']) },
  /** With `include=all`. */
  queryOfAll: {
    ...eventFilters,
    event_type: param.everyEventType,
    event_types: param.everyEventType,
    include: param.oneOf(['all']),
  },
} as const

/** A file with the scope of the record that it belongs to; not in the table, because its response is not JSON. */
export const fileDownload = {
  path: '/v1/projects/:project_id/files/:id',
  scopes: {
    task: 'read:tasks',
    build_run: 'read:builds',
    breakage: 'read:builds',
    change: 'read:changes',
    asset: 'read:assets',
    deployment: 'read:builds',
  },
} as const satisfies { path: string; scopes: Record<CommentSubject, Scope> }

/** The bytes of an artifact, and a stable address of the newest one; not in the table either. */
export const artifactDownload = {
  path: '/v1/projects/:project_id/artifacts/:id',
  latestPath: '/v1/projects/:project_id/artifacts/latest',
  scope: 'read:builds',
  query: filter.artifacts,
} as const

export type Routes = typeof routes
export type RouteName = keyof Routes
export type QueryOf<N extends RouteName> = Query<Routes[N]>
export type ReplyOf<N extends RouteName> = Reply<Routes[N]>
export type PathOf<N extends RouteName> = Path<Routes[N]>
