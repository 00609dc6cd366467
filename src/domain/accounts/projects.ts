import { notFound } from '../../contract/errors.ts'
import type { ReplyOf } from '../../contract/routes.ts'
import { type Database, sql } from '../../db/database.ts'

/** All projects of the accounts a user belongs to, newest first. */
export const list = async (db: Database, userId: number): Promise<ReplyOf<'listProjects'>> => ({
  projects: await db.rows(sql`
    select p.id::text, p.name, p.engine, iso(p.created_at) as created_at
    from projects p join account_members m on m.account_id = p.account_id and m.user_id = ${userId}
    order by p.created_at desc, p.id desc`),
})

export async function find(db: Database, projectId: number): Promise<ReplyOf<'showProject'>> {
  const project = await db.one<ReplyOf<'showProject'>>(sql`
    select p.id::text, p.name, p.engine, iso(p.created_at) as created_at, p.status,
      (select count(*) from tasks where project_id = p.id) as tasks_count,
      (select count(*) from build_runs where project_id = p.id) as build_runs_count,
      (select count(*) from assets where project_id = p.id) as assets_count
    from projects p where p.id = ${projectId}`)
  if (!project) throw notFound('Project')
  return project
}
