import { errorOfResponse } from './errors.ts'
import type { Params } from './params.ts'
import { type PathOf, type ReplyOf, type Route, type RouteName, type Routes, routes } from './routes.ts'

/** What a caller may send: parameters as they travel, all optional. */
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

interface ClientSettings {
  /** Where the service is, without `/api`. */
  site: string
  token: string
  /** Names the caller to the operator. */
  agent?: string
  fetch?: typeof fetch
}

/** One method per route of the table; a refusal is thrown as the `ApiError` it is. */
export function createClient(settings: ClientSettings): Client {
  const names = Object.keys(routes) as RouteName[]
  return Object.fromEntries(
    names.map((name) => [name, (args: CallIn = {}) => call(settings, routes[name], args)]),
  ) as unknown as Client
}

interface CallIn {
  query?: Record<string, unknown>
  headers?: Record<string, string>
  body?: unknown
  [path: string]: unknown
}

async function call(
  settings: ClientSettings,
  route: Route,
  { query = {}, headers = {}, body, ...path }: CallIn,
): Promise<unknown> {
  const url = new URL(`${settings.site}/api${route.path.replace(/:(\w+)/g, (_, name) => encodeURIComponent(String(path[name])))}`)
  for (const [name, value] of Object.entries(query)) if (value !== undefined) url.searchParams.set(name, String(value))
  const response = await (settings.fetch ?? fetch)(url, {
    method: route.method,
    headers: {
      authorization: `Bearer ${settings.token}`,
      ...(settings.agent ? { 'user-agent': settings.agent } : {}),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  if (response.ok) return route.produces ? text : JSON.parse(text)
  throw refusal(response, text)
}

const refusal = ({ status, headers }: Response, text: string) =>
  errorOfResponse(
    status,
    text,
    status === 401 ? 'The token is missing, unknown, revoked or expired.' : `HTTP ${status}`,
    headers.get('retry-after'),
  )
