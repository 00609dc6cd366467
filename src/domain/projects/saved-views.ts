import type { AppBody, AppReply } from '../../contract/app/routes.ts'
import { invalidParameter, notFound } from '../../contract/errors.ts'
import { type Database, sql } from '../../db/database.ts'

/** A person's saved filters of lists. */

interface Owner {
  account_id: number
  user_id: number
}
type View = AppReply<'listViews'>['views'][number]

const VIEWS_MAX = 200

export const list = (db: Database, { account_id, user_id }: Owner): Promise<View[]> =>
  db.rows(sql`
    select id::text, name, path, query from saved_views where account_id = ${account_id} and user_id = ${user_id}
    order by path, lower(name), id limit ${VIEWS_MAX}`)

/** An existing name is overwritten. */
export async function save(
  db: Database,
  { account_id, user_id }: Owner,
  { name, path, query }: AppBody<'saveView'>,
): Promise<View> {
  const view = await db.one<View>(sql`
    insert into saved_views (account_id, user_id, name, path, query)
    select ${account_id}, ${user_id}, ${name.trim()}, ${path}, ${query}
    where (select count(*) from saved_views where account_id = ${account_id} and user_id = ${user_id}) < ${VIEWS_MAX}
    on conflict (account_id, user_id, path, name) do update set query = excluded.query
    returning id::text, name, path, query`)
  if (!view) throw invalidParameter('name', `can’t be saved: you already have ${VIEWS_MAX} views`)
  return view
}

export async function remove(db: Database, { account_id, user_id }: Owner, id: number) {
  const gone = await db.one(
    sql`delete from saved_views where account_id = ${account_id} and user_id = ${user_id} and id = ${id} returning id`,
  )
  if (!gone) throw notFound('View')
}
