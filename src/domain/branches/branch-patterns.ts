import { type Database, raw, sql } from '../../db/database.ts'
import type { ProjectKey } from '../../db/project-key.ts'
import { matchesBranch } from './branch-names.ts'
import { IS_OF_BRANCH } from './build-statuses.ts'
import { BRANCH } from './positions.ts'

/** At most this many branches of a project are checked. */
const NAMES_MAX = 5_000

/** Every branch of a build or a change. A loose index scan: PostgreSQL jumps from one name to the next. */
async function branchNames(
  db: Database,
  { account_id, project_id }: { account_id: number; project_id: number },
): Promise<string[]> {
  const limit = raw(String(NAMES_MAX))
  const rows = await db.rows<{ name: string }>(sql`
    with recursive built as (
      (select ${BRANCH} as name from build_runs b where b.account_id = ${account_id} and b.project_id = ${project_id}
        and ${IS_OF_BRANCH} and ${BRANCH} <> ''
        order by ${BRANCH} limit 1)
      union all
      select (select ${BRANCH} from build_runs b where b.account_id = ${account_id} and b.project_id = ${project_id}
        and ${IS_OF_BRANCH} and ${BRANCH} > built.name
        order by ${BRANCH} limit 1) from built where built.name is not null),
    changed as (
      (select p.branch as name from change_branches p where p.account_id = ${account_id} and p.project_id = ${project_id}
        order by p.branch limit 1)
      union all
      select (select p.branch from change_branches p where p.account_id = ${account_id} and p.project_id = ${project_id} and p.branch > changed.name
        order by p.branch limit 1) from changed where changed.name is not null)
    select name from (select name from built limit ${limit}) b where name is not null
    union select name from (select name from changed limit ${limit}) c where name is not null`)
  return rows.map(({ name }) => name)
}

/** The patterns that match no branch of the project. */
export async function unmatched(db: Database, owner: ProjectKey, patterns: readonly string[]): Promise<string[]> {
  if (patterns.length === 0) return []
  const names = await branchNames(db, owner)
  return [...new Set(patterns)].filter((pattern) => !names.some((name) => matchesBranch(pattern, name)))
}
