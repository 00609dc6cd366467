import { raw, type Sql, sql } from '../../db/database.ts'
import { when } from '../../db/page.ts'
import type { ProjectSql } from '../../db/project-key.ts'

/** What only some builds can be found by: rows of `build_names`. */
type BuildName = 'import' | 'preflight' | 'pull_request' | 'shelf' | 'upstream' | 'job_branch'

/** The ids of a project's builds with this name. */
export const idsNamed = ({ account_id, project_id }: ProjectSql, kind: BuildName, name: Sql): Sql => sql`
  select n.build_run_id from build_names n
  where n.account_id = ${account_id} and n.project_id = ${project_id} and n.kind = ${raw(`'${kind}'`)} and n.name = ${name}`

/** A name of two parts. */
export const nameOf = (first: Sql, second: Sql): Sql => sql`(${first} || E'\\x1F' || ${second})`

/** The builds of a project with a number, whichever of its integrations reported them: the index of numbers begins with the integration. */
export const buildsNumbered = ({ account_id, project_id }: ProjectSql, number: Sql, job?: Sql): Sql => {
  const have = sql`x.build_number = ${number} and x.build_number <> '' ${when(job, (name) => sql`and x.ci_job_name = ${name}`)}`
  return sql`(
    select x.* from integrations i join build_runs x on x.account_id = i.account_id and x.integration_id = i.id and ${have}
    where i.account_id = ${account_id} and i.project_id = ${project_id}
    union all
    select x.* from build_runs x
    where x.account_id = ${account_id} and x.project_id = ${project_id} and x.integration_id is null and ${have})`
}
