import type { Static } from 'typebox'
import type { Read } from './bodies.ts'
import * as param from './params.ts'
import { assetRoutes } from './routes/assets.ts'
import { buildRoutes } from './routes/builds.ts'
import { changeRoutes } from './routes/changes.ts'
import { deploymentRoutes } from './routes/deployments.ts'
import { healthRoutes } from './routes/health.ts'
import { projectRoutes } from './routes/projects.ts'
import type { Route } from './routes/route.ts'
import { taskRoutes } from './routes/tasks.ts'
import * as shape from './shapes.ts'

export type { Route } from './routes/route.ts'

const eventFilters = {
  account_id: param.text,
  project_id: param.text,
  event_type: param.eventTypes,
  event_types: param.eventTypes,
}

/** Every route of the REST API; those of one kind of record are declared together in `routes/`. */
export const routes = {
  ...projectRoutes,
  ...taskRoutes,
  ...buildRoutes,
  ...deploymentRoutes,
  ...assetRoutes,
  ...changeRoutes,
  ...healthRoutes,
  listEvents: {
    method: 'GET',
    path: '/v1/workspace/events',
    scope: 'read:workspace_events',
    summary: 'Everything that happened in an account, newest first; the first unfiltered page carries the rollup',
    query: {
      ...eventFilters,
      days_back: param.daysBack,
      since: param.since,
      ...param.paging,
    },
    reply: shape.Feed,
  },
} as const satisfies Record<string, Route>

/** The feed as it happens, as server-sent events; beside the table, because it never ends. */
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

export type Routes = typeof routes
export type RouteName = keyof Routes
export type QueryOf<N extends RouteName> = param.Query<Routes[N]['query']>
export type BodyOf<N extends RouteName> = Routes[N] extends { body: { read: Read<infer B> } } ? B : undefined
export type ReplyOf<N extends RouteName> = Static<Routes[N]['reply']>

/** The parameters that stand in a path. */
export type PathNames<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | PathNames<Rest>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never
/** The path's own parameters; every one but the project is a record inside it. */
export type PathOf<N extends RouteName> = { [K in PathNames<Routes[N]['path']>]: string }
