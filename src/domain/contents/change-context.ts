import type { AppReply } from '../../contract/app/routes.ts'
import { notFound } from '../../contract/errors.ts'
import { type Database, sql } from '../../db/database.ts'
import type { ProjectKey } from '../../db/project-key.ts'
import { BRANCH, positionOn } from '../branches/positions.ts'
import { lineColumns } from '../builds/build-line.ts'
import { branchesOf } from '../changes/branches.ts'
import { timelineColumns } from '../deployments/timeline.ts'
import { named } from '../tasks/references.ts'

/** Entries of each. */
const SHOWN = 50
/** How many later records are searched for the change. */
const LOOK = 300
/** A change is reported before it is built, give or take the clock skew. */
const SKEW = sql`interval '1 hour'`

/** Whether the build `b` was made from the change `c`, or from a later one on one of its branches. */
const holds = sql`(b.commit_hash = c.identifier or b.changelist = c.identifier or exists (
  select from change_branches on_branch where on_branch.account_id = c.account_id and on_branch.change_id = c.id
    and on_branch.orphaned_at is null and on_branch.branch = ${BRANCH}
    and on_branch.position <= ${positionOn(sql`on_branch.branch`)}))`

/** The branches of a change, and the builds and deployments that contain it. */
export async function contextOf(db: Database, project: ProjectKey, id: number): Promise<AppReply<'showChangeContext'>> {
  const context = await db.one<
    Omit<AppReply<'showChangeContext'>, 'references'> & { description: string; branches: string[] }
  >(sql`
    with c as (
      select account_id, id, project_id, identifier, timestamp, url, file_url, description, orphaned_at from changes
      where account_id = ${project.account_id} and project_id = ${project.project_id} and id = ${id}),
    exact as (
      select b.account_id, b.id, b.job from c join build_runs b on b.account_id = c.account_id and b.project_id = c.project_id
        and b.commit_hash = c.identifier and b.commit_hash <> ''
      union
      select b.account_id, b.id, b.job from c join build_runs b on b.account_id = c.account_id and b.project_id = c.project_id
        and b.changelist = c.identifier and b.changelist <> ''),
    later as (
      select b.* from c, lateral (
        select * from build_runs b where b.account_id = c.account_id and b.project_id = c.project_id and b.created_at >= c.timestamp - ${SKEW}
        order by b.created_at, b.id limit ${LOOK}) b),
    first as (
      select distinct on (b.job) b.account_id, b.id from c, later b
      where b.job not in (select job from exact) and ${holds}
      order by b.job, b.created_at, b.id),
    builds as (
      (select account_id, id, true as exact from exact order by id desc limit ${SHOWN})
      union all (select account_id, id, false from first limit ${SHOWN})),
    shipped as (
      select d.* from c, lateral (
        select * from deployments d where d.account_id = c.account_id and d.project_id = c.project_id and d.created_at >= c.timestamp - ${SKEW}
        order by d.created_at, d.number limit ${LOOK}) d,
      lateral (select * from build_runs b where b.account_id = d.account_id and b.id = d.build_run_id offset 0) b
      where ${holds} order by d.created_at, d.number limit ${SHOWN})
    select c.url, c.file_url, c.description, ${branchesOf} as branches,
      (select coalesce(json_agg(x order by x.exact desc, x.created_at desc), '[]') from (
        select ${lineColumns}, builds.exact from builds join build_runs b on b.account_id = builds.account_id and b.id = builds.id) x) as build_runs,
      (select coalesce(json_agg(x order by x.id), '[]') from (
        select t.id, t.title, t.state, t.task_type from task_changes k
        join tasks t on t.account_id = k.account_id and t.id = k.task_id and t.deleted_at is null
        where k.account_id = c.account_id and k.change_id = c.id
          limit ${SHOWN}) x) as tasks,
      (select coalesce(json_agg(x order by x.created_at), '[]') from (select ${timelineColumns} from shipped d) x) as deployments
    from c`)
  if (!context) throw notFound('Change')
  const { description, branches, ...shown } = context
  // Git branches often have the item in their name: `fix/game-12-moon`. Depot paths don't.
  const names = branches.filter((branch) => !branch.startsWith('//'))
  return { ...shown, references: await named(db, project, [{ title: names.join('\n'), description, metadata: {} }]) }
}
