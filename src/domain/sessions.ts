import { notFound } from '../contract/errors.ts'
import { type Database, sql } from '../db/database.ts'
import * as assistants from './assistants.ts'

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
  if ((await db.count(sql`delete from sessions where id = ${id} and user_id = ${userId}`)) === 0) throw notFound('Session')
}

export const endOthers = (db: Database, userId: number, currentId: number) =>
  db.count(sql`delete from sessions where user_id = ${userId} and id <> ${currentId}`)

/** What nobody can use any more. */
export async function forget(db: Database) {
  await db.count(sql`delete from sessions where expires_at < now()`)
  await db.count(sql`delete from verifications where expires_at < now()`)
  await db.count(sql`delete from login_codes where expires_at < now() - interval '1 day'`)
  await assistants.forget(db)
}
