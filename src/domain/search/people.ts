import type { AppReply } from '../../contract/app/routes.ts'
import { type Database, sql } from '../../db/database.ts'
import { people } from '../sign-in/profile.ts'
import { byServer, type Name, type Project } from './records.ts'
import { bestNamed, type Query } from './text.ts'

type Hit = AppReply<'search'>['hits'][number]

/** People with the same name need a longer query. */
const PEOPLE = 4
/** Tasks of each of them. */
const TASKS = 6

/** Coworkers whose name matches the text, each linked to their work, and their newest tasks. */
export async function peopleOf(
  db: Database,
  userId: number,
  projects: Project[],
  query: Query,
  blocked: readonly number[],
): Promise<{ hits: Hit[]; tasks: Name[] }> {
  const known = (await people(db, userId, blocked)).sort((a, b) => a.user_id - b.user_id)
  const called = bestNamed(known, query, PEOPLE)
  if (called.length === 0) return { hits: [], tasks: [] }
  const [users, places] = [called.map(({ user_id }) => user_id), projects.map(({ id }) => id)]
  const tasks = await byServer(db, projects, (db, projects) =>
    db.rows<{ user_id: number; id: string; project_id: number }>(sql`
      select w.user_id, w.id::text, w.project_id
      from unnest(${users}::integer[]) u (id) cross join lateral (
        select t.* from unnest(${projects.map(({ id }) => id)}::integer[]) p (id) cross join lateral (
          select t.user_id, t.id, t.project_id, t.created_at from tasks t where t.project_id = p.id and t.user_id = u.id and t.deleted_at is null
          order by t.created_at desc, t.id desc limit ${TASKS}) t
        order by t.created_at desc, t.id desc limit ${TASKS}) w`),
  )
  const shared = await db.rows<{ user_id: number; project_id: number }>(sql`
    select user_id, min(project_id) as project_id from project_access
    where user_id = any (${users}::integer[]) and project_id = any (${places}::integer[]) group by user_id`)
  const hits = called.flatMap(({ user_id, name }): Hit[] => {
    const task = tasks.find((each) => each.user_id === user_id)
    const place = task ?? shared.find((each) => each.user_id === user_id)
    const project = projects.find(({ id }) => id === place?.project_id)
    if (!project) return []
    const page = task ? `tasks?assignee=${encodeURIComponent(`user:${user_id}`)}` : 'members'
    const url = `/projects/${project.id}/${page}`
    return [{ kind: 'person', project_id: project.id, project_name: project.name, title: name, detail: task ? 'tasks' : '', url }]
  })
  return { hits, tasks: tasks.map(({ id }) => ({ kind: 'task', record_id: id })) }
}
