import { type Database, type Sql, sql } from '../../db/database.ts'
import type { ProjectKey } from '../../db/project-key.ts'
import type { Placed } from '../branches/positions.ts'
import { withoutReverts } from '../changes/reverts.ts'
import type { Range } from './range.ts'

/** More than anybody reads, and enough to find changes with their reverts. */
const READ_MAX = 1_000

/**
 * The changes that one build contains and a build of another branch does not: those on its branch, and those its branch had from the other
 * one when it was created, minus the changes of the other build by the same rule. Both have positions on their branches.
 */
export async function difference(db: Database, owner: ProjectKey, to: Placed, since: Placed): Promise<Range> {
  const forks = await forkOf(db, owner, to, since)
  const on = (branch: string) => sql`
    p.account_id = ${owner.account_id} and p.project_id = ${owner.project_id} and p.branch = ${branch} and p.orphaned_at is null`
  // Both contain the parent's changes up to the fork; only the parent's build contains those after it.
  const [mine, taken] = [forks.child === to.branch ? 0 : forks.position, forks.child === to.branch ? forks.position : 0]
  const held = (branch: string, from: Sql | number, until: number | null) => sql`
    select p.change_id as id, p.position from change_branches p
    where ${on(branch)} and p.doubted_at is null and p.position > ${from} and p.position <= ${until ?? 0}
    order by p.position desc limit ${READ_MAX}`
  const read = await db.rows<{ id: number; identifier: string; description: string }>(sql`
    with held as (
      (${held(to.branch, mine, to.position)})
      union all (${held(since.branch, since.position ?? 0, taken)}))
    select c.id, c.identifier, c.description from (select id, max(position) as position from held group by id) held
    join changes c on c.account_id = ${owner.account_id} and c.id = held.id
    where c.orphaned_at is null and not exists (
      select from change_branches p where p.account_id = c.account_id and p.change_id = c.id and ${on(since.branch)}
        and p.position <= ${since.position ?? 0})
    order by c.timestamp desc, c.id desc limit ${READ_MAX}`)
  return { ids: withoutReverts(read).map(({ id }) => id), has_more: read.length === READ_MAX }
}

interface Fork {
  /** The branch that was created from the other. */
  child: string
  /** The last position on the parent whose change the child has. */
  position: number
}

/**
 * Where one of two branches was created from the other: at the parent of its first change; otherwise, if changes are numbered, below its
 * first number; otherwise at the newest change that had arrived by then. The branch that began later is the child.
 */
async function forkOf(db: Database, { account_id, project_id }: ProjectKey, a: Placed, b: Placed): Promise<Fork> {
  const first = (branch: string) => sql`
    select p.branch, p.position, p.previous, p.arrived_at, p.id from change_branches p
    where p.account_id = ${account_id} and p.project_id = ${project_id} and p.branch = ${branch} order by p.position limit 1`
  const found = await db.one<Fork>(sql`
    with firsts as ((${first(a.branch)}) union all (${first(b.branch)})),
    child as (select * from firsts order by case when branch like '//%' then position end desc nulls last, arrived_at desc, id desc limit 1),
    parent as (select ${a.branch}::text as branch union all select ${b.branch}::text except select branch from child)
    select child.branch as child, coalesce(
      (select max(p.position) from changes c join change_branches p on p.account_id = c.account_id and p.change_id = c.id and p.branch = parent.branch
        where c.account_id = ${account_id} and c.project_id = ${project_id} and c.identifier = child.previous),
      (select max(p.position) from change_branches p where p.account_id = ${account_id} and p.project_id = ${project_id}
        and p.branch = parent.branch and case when child.branch like '//%' then p.position < child.position else p.arrived_at <= child.arrived_at end),
      0) as position
    from child, parent limit 1`)
  return found ?? { child: a.branch, position: 0 }
}
