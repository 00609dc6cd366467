import type { Jobs } from '../../../db/queue.ts'
import { type Json, objects, text, word } from '../../reading.ts'
import { LOG, storingLog, unlessRefused } from '../failed-log.ts'
import { projectOf } from './places.ts'
import { projectAt } from './server.ts'

/** Stores the log of the first job of a pipeline that failed and has to pass: later ones often fail because of it. */
export const readGitLabLog = storingLog<Jobs['read_gitlab_log']>(
  async ({ config, allowed, signal }, { project, pipeline }, { url }) => {
    // The id is only what the payload says; it counts where all projects are allowed and pages have another host than the API.
    const { json, get } = projectAt(config, projectOf(url, config) ?? project, allowed, signal)
    const listed = objects(await json(`/pipelines/${pipeline}/jobs?scope[]=failed&per_page=100`))
    const [first] = listed
      .filter((job) => job.status === 'failed' && job.allow_failure !== true)
      .toSorted((one, other) => endOf(one).localeCompare(endOf(other)))
    const id = word(first?.id)
    if (id === undefined) return undefined
    return unlessRefused(get(`/jobs/${id}/trace`, { ...LOG }).then(({ body }) => body.toString()))
  },
)

const endOf = (job: Json) => text(job.finished_at) ?? ''
