import type { OwnReply } from '../../contract/app/routes.ts'
import { type Database, sql } from '../../db/database.ts'
import { named } from '../tasks/references.ts'
import type { Words } from '../tasks/tracker-keys.ts'
import { changesOf } from './contents.ts'

type Release = OwnReply<'showRelease'>

/** The tasks that a deployment brought, and the items of trackers that they or its changes name. */
export async function releaseOf(db: Database, owner: { account_id: number; project_id: number }, id: string): Promise<Release> {
  const { changes } = await changesOf(db, owner, id)
  const linked = await db.rows<Release['tasks'][number] & Words & { change_ids: number[] }>(sql`
    select t.id, t.title, t.state, t.task_type, t.description, t.metadata, array_agg(k.change_id) as change_ids
    from task_changes k join tasks t on t.id = k.task_id and t.project_id = ${owner.project_id}
    where k.change_id = any (${changes.map((change) => change.id)}::bigint[])
    group by t.id order by t.id`)
  const tracked = new Set(linked.flatMap(({ change_ids }) => change_ids))
  const said = changes.map(({ description }) => ({ title: '', description, metadata: {} }))
  return {
    tasks: linked.map(({ id, title, state, task_type }) => ({ id, title, state, task_type })),
    references: await named(db, owner.project_id, [...linked, ...said]),
    untracked_change_ids: changes.flatMap((change) => (tracked.has(change.id) ? [] : [change.id])),
  }
}
