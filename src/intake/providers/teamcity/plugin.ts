import type { BuildStatus } from '../../../contract/sets.ts'
import { originOf } from '../../build-origin.ts'
import { between } from '../../build-report.ts'
import type { Fact } from '../../facts.ts'
import { at, link, text, time, word } from '../../reading.ts'
import { agentOf } from '../../reports/build-dimensions.ts'
import { branchIn, changelistIn, jobName, propertyIn } from './build.ts'

/** The plugin tcWebHooks, with its generic JSON format. All values are text. */

export const isPlugin = (body: unknown): boolean => text(at(body, 'build', 'notifyType')) !== undefined

export const pluginEvent = (body: unknown): string => text(at(body, 'build', 'notifyType')) ?? 'unknown'

const STATUSES: ReadonlyMap<string, BuildStatus> = new Map([
  ['buildAddedToQueue', 'queued'],
  ['buildStarted', 'building'],
  ['changesLoaded', 'building'],
  ['beforeBuildFinish', 'building'],
  ['buildInterrupted', 'cancelled'],
  ['buildSuccessful', 'completed'],
  ['buildFixed', 'completed'],
  ['buildFailed', 'failed'],
  ['buildBroken', 'failed'],
])
const RESULTS: ReadonlyMap<string, BuildStatus> = new Map([
  ['success', 'completed'],
  ['failure', 'failed'],
  ['error', 'failed'],
])

/** Notices about responsibility, pins, mutes and the like have no state of a build. */
export function readPlugin(build: unknown): Fact[] {
  const event = text(at(build, 'notifyType')) ?? ''
  const status = event === 'buildFinished' ? RESULTS.get(text(at(build, 'buildResult')) ?? '') : STATUSES.get(event)
  const [id, number] = [word(at(build, 'buildId')), word(at(build, 'buildNumber'))]
  const job = jobName(at(build, 'projectName'), at(build, 'buildName')) ?? text(at(build, 'buildTypeId'))
  if (status === undefined || job === undefined || (id === undefined && number === undefined)) return []

  const isOver = status !== 'queued' && status !== 'building'
  const [started_at, finished_at] = [time(at(build, 'buildStartTime')), isOver ? time(at(build, 'buildFinishTime')) : undefined]
  const changelist = changelistIn(number)
  const properties = at(build, 'teamcityProperties')
  return [
    {
      kind: 'build',
      build: { ...(id !== undefined && { external_id: `build:${id}` }), job, number },
      status,
      ...(changelist !== undefined && { changelist }),
      branch: branchIn(at(build, 'branchName')),
      ...originOf({
        preflight: propertyIn(properties, /^(?:env\.BUILD_IS_PERSONAL|build\.is\.personal)$/),
        shelf: propertyIn(properties, /shelvedChangelist$/i),
        branch: at(build, 'branchName'),
      }),
      url: link(at(build, 'buildStatusUrl')),
      agent: agentOf(at(build, 'agentName')),
      started_at,
      finished_at,
      duration_seconds: between(started_at, finished_at),
      at: finished_at,
    },
  ]
}
