import type { CiAction } from '../../contract/sets.ts'
import type { Database } from '../../db/database.ts'
import type { ProjectKey } from '../../db/project-key.ts'
import { subjectOf } from '../../domain/breakages/bisection/bisection-subject.ts'
import * as subjects from '../../domain/integrations/job-subjects.ts'
import { providers } from '../providers/index.ts'
import { locationOf, reachableBy, type Wanted } from './reach.ts'

/** Which buttons people see: only requests that `reach` would send for them. */

type Asking = ProjectKey & { isLead: boolean }

/** Where a build's CI does this. */
export const placeOf = (action: CiAction, build: subjects.BuildSubject): Wanted =>
  action === 'start' && providers[build.provider].places?.startsByJob ? { job: build.ci_job_name } : locationOf(build)

export async function reachableActions(
  db: Database,
  { account_id, isLead }: Asking,
  buildId: number,
  actions: readonly CiAction[],
): Promise<CiAction[]> {
  const build = actions.length > 0 ? await subjects.build(db, { account_id, id: buildId }) : undefined
  if (!build) return []
  const isReachable = await reachableBy(db, build)
  return actions.filter((action) => isReachable({ ...placeOf(action, build), isLead }))
}

/** The breakage as this person may bisect it. */
export async function bisectableBy<B extends { id: string; can_bisect: boolean }>(
  db: Database,
  { isLead, ...project }: Asking,
  breakage: B,
): Promise<B> {
  if (!breakage.can_bisect) return breakage
  const subject = await subjectOf(db, project, Number(breakage.id))
  const { account_id } = project
  const integration = subject?.integration_id && (await subjects.integration(db, { account_id, id: subject.integration_id }))
  if (!integration) return breakage
  const isReachable = await reachableBy(db, integration)
  return { ...breakage, can_bisect: isReachable({ job: subject?.job ?? undefined, isLead }) }
}
