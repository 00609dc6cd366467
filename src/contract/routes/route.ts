import type { TSchema } from 'typebox'
import type { Read } from '../bodies.ts'
import type * as param from '../params.ts'
import type * as sets from '../sets.ts'

/** One route of the REST API: what it takes, who may ask, what it answers. Server, OpenAPI, client and tests read it. */
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
  /** The least that somebody must be in the project; otherwise a viewer, and whoever writes a contributor. */
  role?: sets.ProjectRole
  /** Counts against the task-write limit of the token. */
  limited?: boolean
  /** Not a tool for assistants: the list of their tools takes space in every conversation. */
  tool?: false
  /** Answers this type instead of JSON. */
  produces?: 'text/plain'
}

export const roleOf = ({ role, writes }: Route): sets.ProjectRole => role ?? (writes ? 'contributor' : 'viewer')
