import type { Jobs } from '../../../db/queue.ts'
import { type Json, objects, text, word } from '../../reading.ts'
import { LOG_BYTES, storingLog, unlessRefused } from '../failed-log.ts'
import { projectAt } from './server.ts'

/** Stores the log of the first job of a pipeline that failed and has to pass: later ones often fail because of it. */
export const readGitLabLog = storingLog<Jobs['read_gitlab_log']>(async ({ config, allowed, signal }, { project, pipeline }) => {
  const { json, get } = projectAt(config, project, allowed, signal)
  const listed = objects(await json(`/pipelines/${pipeline}/jobs?scope[]=failed&per_page=100`))
  const [first] = listed
    .filter((job) => job.status === 'failed' && job.allow_failure !== true)
    .toSorted((one, other) => endOf(one).localeCompare(endOf(other)))
  const id = word(first?.id)
  if (id === undefined) return undefined
  return unlessRefused(get(`/jobs/${id}/trace`, { limit: LOG_BYTES }).then(({ body }) => body.toString()))
})

const endOf = (job: Json) => text(job.finished_at) ?? ''
