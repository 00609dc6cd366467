import type { Static, TSchema } from 'typebox'
import type { EventSource } from '../event-facts.ts'
import type * as param from '../params.ts'
import type * as sets from '../sets.ts'

/** One route: who may call it, its parameters and its reply. Server, OpenAPI, clients and tests use it. */
export type Route = Get | Change

interface Get extends Declared {
  method: 'GET'
  /** The records it shows: an event about one of them refreshes the page. */
  shows: readonly EventSource[]
  /** It shows the one record of its path, so events about others do not matter. */
  single?: true
}

interface Change extends Declared {
  method: 'POST' | 'PATCH' | 'PUT' | 'DELETE'
}

interface Declared {
  path: `/v1/${string}`
  summary: string
  /** The scope that a token needs. A route without a scope serves sessions of the web app only. */
  scope?: sets.Scope
  /** The lowest role in the account or project of the path that may call it, or another group of callers; see `roleOf`. */
  role?: Role
  query: param.Params
  body?: TSchema
  reply: TSchema
  /** The status of a success other than 200. */
  created?: 201 | 202
  /** Refused on a read-only account. */
  writes?: boolean
  /** Changes only the caller's own view: no audit log entry. */
  unaudited?: true
  /** Calls another server, or undoes its own writes: no transaction is held around it. */
  detached?: true
  /** Counts against the token's limit of task writes, or the person's limit of comments and files. */
  limited?: true | 'comments'
  /** Not a tool for assistants: the list of their tools takes space in every conversation. */
  tool?: false
  /** The body is a file, not JSON. */
  consumes?: 'application/octet-stream'
  /** The largest file in bytes, if it is not that of an attachment. */
  bodyMax?: number
  /** Returns this type instead of JSON. */
  produces?: 'text/plain'
}

/** A route that also accepts tokens. */
export type TokenRoute = Route & { scope: sets.Scope }

/** The common start of GET routes. */
export const get = { method: 'GET', query: {} } as const
export const post = { method: 'POST', query: {} } as const
export const patch = { method: 'PATCH', query: {} } as const
export const put = { method: 'PUT', query: {} } as const
export const remove = { method: 'DELETE', query: {} } as const
/** Shows nothing that events are about, or is refreshed by other means. */
export const plainGet = { ...get, shows: [] } as const

/** No session, any session, operators of the service, or at least this role. */
type Role = 'anyone' | 'user' | 'operator' | sets.AccountRole | sets.ProjectRole

/** By default viewers read in a project, contributors write, and elsewhere every signed-in user may call it. */
export const roleOf = ({ role, writes, path }: Route): Role =>
  role ?? (path.includes('/:project_id') ? (writes ? 'contributor' : 'viewer') : 'user')

/** An authenticated change leaves an audit log entry. */
export const isAudited = ({ method, role, unaudited }: Route): boolean => method !== 'GET' && role !== 'anyone' && !unaudited

/** Administers an account: no login through a browser grants its scope. */
export const isAdministration = ({ scope }: Route): boolean => scope?.startsWith('admin:') ?? false

/** The names of the parameters in a path. */
type PathNames<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | PathNames<Rest>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never

export type Path<R extends Route> = { [K in PathNames<R['path']>]: string }
export type Query<R extends Route> = param.Query<R['query']>
export type Body<R extends Route> = R extends { body: infer B extends TSchema } ? Static<B> : undefined
export type Reply<R extends Route> = Static<R['reply']>
