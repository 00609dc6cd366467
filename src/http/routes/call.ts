import type { FastifyRequest } from 'fastify'
import type { DeclaredName, DeclaredRoutes } from '../../contract/app/routes.ts'
import type { Body, Path, Query, Reply } from '../../contract/routes/route.ts'
import type { Sql } from '../../db/database.ts'
import type { Caller } from '../../domain/access/access.ts'
import type { NewEntry } from '../../domain/audit/audit-log.ts'
import type { Author } from '../../domain/tasks/tasks.ts'
import type { Auth } from '../auth/auth.ts'
import type { Service } from '../service.ts'

/** An authorized and parsed request. For a change, `db` is the transaction of the audit log entry. */
export interface Call<N extends DeclaredName> extends Service {
  request: FastifyRequest
  /** Undefined on public routes, which their handlers have to know. */
  caller: Caller
  /** The id of the path; a caller without access was refused before. */
  account_id: number
  project_id: number
  /** The caller as the author of a write in the project. */
  by: Author
  path: Path<DeclaredRoutes[N]>
  query: Query<DeclaredRoutes[N]>
  body: Body<DeclaredRoutes[N]>
  auth(): Promise<Auth>
  header(name: string): string | undefined
  status(code: number): void
  setHeader(name: string, value: string): void
  setCookies(cookies: string[]): void
  /** Nothing has changed: the request leaves no audit log entry. */
  unchanged(): void
  /** The actor and action, for handlers that write the audit log entry themselves. */
  entry(): NewEntry
  /** If the caller is only remembered, the condition under which they may write. */
  stillAdmitted: Sql | undefined
}

export type Handler<N extends DeclaredName> = (call: Call<N>) => Promise<Reply<DeclaredRoutes[N]>>
export type Handlers<N extends DeclaredName> = { [K in N]: Handler<K> }

/** Who asks for what takes a lead in some cases. */
export const personOf = ({ by, caller }: Pick<Call<DeclaredName>, 'by' | 'caller'>) => ({
  ...by,
  isLead: caller.project_role === 'lead',
})

/** The reply without content. */
export const done = { ok: true }
