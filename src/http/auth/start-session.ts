import { randomBytes } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { type Database, sql } from '../../db/database.ts'
import { recordSignIn, type SignInMethod } from '../../domain/audit/sign-ins.ts'
import type { Service } from '../service.ts'
import { cookiesOf, sessionCookie } from './session-cookie.ts'

/** Starts a session for a person who authenticated by other means than the library's; `db` is the transaction of that authentication. */
export async function startSession(
  db: Database,
  { site, cookieKey, sessionSeconds }: Service,
  request: FastifyRequest,
  userId: number,
  method: SignInMethod,
) {
  const token = randomBytes(24).toString('base64url')
  const agent = request.headers['user-agent']?.slice(0, 300) ?? ''
  const row = await db.one<{ id: number }>(sql`
    insert into sessions (user_id, token, ip_address, user_agent, method, expires_at)
    values (${userId}, ${token}, ${request.ip}, ${agent}, ${method}, now() + make_interval(secs => ${sessionSeconds})) returning id`)
  await recordSignIn(db, { user_id: userId, method, ip_address: request.ip })
  return { session_id: row!.id, cookie: sessionCookie(token, cookiesOf(site, cookieKey), sessionSeconds) }
}
