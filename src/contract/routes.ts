import { type Static, type TSchema, Type } from 'typebox'
import { type Read, readDecision, readTaskEdit, readTaskInput } from './bodies.ts'
import * as field from './fields.ts'
import * as param from './params.ts'
import * as sets from './sets.ts'
import * as shape from './shapes.ts'

/** One door of the REST API: what may come in, who may come in, what goes out. Server, OpenAPI, client and tests read it. */
export interface Route {
  method: 'GET' | 'POST' | 'PATCH'
  path: `/v1/${string}`
  scope: sets.Scope
  summary: string
  query: param.Params
  /** The JSON sent, described, and the reader that turns it into what the domain takes. */
  body?: { schema: TSchema; read: Read<unknown> }
  reply: TSchema
  /** What success answers when it is not 200 alone. */
  created?: 201 | 202
  /** Refused on a read-only account. */
  writes?: boolean
  /** Counts against the task-write limit of the token. */
  limited?: boolean
  /** Answers this type instead of JSON. */
  produces?: 'text/plain'
}

const task = <T>(fields: TSchema, read: Read<T>) => ({
  schema: Type.Object({ task: fields }, { additionalProperties: false }),
  read,
})

const eventFilters = {
  account_id: param.text,
  project_id: param.text,
  event_type: param.eventTypes,
  event_types: param.eventTypes,
}

export const routes = {
  ping: {
    method: 'GET',
    path: '/v1/ping',
    scope: 'ping',
    summary: 'Check that a token works',
    query: {},
    reply: shape.Ping,
  },
  listProjects: {
    method: 'GET',
    path: '/v1/projects',
    scope: 'read:projects',
    summary: "All projects of the caller's accounts, newest first",
    query: {},
    reply: Type.Object({ projects: Type.Array(shape.Project) }, { additionalProperties: false }),
  },
  showProject: {
    method: 'GET',
    path: '/v1/projects/:project_id',
    scope: 'read:projects',
    summary: 'One project with its counts',
    query: {},
    reply: shape.ProjectDetail,
  },
  listTasks: {
    method: 'GET',
    path: '/v1/projects/:project_id/tasks',
    scope: 'read:tasks',
    summary: 'The tasks of a project, newest first',
    query: {
      state: param.manyOf(sets.TASK_STATES),
      task_type: param.oneOf(sets.TASK_TYPES),
      priority: param.oneOf(sets.PRIORITIES),
      assignee: param.assignee,
      label: param.text,
      updated_since: param.instant,
      format: param.text,
      limit: param.limit,
      cursor: param.cursor,
    },
    reply: field.page('tasks', shape.Task),
  },
  showTask: {
    method: 'GET',
    path: '/v1/projects/:project_id/tasks/:id',
    scope: 'read:tasks',
    summary: 'One task with the changes, builds and deployments linked to it',
    query: {},
    reply: shape.TaskDetail,
  },
  createTask: {
    method: 'POST',
    path: '/v1/projects/:project_id/tasks',
    scope: 'write:tasks',
    summary: 'Create a task; an Idempotency-Key header makes a repeat safe for 24 hours',
    query: {},
    body: task(shape.TaskInput, readTaskInput),
    reply: shape.TaskDetail,
    created: 201,
    writes: true,
    limited: true,
  },
  editTask: {
    method: 'PATCH',
    path: '/v1/projects/:project_id/tasks/:id',
    scope: 'write:tasks',
    summary: 'Change fields of a task; what is not sent stays',
    query: {},
    body: task(shape.TaskEdit, readTaskEdit),
    reply: shape.TaskDetail,
    writes: true,
    limited: true,
  },
  listMembers: {
    method: 'GET',
    path: '/v1/projects/:project_id/members',
    scope: 'read:members',
    summary: 'The members of a project by id, and the agent handles seen on its tasks',
    query: {},
    reply: shape.Members,
  },
  listBuilds: {
    method: 'GET',
    path: '/v1/projects/:project_id/build_runs',
    scope: 'read:builds',
    summary: 'The newest build runs of a project',
    query: {
      status: param.oneOf(sets.BUILD_STATUSES),
      build_type: param.oneOf(sets.BUILD_TYPES),
      target_type: param.oneOf(sets.TARGET_TYPES),
      limit: param.limit,
    },
    reply: field.page('build_runs', shape.BuildRun, field.ShortPagination),
  },
  showBuild: {
    method: 'GET',
    path: '/v1/projects/:project_id/build_runs/:build_run_id',
    scope: 'read:builds',
    summary: 'One build run with its artifacts, steps and investigation',
    query: {},
    reply: shape.BuildRunDetail,
  },
  readBuildLog: {
    method: 'GET',
    path: '/v1/projects/:project_id/build_runs/:build_run_id/log',
    scope: 'read:builds',
    summary: 'The stored log of a build run as plain text',
    query: { tail: param.lines, search: param.text },
    reply: Type.String(),
    produces: 'text/plain',
  },
  investigateBuild: {
    method: 'POST',
    path: '/v1/projects/:project_id/build_runs/:build_run_id/investigate',
    scope: 'write:builds',
    summary: 'Find out why a failed build failed; costs a credit, a finished investigation is returned free of charge',
    query: {},
    reply: shape.Investigation,
    created: 202,
    writes: true,
  },
  listAssets: {
    method: 'GET',
    path: '/v1/projects/:project_id/assets',
    scope: 'read:assets',
    summary: 'The newest assets of a project',
    query: { pending_approval: param.flag, asset_type: param.oneOf(sets.ASSET_TYPES), limit: param.limit },
    reply: field.page('assets', shape.Asset, field.ShortPagination),
  },
  showAsset: {
    method: 'GET',
    path: '/v1/projects/:project_id/assets/:asset_id',
    scope: 'read:assets',
    summary: 'One asset with the history of its approvals',
    query: {},
    reply: shape.AssetDetail,
  },
  decideAsset: {
    method: 'POST',
    path: '/v1/projects/:project_id/assets/:asset_id/approvals',
    scope: 'write:assets',
    summary: 'Approve, deny or ignore an asset',
    query: {},
    body: { schema: shape.DecisionInput, read: readDecision },
    reply: shape.Approval,
    created: 201,
    writes: true,
  },
  listApprovals: {
    method: 'GET',
    path: '/v1/projects/:project_id/approvals',
    scope: 'read:assets',
    summary: 'The approval records of a project, newest first',
    query: {
      status: param.manyOf(sets.APPROVAL_STATUSES),
      stage: param.text,
      commit_sha: param.text,
      updated_since: param.instant,
      limit: param.limit,
      cursor: param.cursor,
    },
    reply: field.page('approvals', shape.Approval),
  },
  showApproval: {
    method: 'GET',
    path: '/v1/projects/:project_id/approvals/:id',
    scope: 'read:assets',
    summary: 'One approval record',
    query: {},
    reply: shape.Approval,
  },
  listChanges: {
    method: 'GET',
    path: '/v1/projects/:project_id/changes',
    scope: 'read:changes',
    summary: 'The commits and changelists of a project, newest first',
    query: {
      identifier: param.text,
      source_type: param.oneOf(sets.SOURCE_TYPES),
      orphaned: param.flag,
      updated_since: param.instant,
      limit: param.limit,
      cursor: param.cursor,
    },
    reply: field.page('changes', shape.Change),
  },
  showChange: {
    method: 'GET',
    path: '/v1/projects/:project_id/changes/:id',
    scope: 'read:changes',
    summary: 'One change with its files, approvals, builds and tasks',
    query: {},
    reply: shape.ChangeDetail,
  },
  listDeployments: {
    method: 'GET',
    path: '/v1/projects/:project_id/deployments',
    scope: 'read:builds',
    summary: 'The deployments of a project, newest first',
    query: {
      status: param.oneOf(sets.DEPLOYMENT_STATUSES),
      platform: param.oneOf(sets.PLATFORMS),
      build_run_id: param.reference,
      updated_since: param.instant,
      limit: param.limit,
      cursor: param.cursor,
    },
    reply: field.page('deployments', shape.Deployment),
  },
  showDeployment: {
    method: 'GET',
    path: '/v1/projects/:project_id/deployments/:id',
    scope: 'read:builds',
    summary: 'One deployment with its build run',
    query: {},
    reply: shape.DeploymentDetail,
  },
  listEvents: {
    method: 'GET',
    path: '/v1/workspace/events',
    scope: 'read:workspace_events',
    summary: 'Everything that happened in an account, newest first; the first unfiltered page carries the rollup',
    query: {
      ...eventFilters,
      days_back: param.daysBack,
      since: param.since,
      limit: param.limit,
      cursor: param.cursor,
    },
    reply: shape.Feed,
  },
} as const satisfies Record<string, Route>

/** The feed as it happens, as server-sent events; beside the table, because it never ends. */
export const eventStream = { path: '/v1/workspace/events/stream', scope: 'read:workspace_events', query: eventFilters } as const

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
