import type { Static, TSchema } from 'typebox'
import type { EventSource } from '../event-facts.ts'
import type * as param from '../params.ts'
import type * as sets from '../sets.ts'

/** One route: who may call it, what it takes, what it answers. Server, OpenAPI, clients and tests read it. */
export type Route = Get | Change

interface Get extends Declared {
  method: 'GET'
  /** The records it shows: an event about one of them refreshes the page. */
  shows: readonly EventSource[]
  /** It shows the one record that its path names, so events about others do not matter. */
  single?: true
}

interface Change extends Declared {
  method: 'POST' | 'PATCH' | 'PUT' | 'DELETE'
}

interface Declared {
  path: `/v1/${string}`
  summary: string
  /** What a token needs. A route without a scope serves sessions of the web app only. */
  scope?: sets.Scope
  /** The lowest role in the account or project that the path names that may call it, or else who may; see `roleOf`. */
  role?: Role
  query: param.Params
  body?: TSchema
  reply: TSchema
  /** What success answers when it is not 200 alone. */
  created?: 201 | 202
  /** Refused on a read-only account. */
  writes?: boolean
  /** Changes nothing but what is one's own to look at: no entry in the audit log. */
  unaudited?: true
  /** Asks another server, or undoes what it tries: no transaction is held around it. */
  detached?: true
  /** Counts against the task-write limit of the token. */
  limited?: boolean
  /** Not a tool for assistants: the list of their tools takes space in every conversation. */
  tool?: false
  /** Answers this type instead of JSON. */
  produces?: 'text/plain'
}

/** A route that tokens may call, too. */
export type TokenRoute = Route & { scope: sets.Scope }

/** What most routes of a method begin with. */
export const get = { method: 'GET', query: {} } as const
export const post = { method: 'POST', query: {} } as const
export const patch = { method: 'PATCH', query: {} } as const
export const put = { method: 'PUT', query: {} } as const
export const remove = { method: 'DELETE', query: {} } as const
/** Shows nothing that events are about, or is refreshed by other means. */
export const plainGet = { ...get, shows: [] } as const

/** Without a session, with any, operators of the service, or who has at least this role. */
export type Role = 'anyone' | 'user' | 'operator' | sets.AccountRole | sets.ProjectRole

/** Unless a route says otherwise, viewers read in a project, contributors write, and elsewhere everybody signed in may call it. */
export const roleOf = ({ role, writes, path }: Route): Role =>
  role ?? (path.includes('/:project_id') ? (writes ? 'contributor' : 'viewer') : 'user')

/** Whoever is known and changes something leaves an entry in the audit log. */
export const isAudited = ({ method, role, unaudited }: Route): boolean => method !== 'GET' && role !== 'anyone' && !unaudited

/** Administers an account: no login through a browser gives its scope. */
export const isAdministration = ({ scope }: Route): boolean => scope?.startsWith('admin:') ?? false

/** The names of the parameters in a path. */
export type PathNames<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | PathNames<Rest>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never

export type Path<R extends Route> = { [K in PathNames<R['path']>]: string }
export type Query<R extends Route> = param.Query<R['query']>
export type Body<R extends Route> = R extends { body: infer B extends TSchema } ? Static<B> : undefined
export type Reply<R extends Route> = Static<R['reply']>
