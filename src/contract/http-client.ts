import { errorOfResponse } from './errors.ts'

export interface ClientSettings {
  /** The URL of the service, without `/api`. */
  site: string
  token: string
  /** Identifies the caller to the operator. */
  agent?: string
  fetch?: typeof fetch
}

/** The parts of a route that a request needs. */
interface Callable {
  method: string
  path: string
  produces?: string
}

/** One method per route of a table; errors are thrown as `ApiError`. */
export const clientOf = (table: Record<string, Callable>, settings: ClientSettings): object =>
  Object.fromEntries(Object.entries(table).map(([name, route]) => [name, (args: CallIn = {}) => call(settings, route, args)]))

interface CallIn {
  query?: Record<string, unknown>
  headers?: Record<string, string>
  body?: unknown
  [path: string]: unknown
}

async function call(
  settings: ClientSettings,
  route: Callable,
  { query = {}, headers = {}, body, ...path }: CallIn,
): Promise<unknown> {
  const url = new URL(`${settings.site}/api${route.path.replace(/:(\w+)/g, (_, name) => encodeURIComponent(String(path[name])))}`)
  for (const [name, value] of Object.entries(query)) if (value !== undefined) url.searchParams.set(name, String(value))
  const response = await (settings.fetch ?? fetch)(url, {
    method: route.method,
    headers: {
      authorization: `Bearer ${settings.token}`,
      ...(settings.agent ? { 'user-agent': settings.agent } : {}),
      ...(body === undefined
        ? {}
        : { 'content-type': body instanceof Uint8Array ? 'application/octet-stream' : 'application/json' }),
      ...headers,
    },
    ...(body === undefined
      ? {}
      : { body: body instanceof Uint8Array ? (body as Uint8Array<ArrayBuffer>) : JSON.stringify(body) }),
  })
  const text = await response.text()
  if (response.ok) return route.produces ? text : JSON.parse(text)
  throw refusal(response, text)
}

export const refusal = ({ status, headers }: Response, text: string) =>
  errorOfResponse(
    status,
    text,
    status === 401 ? 'The token is missing, unknown, revoked or expired.' : `HTTP ${status}`,
    headers.get('retry-after'),
  )
