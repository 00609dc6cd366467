import type { Jobs } from '../../../db/queue.ts'
import * as builds from '../../../domain/builds/report.ts'
import { openConfig } from '../../../domain/integrations/config.ts'
import * as subjects from '../../../domain/integrations/job-subjects.ts'
import type { JobContext } from '../../job-context.ts'
import { object } from '../../reading.ts'
import { stripNul } from '../../strip-nul.ts'
import { failedLog } from './job.ts'
import { hordeAt } from './server.ts'

/** A longer log is not read. */
const LOG_BYTES = 64 * 1024 * 1024

/** Stores the log of the first step of a job that failed. */
export async function readHordeLog(
  { db, vault, allowed }: JobContext,
  { account_id, build_run_id, job }: Jobs['read_horde_log'],
  signal?: AbortSignal,
) {
  const build = await subjects.build(db, { account_id, id: build_run_id })
  if (!build?.config.server || build.status !== 'failed') return
  const { json, get } = hordeAt(openConfig(vault, build), allowed, signal)
  const id = failedLog(object(await json(`/jobs/${job}`)) ?? {})
  if (id === undefined) return
  const { body } = await get(`/logs/${encodeURIComponent(id)}/data?format=text`, { limit: LOG_BYTES })
  const log = stripNul(body.toString())
  await db.transaction((db) => builds.report(db, build, { build: { build_run_id }, existing: true, log }))
}
