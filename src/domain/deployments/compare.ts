import type { OwnReply } from '../../contract/app/routes.ts'
import type { Change } from '../../contract/shapes.ts'
import { type Database, sql } from '../../db/database.ts'
import { columns as changeColumns, shown } from '../changes/changes.ts'
import { columns, find } from './deployments.ts'

type Previous = NonNullable<OwnReply<'compareDeployment'>['previous']>

const MAX = 100

/** The changes between the build that was live on the same platform before and the build of this deployment, newest first. */
export async function compare(db: Database, projectId: number, id: string): Promise<OwnReply<'compareDeployment'>> {
  const deployment = await find(db, projectId, id)
  const previous = await db.one<Previous>(sql`
    select ${columns} from deployments d join deployments this on this.id = ${deployment.id}
    where d.project_id = ${projectId} and d.platform = this.platform and d.live_at is not null
      and (d.created_at, d.number) < (this.created_at, this.number)
    order by d.created_at desc, d.number desc limit 1`)
  const to = await changeOf(db, projectId, deployment.build_run_id)
  const from = previous && (await changeOf(db, projectId, previous.build_run_id))
  if (!to || (previous && !from)) return { previous: previous ?? null, known: false, changes: [], has_more: false }
  const changes = await db.rows<Change>(sql`
    select ${changeColumns} from changes c
    where c.project_id = ${projectId} and c.orphaned_at is null and (c.timestamp, c.id) <= (${to.timestamp}::timestamptz, ${to.id}::integer)
      ${from ? sql`and (c.timestamp, c.id) > (${from.timestamp}::timestamptz, ${from.id}::integer)` : sql``}
    order by c.timestamp desc, c.id desc limit ${MAX + 1}`)
  return { previous: previous ?? null, known: true, changes: changes.slice(0, MAX).map(shown), has_more: changes.length > MAX }
}

const changeOf = (db: Database, projectId: number, buildId: string | null) =>
  db.one<{ id: number; timestamp: string }>(sql`
    select c.id, iso(c.timestamp) as timestamp
    from build_runs b join changes c on c.project_id = b.project_id and c.identifier = coalesce(nullif(b.commit_hash, ''), b.changelist)
    where b.project_id = ${projectId} and b.id = ${buildId}::integer
    order by c.timestamp desc, c.id desc limit 1`)
