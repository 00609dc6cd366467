import type { DeploymentEdit } from '../../contract/bodies.ts'
import { invalidParameter, notFound } from '../../contract/errors.ts'
import type { ReplyOf } from '../../contract/routes.ts'
import type { BuildBasis, DeploymentStatus } from '../../contract/sets.ts'
import { type Database, sql } from '../../db/database.ts'
import type { ProjectKey } from '../../db/project-key.ts'
import { MAY_BE_SHIPPED } from '../branches/build-statuses.ts'
import { lockProject } from '../branches/project-lock.ts'
import { setBuild } from './build-link.ts'
import { find } from './deployments.ts'
import { note } from './history.ts'

interface StoredDeployment {
  id: string
  account_id: number
  project_id: number
  status: DeploymentStatus
  build_run_id: number | null
  build_basis: BuildBasis | ''
}

/** Edits by a person: a status that no store reports, or a build that no report names. */
export function edit(
  db: Database,
  by: ProjectKey & { user_id: number },
  id: string,
  input: DeploymentEdit,
): Promise<ReplyOf<'showDeployment'>> {
  return db.transaction(async (db) => {
    await lockProject(db, by.project_id)
    const { id: found } = await find(db, by, id)
    const known = await db.one<StoredDeployment>(sql`
      select id, account_id, project_id, status, build_run_id, build_basis from deployments
      where account_id = ${by.account_id} and id = ${found} for update`)
    if (!known) throw notFound('Deployment')
    const why = input.note ?? ''
    if (input.build_run_id !== undefined) {
      if (input.build_run_id !== null) await requirePassed(db, by, input.build_run_id)
      await setBuild(db, known, input.build_run_id, 'person', by.user_id, why)
    }
    if (input.status !== undefined) await setStatus(db, known, input.status, by.user_id, why)
    if (input.status === undefined && input.build_run_id === undefined)
      await note(db, known, { kind: 'note', user_id: by.user_id, note: why })
    return find(db, by, known.id)
  })
}

async function requirePassed(db: Database, project: ProjectKey, buildId: number) {
  const build = await db.one<{ status: string; has_passed: boolean }>(sql`
    select b.status, ${MAY_BE_SHIPPED} as has_passed from build_runs b
    where b.account_id = ${project.account_id} and b.project_id = ${project.project_id} and b.id = ${buildId} for share`)
  if (!build) throw invalidParameter('build_run_id', 'must be a build run of this project')
  if (!build.has_passed) throw invalidParameter('build_run_id', `must be a build run that passed; this one is ${build.status}`)
}

/** Sets the same timestamps as a report by the store. */
async function setStatus(db: Database, known: StoredDeployment, status: DeploymentStatus, userId: number, why: string) {
  const reached = (isReached: boolean) => sql`case when ${isReached} then now() end`
  await db.execute(sql`
    update deployments set status = ${status}, status_at = now(), updated_at = now(),
      submitted_at = coalesce(submitted_at, ${reached(status === 'submitted' || status === 'in_review')}),
      deployed_at = coalesce(deployed_at, ${reached(status === 'live')}),
      live_at = ${known.status === 'live' ? sql`live_at` : sql`coalesce(${reached(status === 'live')}, live_at)`}
    where account_id = ${known.account_id} and id = ${known.id}`)
  await note(db, known, { kind: 'status', user_id: userId, before: known.status, after: status, note: why })
}
