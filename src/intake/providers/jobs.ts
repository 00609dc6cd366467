import { ApiError, cannotBisect } from '../../contract/errors.ts'
import type { StartableProvider } from '../../contract/sets.ts'
import type { Database } from '../../db/database.ts'
import type { ProjectKey } from '../../db/project-key.ts'
import { enqueue, type JobKind, type Jobs } from '../../db/queue.ts'
import { subjectOf } from '../../domain/breakages/bisection/bisection-subject.ts'
import { refuse } from '../../domain/breakages/bisection/bisections.ts'
import { asking } from '../../domain/integrations/context.ts'
import * as subjects from '../../domain/integrations/job-subjects.ts'
import type { JobContext } from '../job-context.ts'
import { NotListed, requireReach } from '../reach/reach.ts'
import { jobs as azureDevops } from './azure-devops/jobs.ts'
import { jobs as bitbucket } from './bitbucket/jobs.ts'
import { jobs as buildkite } from './buildkite/jobs.ts'
import { Refused } from './ci-replies.ts'
import { jobs as github } from './github/jobs.ts'
import { jobs as gitlab } from './gitlab/jobs.ts'
import { jobs as horde } from './horde/jobs.ts'
import { jobs as jenkins } from './jenkins/jobs.ts'
import { jobs as perforce } from './perforce/jobs.ts'
import { jobs as teamcity } from './teamcity/jobs.ts'

/** Ends the search that the build is for if its CI refuses to build. Any other failure is retried. */
const orEndSearch =
  (start: (outside: JobContext, payload: Jobs['start_build'], signal?: AbortSignal) => Promise<unknown>) =>
  async (outside: JobContext, payload: Jobs['start_build'], signal?: AbortSignal) => {
    try {
      await start(outside, payload, signal)
    } catch (error) {
      const { account_id, build_run_id: id } = payload
      if (!(error instanceof Refused) || !(await refuse(outside.db, { account_id, id }, error.message))) throw error
    }
  }

/** A job about what is on no list of its integration is over: a lead sees what waits. */
const quietly = <Works extends Record<string, Work>>(works: Works): Works =>
  Object.fromEntries(
    Object.entries(works).map(([kind, work]): [string, Work] => [
      kind,
      (outside, payload, signal) =>
        work(outside, payload, signal).catch((error: unknown) => {
          if (!(error instanceof NotListed)) throw error
          outside.log.info({ kind, error: error.message }, 'not asking the server of a tool')
        }),
    ]),
  ) as Works

type Work = (outside: JobContext, payload: never, signal?: AbortSignal) => Promise<unknown>

/** Jobs that call the servers of tools, by kind. Separate from the providers' declarations, which only read. */
export const serverJobs = quietly({
  ...azureDevops,
  ...bitbucket,
  ...buildkite,
  ...github,
  ...gitlab,
  ...horde,
  ...jenkins,
  ...perforce,
  ...teamcity,
  start_buildkite: orEndSearch(buildkite.start_buildkite),
  start_github: orEndSearch(github.start_github),
  start_jenkins: orEndSearch(jenkins.start_jenkins),
})

/** The job that starts a build at each CI. */
const STARTS = {
  jenkins: 'start_jenkins',
  buildkite: 'start_buildkite',
  github: 'start_github',
} as const satisfies Record<StartableProvider, JobKind>

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
  const kind = build && STARTS[build.provider as StartableProvider]
  if (!kind) return refuse(db, { account_id, id: build_run_id }, 'The integration was deleted or is paused.')
  await enqueue(db, kind, payload, { ...asking(build), name: `${kind}:${build_run_id}` })
}
