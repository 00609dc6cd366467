import { cancel, enqueue, type Jobs } from '../../../db/queue.ts'
import * as logStream from '../../../domain/builds/log-stream.ts'
import * as logs from '../../../domain/builds/logs.ts'
import * as builds from '../../../domain/builds/report.ts'
import { asking } from '../../../domain/integrations/context.ts'
import * as subjects from '../../../domain/integrations/job-subjects.ts'
import type { JobContext } from '../../job-context.ts'
import { locationOf, reach } from '../../reach/reach.ts'
import { stripNul } from '../../strip-nul.ts'
import { BUILD_TREE, isRunning, readBuild } from './build.ts'
import { readConsole } from './console.ts'
import { pollName } from './follow-up.ts'
import { JenkinsServer } from './server.ts'

const LONGEST_WAIT = 60
/** Delays grow from 2 s to a minute; this many of them are a day. */
const LOOKS = 1_448

/** Reads a build's state and output from Jenkins, and polls again while it runs. */
export async function pollJenkins(
  outside: JobContext,
  { account_id, build_run_id, offset, looks }: Jobs['poll_jenkins'],
  signal?: AbortSignal,
) {
  const { db, vault, allowed, log } = outside
  const build = await subjects.build(db, { account_id, id: build_run_id })
  if (!build?.config.server) return
  const config = await reach({ db, vault, allowed, signal }, build, locationOf(build))
  const server = new JenkinsServer(config, allowed, signal)
  const path = server.buildPath(build.url)
  if (path === undefined) return log.info({ build_run_id }, 'not polling: the build is not on the configured Jenkins server')

  const reported = await server.json(path, BUILD_TREE)
  const running = isRunning(reported)
  const told = readBuild({ build_run_id }, reported, (file) => server.address(`${path}artifact/${file}`))
  const fact = stripNul({ ...told, existing: true as const })
  await db.transaction((db) => builds.reportAll(db, build, [fact]))

  const printed = await readConsole(server, path, offset)
  const again = (running || printed.more) && looks < LOOKS
  if (running && !again) log.warn({ build_run_id }, 'stopped polling a build that has been running for a day')
  // In one transaction: a worker that dies here leaves either the old offset with the old log, or the new one with the new.
  await db.transaction(async (db) => {
    if (printed.text !== '') {
      // The console also contains what the build's own command streams.
      await logStream.close(db, account_id, [build_run_id])
      await (printed.anew ? logs.replace : logs.append)(db, { account_id, id: build_run_id }, stripNul(printed.text))
    }
    const wait = { ...asking(build), name: pollName(build_run_id), delay: Math.min(LONGEST_WAIT, 2 * 1.5 ** looks) }
    if (again) await enqueue(db, 'poll_jenkins', { account_id, build_run_id, offset: printed.offset, looks: looks + 1 }, wait)
    else await cancel(db, wait)
  })
}
