import { revisionOf, seconds } from '../../build-report.ts'
import type { Artifact, BuildFact, BuildReference } from '../../facts.ts'
import { at, type Json, number, objects, text, time } from '../../reading.ts'
import { changelistIn, originIn, upstreamOf } from './job.ts'
import { statusOf } from './status.ts'

/** The fields of a build that are read. */
export const BUILD_TREE =
  'number,building,inProgress,result,duration,timestamp,artifacts[fileName,relativePath],actions[parameters[name,value],lastBuiltRevision[SHA1],causes[upstreamProject,upstreamBuild]]'

export const isRunning = (reported: Json): boolean =>
  reported.building === true || reported.inProgress === true || text(reported.result) === undefined

/** A build as its page in the REST API tells it. */
export function readBuild(build: BuildReference, reported: Json, addressOf: (file: string) => string): BuildFact {
  const running = isRunning(reported)
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
    build,
    ...(running ? { status: 'building' as const } : statusOf(reported.result)),
    ...revisionOf(revision),
    ...(changelist !== undefined && { changelist }),
    ...originIn(
      build.job ?? '',
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
