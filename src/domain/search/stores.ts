import type { AppReply } from '../../contract/app/routes.ts'
import { PLATFORMS } from '../../contract/sets.ts'
import { type Database, sql } from '../../db/database.ts'
import { byServer, type Project } from './records.ts'
import { folded, isMatch, type Query } from './text.ts'

type Hit = AppReply<'search'>['hits'][number]

const STORES_MAX = 6

/** Stores whose name matches the text, if something was deployed to them. */
export async function storesOf(db: Database, projects: Project[], query: Query): Promise<Hit[]> {
  const called = PLATFORMS.filter((platform) => isMatch(folded(platform), query))
  if (called.length === 0) return []
  const used = await byServer(db, projects, (db, projects) =>
    db.rows<{ project_id: number; platform: string }>(sql`
      select p.id as project_id, s.platform
      from unnest(${projects.map(({ id }) => id)}::integer[]) p (id) cross join unnest(${called}::text[]) s (platform)
      where exists (select from deployments d where d.project_id = p.id and d.platform = s.platform) limit ${STORES_MAX}`),
  )
  return used.slice(0, STORES_MAX).map(({ project_id, platform }) => ({
    kind: 'store',
    project_id,
    project_name: projects.find(({ id }) => id === project_id)!.name,
    title: platform,
    detail: 'deployments',
    url: `/projects/${project_id}/deployments?platform=${platform}`,
  }))
}
