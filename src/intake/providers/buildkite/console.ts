import type { Jobs } from '../../../db/queue.ts'
import { at, objects, text, time } from '../../reading.ts'
import { LOG, storingLog, unlessRefused } from '../failed-log.ts'
import { stepOf } from './job.ts'
import { buildsOf } from './server.ts'

/** Stores the log of the first job of a build that failed and has to pass: later ones often fail because of it. */
export const readBuildkiteLog = storingLog<Jobs['read_buildkite_log']>(
  async ({ config, allowed, signal }, _, { ci_job_name, build_number }) => {
    const { send, read } = buildsOf(ci_job_name, config, allowed, signal)
    const build = `/${encodeURIComponent(build_number)}`
    const [first] = objects(at(await send('GET', build), 'jobs'))
      .filter((job) => job.soft_failed !== true && stepOf(job)?.status === 'failed')
      .toSorted((one, other) => (time(one.finished_at) ?? '').localeCompare(time(other.finished_at) ?? ''))
    const id = text(first?.id)
    if (id === undefined) return undefined
    // A token without read_build_logs may start builds nevertheless.
    return unlessRefused(read(`${build}/jobs/${encodeURIComponent(id)}/log`, LOG))
  },
)
