import type { Jobs } from '../../../db/queue.ts'
import * as builds from '../../../domain/builds/report.ts'
import { openConfig } from '../../../domain/integrations/config.ts'
import * as subjects from '../../../domain/integrations/job-subjects.ts'
import type { JobContext } from '../../job-context.ts'
import { type Json, objects, text, word } from '../../reading.ts'
import { stripNul } from '../../strip-nul.ts'
import { Refused } from '../ci-replies.ts'
import { projectAt } from './server.ts'

/** A longer log is not read. */
const LOG_BYTES = 64 * 1024 * 1024

/** Stores the log of the first job of a pipeline that failed: later ones often fail because of it. */
export async function readGitLabLog(
  { db, vault, allowed }: JobContext,
  { account_id, build_run_id, project, pipeline }: Jobs['read_gitlab_log'],
  signal?: AbortSignal,
) {
  const build = await subjects.build(db, { account_id, id: build_run_id })
  if (!build?.config.server || build.status !== 'failed') return
  const log = await firstFailure(projectAt(openConfig(vault, build), project, allowed, signal), pipeline)
  if (log !== undefined)
    await db.transaction((db) => builds.report(db, build, { build: { build_run_id }, existing: true, log: stripNul(log) }))
}

/** Undefined if no job failed that has to pass, or its log can't be read. */
async function firstFailure({ json, get }: ReturnType<typeof projectAt>, pipeline: string): Promise<string | undefined> {
  const listed = objects(await json(`/pipelines/${pipeline}/jobs?scope[]=failed&per_page=100`))
  const [first] = listed
    .filter((job) => job.status === 'failed' && job.allow_failure !== true)
    .toSorted((one, other) => endOf(one).localeCompare(endOf(other)))
  const id = word(first?.id)
  if (id === undefined) return undefined
  return get(`/jobs/${id}/trace`, { limit: LOG_BYTES }).then(
    ({ body }) => body.toString(),
    (error) => {
      // Logs can be erased.
      if (!(error instanceof Refused)) throw error
      return undefined
    },
  )
}

const endOf = (job: Json) => text(job.finished_at) ?? ''
