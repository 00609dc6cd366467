import { projectSettingsRoutes } from './app/project-settings.ts'
import { type ClientSettings, clientOf } from './http-client.ts'
import type { Params } from './params.ts'
import { approvalRuleRoutes } from './routes/approval-rules.ts'
import { measureBudgetRoutes } from './routes/measure-budgets.ts'
import type { Reply } from './routes/route.ts'
import { type PathOf, type ReplyOf, type RouteName, type Routes, routes } from './routes.ts'

/** The parameters of a request, all optional. */
type QueryIn<P extends Params> = { [K in keyof P]?: string | number | boolean | undefined }

type Arguments<N extends RouteName> =
  PathOf<N> extends Record<string, never> ? Extras<N> : { [K in keyof PathOf<N>]: string | number } & Extras<N>
type Extras<N extends RouteName> = {
  query?: QueryIn<Routes[N]['query']>
  headers?: Record<string, string>
} & (Routes[N] extends {
  body: unknown
}
  ? { body: unknown }
  : Routes[N] extends { consumes: string }
    ? { body: Uint8Array }
    : { body?: undefined })

const { showProjectSettings, editProject } = projectSettingsRoutes
const ruleRoutes = { ...approvalRuleRoutes, ...measureBudgetRoutes, showProjectSettings, editProject }

/** The REST table, and the routes for approval rules, budgets and project settings. */
export const clientRoutes = { ...routes, ...ruleRoutes }

type RuleRoutes = typeof ruleRoutes
type RuleArguments = { project_id: string | number; body?: unknown }

export type Client = { [N in RouteName]: (args: Arguments<N>) => Promise<ReplyOf<N>> } & {
  [N in keyof RuleRoutes]: (args: RuleArguments) => Promise<Reply<RuleRoutes[N]>>
}

export const createClient = (settings: ClientSettings): Client => clientOf(clientRoutes, settings) as Client
