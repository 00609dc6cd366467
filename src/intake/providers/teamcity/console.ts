import type { Jobs } from '../../../db/queue.ts'
import { safeFetch } from '../../../net/safe-fetch.ts'
import { text } from '../../reading.ts'
import { failureOf } from '../ci-replies.ts'
import { LOG, storingLog } from '../failed-log.ts'

const PATH = '/downloadBuildLog.html'
const NEEDS = 'Check the server in the integration settings. The user of the access token needs the role Project viewer.'

/** Stores the log of a failed build. */
export const readTeamCityLog = storingLog<Jobs['read_teamcity_log']>(async ({ config, allowed, signal }, { build: id }) => {
  const reply = await safeFetch(
    `${text(config.server)!.replace(/\/$/, '')}${PATH}?buildId=${id}`,
    (host, ip, port) => allowed(host, ip, port, 'teamcity'),
    {
      headers: { authorization: `Bearer ${text(config.api_token) ?? ''}` },
      ...LOG,
      ...(signal && { signal }),
    },
  )
  if (reply.status !== 200) throw failureOf(reply, { ci: 'TeamCity', request: PATH, needs: NEEDS })
  return reply.body.toString()
})
