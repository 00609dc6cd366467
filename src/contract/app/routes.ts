import { Type } from 'typebox'
import {
  flag,
  idText,
  instant,
  list,
  name,
  nullable,
  object,
  oneOf,
  own,
  ownText,
  page,
  partial,
  ShortPagination,
  shortId,
} from '../fields.ts'
import * as filter from '../filters.ts'
import { Breakage, BreakageDetail } from '../health-shapes.ts'
import * as param from '../params.ts'
import { approvalRuleRoutes } from '../routes/approval-rules.ts'
import { measureBudgetRoutes } from '../routes/measure-budgets.ts'
import { PreviewSummary } from '../routes/previews.ts'
import { type Body, get, type Path, patch, plainGet, post, type Reply, type Route, type TokenRoute } from '../routes/route.ts'
import { type Routes, routes } from '../routes.ts'
import * as sets from '../sets.ts'
import { Approval, Asset, AssetDetail, BuildRun, BuildRunDetail, Change, DeploymentDetail, TaskDetail } from '../shapes.ts'
import { appAssetRoutes } from './assets.ts'
import { auditRoutes } from './audit.ts'
import { appBuildRoutes } from './builds.ts'
import { channelRoutes } from './channels.ts'
import { deletionRoutes } from './deletion.ts'
import { appDeploymentRoutes } from './deployments.ts'
import { exportRoutes } from './exports.ts'
import { identityRoutes } from './identity.ts'
import { integrationRoutes } from './integrations.ts'
import { operatorRoutes } from './operator.ts'
import { projectSettingsRoutes } from './project-settings.ts'
import { ruleRoutes } from './rules.ts'
import { settingsRoutes } from './settings.ts'
import * as app from './shapes.ts'
import { secondFactorRoutes, singleSignOnRoutes } from './sign-in.ts'
import { appTaskRoutes } from './tasks.ts'
import { viewRoutes } from './views.ts'
import { webhookRoutes } from './webhooks.ts'

/**
 * The shared table for sessions, with additions for the web app: without ping; tasks with their creator and titles of links; builds with
 * their breakage; assets with the time of the file change; paged lists of builds and assets, the latter by any approval status; branches
 * with the main one first and the runs of their jobs; changes by date, with their build results; approvals with their change; breakages
 * with the changes of their suspects; deployments with the number of their build.
 */
const { ping: _, ...shared } = routes
const listedBuilds = page(
  'build_runs',
  object({
    ...BuildRun.properties,
    breakage: Type.Optional(nullable(app.BuildBreakage)),
    verdict: Type.Optional(nullable(oneOf(sets.BUILD_VERDICTS))),
  }),
)
const changeFilters = { since: param.instant, until: param.instant, builds: param.flag }
const listedChanges = page('changes', object({ ...Change.properties, builds: Type.Optional(app.BuildStates) }))
export const sharedRoutes = {
  ...shared,
  showTask: {
    ...shared.showTask,
    reply: object({ ...TaskDetail.properties, created_by_user_id: nullable(Type.Integer()), links: app.TaskLinks }),
  },
  listBuilds: {
    ...shared.listBuilds,
    query: { ...shared.listBuilds.query, cursor: param.cursor, breakages: param.flag },
    reply: listedBuilds,
  },
  searchBuilds: {
    ...shared.searchBuilds,
    query: { ...shared.searchBuilds.query, breakages: param.flag },
    reply: listedBuilds,
  },
  listChanges: {
    ...shared.listChanges,
    query: { ...shared.listChanges.query, ...changeFilters },
    reply: listedChanges,
  },
  searchChanges: {
    ...shared.searchChanges,
    query: { ...shared.searchChanges.query, ...changeFilters },
    reply: listedChanges,
  },
  listEvents: { ...shared.listEvents, query: { ...shared.listEvents.query, mine: param.flag } },
  listBranches: {
    ...shared.listBranches,
    query: { ...shared.listBranches.query, main_first: param.flag, runs: param.flag },
    reply: page('branches', app.ListedBranch, ShortPagination),
  },
  listApprovals: {
    ...shared.listApprovals,
    query: { ...shared.listApprovals.query, changes: param.flag, previews: param.flag, queue: param.flag, ...filter.queue },
    reply: page(
      'approvals',
      object({
        ...Approval.properties,
        change: Type.Optional(nullable(app.ApprovalChange)),
        ...partial(app.ApprovalAsset.properties).properties,
        queue: Type.Optional(app.QueueDetails),
      }),
    ),
  },
  showBuild: {
    ...shared.showBuild,
    reply: object({
      ...BuildRunDetail.properties,
      /** Of all its artifacts, also those in their list. */
      artifact_count: Type.Integer(),
      breakage_id: nullable(idText),
      verdict: nullable(oneOf(sets.BUILD_VERDICTS)),
    }),
  },
  listBreakages: {
    ...shared.listBreakages,
    query: { ...shared.listBreakages.query, suspects: param.flag },
    reply: page('breakages', object({ ...Breakage.properties, suspect: Type.Optional(app.BuildBreakage.properties.suspect) })),
  },
  showBreakage: {
    ...shared.showBreakage,
    reply: object({ ...BreakageDetail.properties, suspect_changes: Type.Array(app.SuspectChange) }),
  },
  showDeployment: {
    ...shared.showDeployment,
    reply: object({ ...DeploymentDetail.properties, built: nullable(app.DeployedBuild), reached: Type.Array(app.ReachedStatus) }),
  },
  showAsset: {
    ...shared.showAsset,
    reply: object({
      ...AssetDetail.properties,
      approvals_history: Type.Array(
        object({ ...AssetDetail.properties.approvals_history.items.properties, asset_version: Type.Integer() }),
      ),
      changed_at: nullable(instant),
      preview: nullable(PreviewSummary),
      can_list_checkouts: flag,
    }),
  },
  listAssets: {
    ...shared.listAssets,
    query: {
      ...shared.listAssets.query,
      approval_status: param.oneOf(sets.ASSET_APPROVAL_STATUSES),
      previews: param.flag,
      cursor: param.cursor,
    },
    reply: page('assets', object({ ...Asset.properties, preview: Type.Optional(nullable(PreviewSummary)) })),
  },
} as const

/** Settings and sign-in show people what they or their coworkers have written: it is sent unchanged. */
const shownAsWritten = <T extends Record<string, Route>>(routes: T): T =>
  Object.fromEntries(Object.entries(routes).map(([name, route]) => [name, { ...route, reply: own(route.reply) }])) as T

/** The web app's own routes; those with a scope also accept tokens. */
export const ownRoutes = {
  ...shownAsWritten(identityRoutes),
  ...shownAsWritten(secondFactorRoutes),
  ...shownAsWritten(singleSignOnRoutes),
  ...channelRoutes,
  ...auditRoutes,
  ...exportRoutes,
  ...deletionRoutes,
  showMe: {
    ...plainGet,
    path: '/v1/me',
    summary: 'Show the signed-in user with accounts and projects',
    reply: own(app.Me),
  },
  editMe: {
    ...patch,
    path: '/v1/me',
    summary: 'Change your display name or default account',
    body: partial({ name, default_account_id: shortId }),
    reply: own(app.Me),
  },
  listPeople: {
    ...plainGet,
    path: '/v1/people',
    summary: 'List the display names of the people in your accounts',
    reply: own(list('people', app.Person)),
  },
  search: {
    ...plainGet,
    path: '/v1/search',
    summary: 'Search projects, people, branches, stores, tasks, builds, changes, assets and deployments by name',
    query: { q: param.text, project_id: param.shortReference },
    reply: list('hits', app.Hit),
  },
  showOverview: {
    ...get,
    path: '/v1/projects/:project_id/overview',
    summary: 'Show the overview of a project',
    shows: ['build', 'change', 'breakage', 'task', 'approval', 'deployment'],
    reply: app.Overview,
  },
  showPlots: {
    ...plainGet,
    path: '/v1/projects/:project_id/plots',
    summary: 'Get the data of the charts of a project',
    query: { days_back: param.daysBack },
    reply: app.Plots,
  },
  decideCommandLine: {
    ...post,
    path: '/v1/cli/authorizations',
    summary: 'Allow or deny a CLI login; returns the URL for the browser',
    body: object({
      allow: Type.Boolean(),
      port: Type.Integer({ minimum: 1, maximum: 65_535 }),
      state: Type.String({ maxLength: 500 }),
      code_challenge: Type.String({ pattern: '^[A-Za-z0-9_-]{43}$' }),
      client_name: Type.String({ minLength: 1, maxLength: 80 }),
      scopes: Type.Array(oneOf(sets.SCOPES), { maxItems: 20 }),
    }),
    reply: object({ redirect_to: ownText }),
  },
  showAssistantRequest: {
    ...plainGet,
    path: '/v1/assistants/authorizations',
    summary: 'Show which assistant requests access, its scopes and redirect URL',
    query: { request: param.text },
    reply: object({ client_name: ownText, host: ownText, scopes: Type.Array(oneOf(sets.SCOPES)) }),
  },
  decideAssistantRequest: {
    ...post,
    path: '/v1/assistants/authorizations',
    summary: 'Allow or deny access for an assistant; returns the URL for the browser',
    body: object({ allow: Type.Boolean(), request: Type.String({ maxLength: 8000 }) }),
    reply: object({ redirect_to: ownText }),
  },
  ...operatorRoutes,
  ...shownAsWritten(settingsRoutes),
  ...shownAsWritten(projectSettingsRoutes),
  ...approvalRuleRoutes,
  ...measureBudgetRoutes,
  ...integrationRoutes,
  ...webhookRoutes,
  ...appTaskRoutes,
  ...appBuildRoutes,
  ...appDeploymentRoutes,
  ...appAssetRoutes,
  ...viewRoutes,
  ...ruleRoutes,
} as const satisfies Record<string, Route>

type OwnRoutes = typeof ownRoutes
type AdminRoutes = { [N in keyof OwnRoutes as OwnRoutes[N] extends TokenRoute ? N : never]: OwnRoutes[N] }
/** Routes that administer an account, also for programs. */
export const adminRoutes = Object.fromEntries(
  Object.entries(ownRoutes as Record<string, Route>).filter(([, route]) => route.scope !== undefined),
) as AdminRoutes

/** Every route by credential: tokens, sessions. */
export const tokenRoutes = { ...routes, ...adminRoutes }
export const appRoutes = { ...sharedRoutes, ...ownRoutes }

/** Every route as first declared. */
export type DeclaredRoutes = Routes & OwnRoutes
export type DeclaredName = keyof DeclaredRoutes

type AppRoutes = typeof appRoutes
export type AppName = keyof AppRoutes
export type AppReply<N extends AppName> = Reply<AppRoutes[N]>
export type AppBody<N extends AppName> = Body<AppRoutes[N]>
/** The arguments of a web app request. */
export type AppArguments<N extends AppName> = { [K in keyof Path<AppRoutes[N]>]: string | number } & {
  query?: { [K in keyof AppRoutes[N]['query']]?: string | number | boolean | undefined }
  headers?: Record<string, string>
} & (AppRoutes[N] extends { body: object }
    ? { body: AppBody<N> }
    : AppRoutes[N] extends { consumes: string }
      ? { body: Blob }
      : { body?: undefined })
