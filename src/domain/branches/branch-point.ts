import type { Branch } from '../../contract/health-shapes.ts'
import { type Database, sql } from '../../db/database.ts'
import type { ProjectKey } from '../../db/project-key.ts'
import { IS_REGULAR } from './build-statuses.ts'
import { BRANCH } from './positions.ts'

/** A change and its position on a branch. */
export interface Placed {
  position: number
  change: NonNullable<Branch['head']>
}

/** A change `c` as branches and breakages refer to it. */
export const reference = sql`json_build_object('id', c.id, 'identifier', c.identifier, 'display_identifier', c.display_identifier,
  'timestamp', iso(c.timestamp))`

/** Where a git branch was created from another: the parent of its first change, or its first change if another branch has it too. */
export const branchPoint = async (
  db: Database,
  { account_id, project_id }: ProjectKey,
  branch: string,
): Promise<Placed | undefined> =>
  branch.startsWith('//')
    ? undefined
    : db.one<Placed>(sql`
        with first as (
          select p.position, p.previous, p.change_id from change_branches p
          where p.account_id = ${account_id} and p.project_id = ${project_id} and p.branch = ${branch} and p.orphaned_at is null
          order by p.position limit 1)
        select case when c.id = first.change_id then first.position else first.position - 1 end as position, ${reference} as change
        from first cross join lateral (
          -- Two lookups: one with an "or" reads all changes.
          select f.* from changes f where f.account_id = ${account_id} and f.id = first.change_id
          union all
          select f.* from changes f where f.account_id = ${account_id} and f.project_id = ${project_id} and f.identifier = first.previous
            and f.source_type = 'GitCommit' and f.id <> first.change_id) c
        where c.project_id = ${project_id} and c.source_type = 'GitCommit' and c.orphaned_at is null and exists (
          select from change_branches o where o.account_id = c.account_id and o.change_id = c.id and o.branch <> ${branch} and o.orphaned_at is null)
        order by position limit 1`)

/** The jobs that passed at a branch point on another branch. */
export const passedAt = async (
  db: Database,
  { account_id, project_id }: ProjectKey,
  branch: string,
  identifier: string,
): Promise<string[]> =>
  (
    await db.rows<{ job: string }>(sql`
      select distinct b.job from build_runs b
      where b.account_id = ${account_id} and b.project_id = ${project_id} and b.commit_hash = ${identifier} and b.commit_hash <> ''
        and ${IS_REGULAR}
        and b.verdict = 'passed' and ${BRANCH} <> ${branch}`)
  ).map(({ job }) => job)
