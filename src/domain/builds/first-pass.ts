import { type Database, sql } from '../../db/database.ts'
import type { RecordKey } from '../../db/project-key.ts'
import { IS_REGULAR } from '../branches/build-statuses.ts'
import { BRANCH, inOrder, positionOn } from '../branches/positions.ts'

/** How many of the job's newest builds on the branch are read. */
const LOOKED_AT = 50

/**
 * Stores which failure a build ended: it is the newest of its job on the branch, and the one before it failed. A pass at an older change
 * than the failure ends nothing; neither does a preflight or a bisecting build.
 */
export const noteFirstPass = (db: Database, { account_id, id }: RecordKey) =>
  db.execute(sql`
    with mine as (
      select b.account_id, b.id, b.project_id, b.job, ${BRANCH} as branch from build_runs b
      where b.account_id = ${account_id} and b.id = ${id} and ${IS_REGULAR} and b.verdict = 'passed' and b.fixed_build_run_id is null),
    near as (
      select b.* from mine, lateral (
        select b.* from build_runs b
        where b.account_id = mine.account_id and b.project_id = mine.project_id and ${BRANCH} = mine.branch and b.job = mine.job
          and ${IS_REGULAR} and b.verdict is not null
        order by b.created_at desc, b.id desc limit ${LOOKED_AT}) b),
    ranked as (
      select b.id, b.verdict, row_number() over (order by ${inOrder(positionOn(BRANCH))} desc) as place from near b
      where exists (select from near where verdict = 'failed'))
    update build_runs b set fixed_build_run_id = before.id
    from ranked this, ranked before
    where b.account_id = ${account_id} and b.id = ${id} and this.id = b.id and this.place = 1 and before.place = 2 and before.verdict = 'failed'`)
