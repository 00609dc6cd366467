import type { Jobs } from '../../../db/queue.ts'
import { object } from '../../reading.ts'
import { LOG, storingLog } from '../failed-log.ts'
import { failedLog } from './job.ts'
import { hordeAt } from './server.ts'

/** Stores the log of the first step of a job that failed. */
export const readHordeLog = storingLog<Jobs['read_horde_log']>(async ({ config, allowed, signal }, { job }) => {
  const { json, get } = hordeAt(config, allowed, signal)
  const id = failedLog(object(await json(`/jobs/${job}`)) ?? {})
  if (id === undefined) return undefined
  return (await get(`/logs/${encodeURIComponent(id)}/data?format=text`, { ...LOG })).body.toString()
})
