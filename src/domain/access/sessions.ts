import { notFound, unauthorized } from '../../contract/errors.ts'
import { type Database, sql } from '../../db/database.ts'

/** Browsers that are signed in, the latest first. */
export const list = (db: Database, userId: number, currentId: number) =>
  db.rows<{
    id: number
    current: boolean
    ip_address: string | null
    user_agent: string | null
    created_at: string
    updated_at: string
    expires_at: string
  }>(sql`
    select id, id = ${currentId} as current, ip_address, user_agent, created_at, updated_at, expires_at from sessions
    where user_id = ${userId} and expires_at > now() order by id = ${currentId} desc, updated_at desc, id desc`)

/** At once: its next request is refused, its streams end. */
export async function end(db: Database, userId: number, id: number) {
  if ((await db.execute(sql`delete from sessions where id = ${id} and user_id = ${userId}`)) === 0) throw notFound('Session')
}

export const endOthers = (db: Database, userId: number, currentId: number) =>
  db.execute(sql`delete from sessions where user_id = ${userId} and id <> ${currentId}`)

export const endAll = (db: Database, userId: number) => db.execute(sql`delete from sessions where user_id = ${userId}`)

/**
 * Gives what outlives the session, such as a token. A password that is changed at the same moment either has ended the session, and
 * nothing is given, or waits until it is given, and ends it too.
 */
export function granting<T>(
  db: Database,
  { user_id, session_id }: { user_id: number; session_id: number },
  give: (db: Database) => Promise<T>,
): Promise<T> {
  return db.transaction(async (db) => {
    await db.one(sql`select from users where id = ${user_id} for share`)
    if (!(await db.one(sql`select from sessions where id = ${session_id} and expires_at > now()`))) throw unauthorized()
    return give(db)
  })
}
