import type { BuildStatus } from '../../../contract/sets.ts'
import { artifactsOf, branchOf, revisionOf, seconds } from '../../build-report.ts'
import type { Fact } from '../../facts.ts'
import { at, link, number, object, text, time, Unreadable, word } from '../../reading.ts'
import { changelistIn, jobPath, originIn } from './job.ts'
import { statusOf } from './status.ts'

/** Jenkins' Notification plugin: one post for every phase of a run. */

export const isNotification = (body: unknown): boolean =>
  object(at(body, 'build')) !== undefined && text(at(body, 'name')) !== undefined && at(body, 'job_name') === undefined

const phaseOf = (body: unknown) => text(at(body, 'build', 'phase'))?.toUpperCase()

export const notificationEvent = (body: unknown): string => `notification ${phaseOf(body) ?? ''}`.trim()

export function notificationKey(body: unknown): string | undefined {
  const parts = [text(at(body, 'name')), word(at(body, 'build', 'number')), phaseOf(body)]
  return parts.includes(undefined) ? undefined : JSON.stringify(parts)
}

/** Before the end the phase decides: Jenkins may report a passing result while the run continues. */
const EARLY: ReadonlyMap<string, BuildStatus> = new Map([
  ['QUEUED', 'queued'],
  ['STARTED', 'building'],
])
const LATE = ['COMPLETED', 'FINALIZED']

export function readNotification(body: unknown): Fact[] {
  const build = object(at(body, 'build'))
  const [name, run, phase] = [text(at(body, 'name')), word(at(build, 'number')), phaseOf(body)]
  if (!build || name === undefined || run === undefined || phase === undefined)
    throw new Unreadable('A build notification is JSON with name, build.number and build.phase.')

  const early = EARLY.get(phase)
  const status = early ? { status: early } : LATE.includes(phase) ? statusOf(at(build, 'status')) : undefined
  if (!status) return []
  const scm = at(build, 'scm')
  return [
    {
      kind: 'build',
      build: { job: fullName(name, body), number: run },
      ...status,
      ...revisionOf(at(scm, 'commit')),
      ...times(phase, build),
      ...changelist(at(build, 'parameters')),
      ...originIn(fullName(name, body), at(build, 'parameters')),
      branch: branchOf(at(scm, 'branch')),
      url: link(at(build, 'full_url')),
      log: text(at(build, 'log')),
      artifacts: artifactsOf(at(build, 'artifacts')),
    },
  ]
}

/** The name omits the folders, the URL has them; a URL of another job is ignored. */
function fullName(name: string, body: unknown): string {
  const path = jobPath(at(body, 'url'))?.job
  return path?.endsWith(`/${name}`) ? path : name
}

function changelist(parameters: unknown): { changelist?: string } {
  const reported = changelistIn(parameters)
  return reported === undefined ? {} : { changelist: reported }
}

/** The timestamp is the time of the phase: COMPLETED is the end of the run, FINALIZED some time after it. */
function times(phase: string, build: unknown) {
  const stamp = number(at(build, 'timestamp'))
  // Zero means unknown if a run had no executor.
  const moment = stamp ? time(stamp) : undefined
  const length = number(at(build, 'duration')) || undefined
  const started = phase === 'COMPLETED' && stamp && length !== undefined ? time(stamp - length) : undefined
  return {
    at: moment,
    started_at: phase === 'STARTED' ? moment : started,
    finished_at: phase === 'COMPLETED' ? moment : undefined,
    duration_seconds: LATE.includes(phase) ? seconds(length) : undefined,
  }
}
