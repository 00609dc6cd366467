import type { FastifyRequest } from 'fastify'
import type { DeclaredName, DeclaredRoutes } from '../../contract/app/routes.ts'
import type { Body, Path, Query, Reply } from '../../contract/routes/route.ts'
import type { Sql } from '../../db/database.ts'
import type { Caller } from '../../domain/access/access.ts'
import type { NewEntry } from '../../domain/audit/audit-log.ts'
import type { Author } from '../../domain/tasks/tasks.ts'
import type { Auth } from '../auth/auth.ts'
import type { Service } from '../service.ts'

/** A request that was authorized and read. Where something changes, `db` is of the transaction that the audit log is written in. */
export interface Call<N extends DeclaredName> extends Service {
  request: FastifyRequest
  /** Undefined where a route is open to everybody, which its handler has to know. */
  caller: Caller
  /** What the path names; whoever asks for others was refused before. */
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
  setCookies(cookies: string[]): void
  /** Everything is as it was before the request: it leaves no entry in the audit log. */
  unchanged(): void
  /** Who asks for what, for those who write their entry in the audit log themselves. */
  entry(): NewEntry
  /** Where the caller is only remembered, the condition under which they may write. */
  stillAdmitted: Sql | undefined
}

export type Handler<N extends DeclaredName> = (call: Call<N>) => Promise<Reply<DeclaredRoutes[N]>>
export type Handlers<N extends DeclaredName> = { [K in N]: Handler<K> }

/** The reply of what has nothing to tell. */
export const done = { ok: true }
