import { ApiError, cannotBisect } from '../../contract/errors.ts'
import type { ProviderName } from '../../contract/sets.ts'
import type { Database } from '../../db/database.ts'
import type { ProjectKey } from '../../db/project-key.ts'
import { enqueue, type Jobs } from '../../db/queue.ts'
import { subjectOf } from '../../domain/breakages/bisection/bisection-subject.ts'
import { refuse } from '../../domain/breakages/bisection/bisections.ts'
import { asking } from '../../domain/integrations/context.ts'
import * as subjects from '../../domain/integrations/job-subjects.ts'
import type { Abilities, ServerJob } from '../abilities.ts'
import type { JobContext } from '../job-context.ts'
import { NotListed, requireReach } from '../reach/reach.ts'
import { Refused } from './ci-replies.ts'
import { abilitiesOf, servers } from './servers.ts'

type StartJob = (outside: JobContext, payload: Jobs['start_build'], signal?: AbortSignal) => Promise<unknown>

/** Ends the search that the build is for if its CI refuses to build. Any other failure is retried. */
const orEndSearch =
  (start: StartJob): StartJob =>
  async (outside, payload, signal) => {
    try {
      await start(outside, payload, signal)
    } catch (error) {
      const { account_id, build_run_id: id } = payload
      if (!(error instanceof Refused) || !(await refuse(outside.db, { account_id, id }, error.message))) throw error
    }
  }

/** A job about what is on no list of its integration is over: a lead sees what waits. */
const quietly = <Works extends Record<string, ServerJob>>(works: Works): Works =>
  Object.fromEntries(
    Object.entries(works).map(([kind, work]): [string, ServerJob] => [
      kind,
      (outside, payload, signal) =>
        work(outside, payload, signal).catch((error: unknown) => {
          if (!(error instanceof NotListed)) throw error
          outside.log.info({ kind, error: error.message }, 'not asking the server of a tool')
        }),
    ]),
  ) as Works

type JobsOf<Ability> = Ability extends { jobs: infer Works } ? Works : never
type Together<Union> = (Union extends unknown ? (each: Union) => void : never) extends (all: infer All) => void ? All : never

/** Jobs that call the servers of tools, by kind. */
export const serverJobs = quietly(
  Object.assign(
    {},
    ...Object.values<Abilities>(servers).map(({ jobs, starts }) => ({
      ...jobs,
      ...(starts && { [starts]: orEndSearch(jobs![starts] as StartJob) }),
    })),
  ) as Together<JobsOf<(typeof servers)[ProviderName]>>,
)

/** Throws unless the builds of a bisection may be started: for the one who asks, and for the job itself. */
export async function requireBisectable(
  db: Database,
  { isLead, ...project }: ProjectKey & { isLead: boolean },
  breakageId: number | undefined,
) {
  const breakage = await subjectOf(db, project, breakageId)
  if (!breakage?.integration_id || breakage.job === null || breakage.is_running) return
  const integration = await subjects.integration(db, { account_id: project.account_id, id: breakage.integration_id })
  if (!integration) return
  await requireReach(db, integration, { job: breakage.job, isLead }).catch((error: unknown) => {
    throw error instanceof NotListed || error instanceof ApiError ? cannotBisect(error.message) : error
  })
}

/** Passes a build on to the job of its CI, in the queue of its server. */
export async function startBuild({ db }: Pick<JobContext, 'db'>, payload: Jobs['start_build']) {
  const { account_id, build_run_id } = payload
  const build = await subjects.build(db, { account_id, id: build_run_id })
  const kind = build && abilitiesOf(build.provider).starts
  if (!kind) return refuse(db, { account_id, id: build_run_id }, 'The integration was deleted or is paused.')
  await enqueue(db, kind, payload, { ...asking(build), name: `${kind}:${build_run_id}` })
}
