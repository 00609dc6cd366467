import { notFound, unauthorized } from '../../contract/errors.ts'
import { type Database, sql } from '../../db/database.ts'
import { type Identity, isValidSession, isValidToken } from '../access/access.ts'
import { refuseWithoutFactor } from '../access/blocked.ts'
import { requireFresh } from './fresh-sign-in.ts'

/** Signed-in browsers, latest first. */
export const list = (db: Database, userId: number, currentId: number | null) =>
  db.rows<{
    id: number
    current: boolean
    ip_address: string | null
    user_agent: string | null
    created_at: string
    updated_at: string
    expires_at: string
  }>(sql`
    select id, id is not distinct from ${currentId} as current, ip_address, user_agent, created_at, updated_at, expires_at from sessions
    where user_id = ${userId} and expires_at > now() order by id = ${currentId} desc, updated_at desc, id desc`)

/** Takes effect at once: its next request is refused, its streams end. */
export async function end(db: Database, userId: number, id: number) {
  if ((await db.execute(sql`delete from sessions where id = ${id} and user_id = ${userId}`)) === 0) throw notFound('Session')
}

export const endOthers = (db: Database, userId: number, currentId: number | null) =>
  db.execute(sql`delete from sessions where user_id = ${userId} and id is distinct from ${currentId}`)

export const endAll = (db: Database, userId: number) => db.execute(sql`delete from sessions where user_id = ${userId}`)

/**
 * Grants something that outlives the session or token of the request, such as another token, after a fresh sign-in. A concurrent password
 * change has either ended them, and nothing is granted, or waits for the grant and then revokes it too. `accountId`: the account that it is
 * limited to.
 */
export function granting<T>(
  db: Database,
  by: Pick<Identity, 'user_id' | 'session_id' | 'token_id'>,
  accountId: number | null,
  give: (db: Database) => Promise<T>,
): Promise<T> {
  const { user_id, session_id, token_id } = by
  return db.transaction(async (db) => {
    await db.one(sql`select from users where id = ${user_id} for share`)
    const asking = await db.one(sql`
      select from sessions where id = ${session_id} and ${isValidSession(sql`sessions`)}
      union all
      select from api_tokens where id = ${token_id} and ${isValidToken(sql`api_tokens`)}`)
    if (!asking) throw unauthorized()
    await refuseWithoutFactor(db, by, accountId)
    await requireFresh(db, by)
    return give(db)
  })
}
