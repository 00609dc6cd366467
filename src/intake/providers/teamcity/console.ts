import type { Jobs } from '../../../db/queue.ts'
import * as builds from '../../../domain/builds/report.ts'
import { openConfig } from '../../../domain/integrations/config.ts'
import * as subjects from '../../../domain/integrations/job-subjects.ts'
import { safeFetch } from '../../../net/safe-fetch.ts'
import type { JobContext } from '../../job-context.ts'
import { text } from '../../reading.ts'
import { stripNul } from '../../strip-nul.ts'
import { failureOf } from '../ci-replies.ts'

/** A longer log is not read. */
const LOG_BYTES = 64 * 1024 * 1024
const PATH = '/downloadBuildLog.html'
const NEEDS = 'Check the server in the integration settings. The user of the access token needs the role Project viewer.'

/** Stores the log of a failed build. */
export async function readTeamCityLog(
  { db, vault, allowed }: JobContext,
  { account_id, build_run_id, build: id }: Jobs['read_teamcity_log'],
  signal?: AbortSignal,
) {
  const build = await subjects.build(db, { account_id, id: build_run_id })
  if (!build?.config.server || build.status !== 'failed') return
  const { server, api_token } = openConfig(vault, build)
  const reply = await safeFetch(
    `${text(server)!.replace(/\/$/, '')}${PATH}?buildId=${id}`,
    (host, ip, port) => allowed(host, ip, port, 'teamcity'),
    {
      headers: { authorization: `Bearer ${text(api_token) ?? ''}` },
      limit: LOG_BYTES,
      ...(signal && { signal }),
    },
  )
  if (reply.status !== 200) throw failureOf(reply, { ci: 'TeamCity', request: PATH, needs: NEEDS })
  const log = stripNul(reply.body.toString())
  await db.transaction((db) => builds.report(db, build, { build: { build_run_id }, existing: true, log }))
}
