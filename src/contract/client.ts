import { type ClientSettings, clientOf } from './http-client.ts'
import type { Params } from './params.ts'
import { type PathOf, type ReplyOf, type RouteName, type Routes, routes } from './routes.ts'

/** The parameters of a request, all optional. */
type QueryIn<P extends Params> = { [K in keyof P]?: string | number | boolean | undefined }

export type Arguments<N extends RouteName> =
  PathOf<N> extends Record<string, never> ? Extras<N> : { [K in keyof PathOf<N>]: string | number } & Extras<N>
type Extras<N extends RouteName> = {
  query?: QueryIn<Routes[N]['query']>
  headers?: Record<string, string>
} & (Routes[N] extends {
  body: unknown
}
  ? { body: unknown }
  : { body?: undefined })

export type Client = { [N in RouteName]: (args: Arguments<N>) => Promise<ReplyOf<N>> }

/** The client of the REST table. */
export const createClient = (settings: ClientSettings): Client => clientOf(routes, settings) as Client
