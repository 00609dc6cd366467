import type { BuildStatus } from '../../../contract/sets.ts'
import { branchOf, revisionOf, seconds } from '../../build-report.ts'
import type { Fact } from '../../facts.ts'
import { at, link, number, objects, text, time, Unreadable, word } from '../../reading.ts'
import { changelistIn, jobPath, originIn } from './job.ts'
import { statusOf } from './status.ts'

/** Jenkins' Generic Event plugin: `data` is the REST API's representation of the item or run. */

export const isPluginEvent = (body: unknown): boolean =>
  typeof at(body, 'data') === 'object' && text(at(body, 'type')) !== undefined && text(at(body, 'dataType')) !== undefined

export const pluginEvent = (body: unknown): string => text(at(body, 'type')) ?? 'event'

const EARLY: ReadonlyMap<string, BuildStatus> = new Map([
  ['run.initialized', 'preparing'],
  ['run.started', 'building'],
])
const LATE = ['run.completed', 'run.finalized']

export function readPluginEvent(body: unknown): Fact[] {
  const [event, data] = [pluginEvent(body), at(body, 'data')]
  const early = EARLY.get(event)
  const status = early ? { status: early } : LATE.includes(event) ? statusOf(at(data, 'result')) : undefined
  if (!status) return []

  const path = jobPath(at(body, 'url'))
  const run = word(at(data, 'number')) ?? path?.number
  if (!path || run === undefined) throw new Unreadable('A run event names its job in url and its number in data.number.')
  const started = number(at(data, 'timestamp')) || undefined
  const length = LATE.includes(event) ? number(at(data, 'duration')) || undefined : undefined
  const actions = objects(at(data, 'actions'))
  const revision = actions.map((action) => at(action, 'lastBuiltRevision')).find((found) => found !== undefined)
  const changelist = actions.map((action) => changelistIn(at(action, 'parameters'))).find((found) => found !== undefined)
  return [
    {
      kind: 'build',
      build: { job: path.job, number: run },
      ...status,
      ...revisionOf(at(revision, 'SHA1')),
      ...(changelist !== undefined && { changelist }),
      branch: branchOf(at(revision, 'branch', 0, 'name')),
      ...originIn(
        path.job,
        actions.flatMap((action) => objects(at(action, 'parameters'))),
      ),
      url: link(at(data, 'url')),
      started_at: time(started),
      finished_at: started !== undefined && length !== undefined ? time(started + length) : undefined,
      duration_seconds: seconds(length),
      at: time(at(body, 'time')),
    },
  ]
}
