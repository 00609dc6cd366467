import { cancel, enqueue, type Jobs } from '../../../db/queue.ts'
import * as logStream from '../../../domain/builds/log-stream.ts'
import * as logs from '../../../domain/builds/logs.ts'
import * as builds from '../../../domain/builds/report.ts'
import { openConfig } from '../../../domain/integrations/config.ts'
import * as subjects from '../../../domain/integrations/job-subjects.ts'
import { revisionOf, seconds } from '../../build-report.ts'
import type { Artifact, BuildFact } from '../../facts.ts'
import { asking, type JobContext } from '../../job-context.ts'
import { at, type Json, number, objects, text, time } from '../../reading.ts'
import { stripNul } from '../../strip-nul.ts'
import { readConsole } from './console.ts'
import { pollName } from './follow-up.ts'
import { changelistIn, originIn, upstreamOf } from './job.ts'
import { JenkinsServer } from './server.ts'
import { statusOf } from './status.ts'

const TREE =
  'number,building,inProgress,result,duration,timestamp,artifacts[fileName,relativePath],actions[parameters[name,value],lastBuiltRevision[SHA1],causes[upstreamProject,upstreamBuild]]'
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
  const server = new JenkinsServer(openConfig(vault, build), allowed, signal)
  const path = server.buildPath(build.url)
  if (path === undefined) return log.info({ build_run_id }, 'not polling: the build is not on the configured Jenkins server')

  const reported = await server.json(path, TREE)
  const running = reported.building === true || reported.inProgress === true || text(reported.result) === undefined
  const fact = stripNul(factOf(build_run_id, reported, running, (file) => server.address(`${path}artifact/${file}`)))
  await db.transaction((db) => builds.report(db, build, fact, true))

  const printed = await readConsole(server, path, offset)
  const again = (running || printed.more) && looks < LOOKS
  if (running && !again) log.warn({ build_run_id }, 'stopped polling a build that has been running for a day')
  // In one transaction: a worker that dies here leaves either the old offset with the old log, or the new one with the new.
  await db.transaction(async (db) => {
    if (printed.text !== '') {
      // The console also contains what the build's own command streams.
      await logStream.close(db, { account_id, id: build_run_id })
      await (printed.anew ? logs.replace : logs.append)(db, { account_id, id: build_run_id }, stripNul(printed.text))
    }
    const wait = { ...asking(build), name: pollName(build_run_id), delay: Math.min(LONGEST_WAIT, 2 * 1.5 ** looks) }
    if (again) await enqueue(db, 'poll_jenkins', { account_id, build_run_id, offset: printed.offset, looks: looks + 1 }, wait)
    else await cancel(db, wait)
  })
}

function factOf(build_run_id: number, reported: Json, running: boolean, addressOf: (file: string) => string): BuildFact {
  const started = number(reported.timestamp)
  const length = running ? undefined : number(reported.duration) || undefined
  const actions = objects(reported.actions)
  const changelist = actions.map((action) => changelistIn(at(action, 'parameters'))).find((found) => found !== undefined)
  const revision = actions.map((action) => at(action, 'lastBuiltRevision', 'SHA1')).find((found) => found !== undefined)
  const upstream = actions
    .flatMap((action) => objects(at(action, 'causes')))
    .map(upstreamOf)
    .find((found) => found !== undefined)
  const artifacts = artifactsOf(reported.artifacts, addressOf)
  return {
    kind: 'build',
    build: { build_run_id },
    existing: true,
    ...(running ? { status: 'building' as const } : statusOf(reported.result)),
    ...revisionOf(revision),
    ...(changelist !== undefined && { changelist }),
    ...originIn(
      '',
      actions.flatMap((action) => objects(at(action, 'parameters'))),
    ),
    ...(started !== undefined && { started_at: time(started) }),
    ...(started !== undefined && length !== undefined && { finished_at: time(started + length) }),
    ...(length !== undefined && { duration_seconds: seconds(length) }),
    ...(upstream && { upstream }),
    ...(artifacts.length > 0 && { artifacts }),
  }
}

const artifactsOf = (reported: unknown, addressOf: (file: string) => string): Artifact[] =>
  objects(reported).flatMap((artifact) => {
    const name = text(artifact.relativePath) ?? text(artifact.fileName)
    if (name === undefined) return []
    return [{ name, size_bytes: null, url: addressOf(name.split('/').map(encodeURIComponent).join('/')) }]
  })
