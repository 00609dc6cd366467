import { notFound } from '../../contract/errors.ts'
import type { ReplyOf } from '../../contract/routes.ts'
import { type Database, empty, raw, sql } from '../../db/database.ts'
import { ACCESSIBLE_PROJECTS, type Identity, known } from '../access/access.ts'

/** All projects that the caller has access to, newest first. */
export const list = async (db: Database, by: Identity): Promise<ReplyOf<'listProjects'>> => ({
  projects: await db.rows(sql`
    select p.id::text, p.name, p.engine, iso(p.created_at) as created_at
    from (${known(by)}) t cross join lateral (${ACCESSIBLE_PROJECTS}) r join projects p on p.id = r.project_id
    where r.blocked is null order by p.created_at desc, p.id desc`),
})

const counted = (table: string, which = empty) => sql`(select count(*) from ${raw(table)} where project_id = p.id ${which})`

export async function find(db: Database, projectId: number): Promise<ReplyOf<'showProject'>> {
  const project = await db.one<ReplyOf<'showProject'>>(sql`
    select p.id::text, p.name, p.engine, iso(p.created_at) as created_at, p.status,
      ${counted('tasks', sql`and deleted_at is null`)} as tasks_count, ${counted('build_runs')} as build_runs_count, ${counted('assets')} as assets_count
    from projects p where p.id = ${projectId}`)
  if (!project) throw notFound('Project')
  return project
}
