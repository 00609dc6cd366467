import { ID_MAX } from '../../contract/limits.ts'
import type { SourceType } from '../../contract/sets.ts'
import { type Database, sql } from '../../db/database.ts'
import type { ProjectKey } from '../../db/project-key.ts'
import { NAMED_CHANGES } from '../branches/positions.ts'
import { lockProject } from '../branches/project-lock.ts'

/** Numbers of pull requests, which the forge adds to the subject of a commit: `Mend it (#16)`, `Merge pull request #16 from owl/moon`. */
const PULL_REQUESTS = /(?:[ \t]*\(#\d{1,16}\)){1,10}[ \t]*$|^Merge pull request #\d{1,16}\b/g

/** Tasks that the text of a change names, as `#12` or `GM-12`. */
export function tasksNamed({ source_type, description }: { source_type: SourceType; description: string }): number[] {
  const [subject = '', ...rest] = description.split('\n')
  const text = source_type === 'GitCommit' ? [subject.trimEnd().replace(PULL_REQUESTS, ''), ...rest].join('\n') : description
  return [...text.matchAll(/(?<![\w#])(?:#|GM-)([1-9]\d{0,15})(?!\w)/gi)].map(([, id]) => Number(id)).filter((id) => id <= ID_MAX)
}

/** Deployments of linked builds are linked too. */
const deploymentsOfBuilds = sql`
  insert into task_deployments (account_id, task_id, deployment_id)
  select b.account_id, b.task_id, d.id from linked_builds b join deployments d on d.account_id = b.account_id and d.build_run_id = b.build_run_id
  on conflict do nothing`

/** Links a change to the tasks that its text names, and also its builds and their deployments, reported before or after it. */
export async function linkChanges(db: Database, project: ProjectKey, named: { change_id: number; task_id: number }[]) {
  if (named.length === 0) return
  await lockProject(db, project.project_id)
  await db.execute(sql`
    with linked_changes as (
      insert into task_changes (account_id, task_id, change_id)
      select t.account_id, n.task_id, n.change_id from jsonb_to_recordset(${JSON.stringify(named)}::jsonb) as n (change_id bigint, task_id bigint)
      join tasks t on t.account_id = ${project.account_id} and t.id = n.task_id and t.project_id = ${project.project_id}
      on conflict do nothing returning account_id, task_id, change_id),
    linked_builds as (
      insert into task_build_runs (account_id, task_id, build_run_id)
      select k.account_id, k.task_id, b.id from linked_changes k join changes c on c.account_id = k.account_id and c.id = k.change_id, lateral (
        select b.id from build_runs b where b.account_id = c.account_id and b.project_id = c.project_id and b.commit_hash = c.identifier
          and b.commit_hash <> ''
        union
        select b.id from build_runs b where b.account_id = c.account_id and b.project_id = c.project_id and b.changelist = c.identifier
          and b.changelist <> '') b
      on conflict do nothing returning account_id, task_id, build_run_id)
    ${deploymentsOfBuilds}`)
}

/** Builds of linked changes are linked too. */
export const linkBuilds = (db: Database, accountId: number, builds: readonly number[]) =>
  db.execute(sql`
    with linked_builds as (
      insert into task_build_runs (account_id, task_id, build_run_id)
      select b.account_id, k.task_id, b.id from build_runs b, ${NAMED_CHANGES}
      join task_changes k on k.account_id = c.account_id and k.change_id = c.id
      where b.account_id = ${accountId} and b.id = any (${builds}::bigint[])
      on conflict do nothing returning account_id, task_id, build_run_id)
    ${deploymentsOfBuilds}`)

/** A deployment of a linked build is linked too. */
export const linkDeployment = (db: Database, accountId: number, deploymentId: string) =>
  db.execute(sql`
    insert into task_deployments (account_id, task_id, deployment_id)
    select d.account_id, k.task_id, d.id from deployments d
    join task_build_runs k on k.account_id = d.account_id and k.build_run_id = d.build_run_id
    where d.account_id = ${accountId} and d.id = ${deploymentId}
    on conflict do nothing`)

/** A deployment that loses its build also loses the tasks that only this build linked. */
export const unlinkDeployment = (db: Database, accountId: number, deploymentId: string, buildId: number) =>
  db.execute(sql`
    delete from task_deployments k using task_build_runs b
    where k.account_id = ${accountId} and k.deployment_id = ${deploymentId} and b.account_id = k.account_id and b.task_id = k.task_id
      and b.build_run_id = ${buildId}`)
