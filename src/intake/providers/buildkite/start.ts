import type { Jobs } from '../../../db/queue.ts'
import * as builds from '../../../domain/builds/report.ts'
import * as subjects from '../../../domain/integrations/job-subjects.ts'
import { Unreachable } from '../../../net/safe-fetch.ts'
import type { JobContext } from '../../job-context.ts'
import { reach } from '../../reach/reach.ts'
import { type Json, link, objects, word } from '../../reading.ts'
import { Refused } from '../ci-replies.ts'
import { buildsOf } from './server.ts'

declare module '../../../db/queue.ts' {
  interface Jobs {
    /** Starts a build of a pipeline at the configured Buildkite organization. */
    start_buildkite: { account_id: number; build_run_id: number }
  }
}

const STARTING = 'starting'
/** Names our build in its meta-data: an attempt that broke off is found by it. */
const MARK = 'goldmaster_build'

/** Starts the pipeline of a queued build at its commit. Its webhooks report the result. */
export async function startBuildkite(
  { db, vault, allowed }: JobContext,
  { account_id, build_run_id }: Jobs['start_buildkite'],
  signal?: AbortSignal,
) {
  const build = await subjects.build(db, { account_id, id: build_run_id })
  if (!build?.config.server || build.status !== 'queued' || build.build_number !== '') return
  if (build.commit_hash === '') throw new Refused('Buildkite can only build commits.')
  const config = await reach({ db, vault, allowed, signal }, build, { job: build.ci_job_name })
  const { send } = buildsOf(build.ci_job_name, config, allowed, signal)
  const begun = (made: Json) =>
    db.transaction((db) =>
      builds.report(db, build, { build: { build_run_id, number: word(made.number)! }, existing: true, url: link(made.web_url) }),
    )

  if (build.phase === STARTING) {
    const answer = await send('GET', `?meta_data[${MARK}]=${build_run_id}`)
    const [earlier] = objects(answer)
    if (earlier) return begun(earlier)
  }
  await db.transaction((db) => builds.report(db, build, { build: { build_run_id }, existing: true, phase: STARTING }))
  const [made] = objects([
    await send('POST', '', {
      commit: build.commit_hash,
      branch: build.branch,
      message: 'Bisection by Goldmaster',
      meta_data: { [MARK]: String(build_run_id) },
    }),
  ])
  if (word(made?.number) === undefined) throw new Unreachable('Buildkite answers without the number of the build.')
  await begun(made!)
}
