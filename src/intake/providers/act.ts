import { cannotAct, ciFailed } from '../../contract/errors.ts'
import type { ActingProvider, CiAction } from '../../contract/sets.ts'
import type { ProjectKey } from '../../db/project-key.ts'
import { requireAction } from '../../domain/builds/ci-actions.ts'
import { requireParameters } from '../../domain/builds/start-parameters.ts'
import * as subjects from '../../domain/integrations/job-subjects.ts'
import { NoAnswer, Unreachable } from '../../net/safe-fetch.ts'
import type { JobContext } from '../job-context.ts'
import { placeOf } from '../reach/actions.ts'
import { NotListed, reach } from '../reach/reach.ts'
import { servers } from './servers.ts'

const DONE: Record<CiAction, string> = {
  retry: 'The CI runs this build again. It appears here as soon as the CI reports it.',
  stop: 'The CI stops this build. Its page shows the end as soon as the CI reports it.',
  start: 'The CI builds the newest state of the branch. It appears here as soon as the CI reports it.',
}

/** Asks the CI of a build once, and says what it answered. A build that follows from it is reported as every other. */
export async function actOnBuild(
  outside: Pick<JobContext, 'db' | 'vault' | 'allowed'>,
  project: ProjectKey & { isLead: boolean },
  id: number | undefined,
  action: CiAction,
  given: readonly string[] = [],
): Promise<{ message: string }> {
  const { db, allowed } = outside
  const subject = await requireAction(db, project, id, action)
  const parameters = requireParameters(subject.start_parameters, given)
  const build = (await subjects.build(db, subject))!
  try {
    const config = await reach(outside, build, { ...placeOf(action, build), isLead: project.isLead })
    await servers[build.provider as ActingProvider].act(action, build, config, allowed, parameters)
  } catch (error) {
    // Not a failure: the audit log must have what may have happened.
    if (error instanceof NoAnswer && error.mayHaveArrived) return { message: UNCERTAIN }
    if (error instanceof NotListed) throw cannotAct(error.message)
    throw error instanceof Unreachable ? ciFailed(error.message) : error
  }
  return { message: DONE[action] }
}

const UNCERTAIN = 'The CI did not answer. It may have received the request: check there before you repeat it.'
