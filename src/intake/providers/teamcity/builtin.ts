import type { BuildStatus } from '../../../contract/sets.ts'
import { originOf } from '../../build-origin.ts'
import { between } from '../../build-report.ts'
import type { Fact } from '../../facts.ts'
import { at, link, object, text, time, word } from '../../reading.ts'
import { agentOf } from '../../reports/build-dimensions.ts'
import { branchIn, changelistIn, jobName, propertyIn } from './build.ts'
import { revisionIn } from './revision.ts'

/** Webhooks that are part of TeamCity: the payload is the build as its REST API shows it. */

export const isBuiltin = (body: unknown): boolean =>
  text(at(body, 'eventType')) !== undefined && object(at(body, 'payload')) !== undefined

export const builtinEvent = (body: unknown): string => text(at(body, 'eventType')) ?? 'unknown'

/** A build leaves the queue when it is removed, but also when it starts. */
const WITHOUT_STATE = ['BUILD_REMOVED_FROM_QUEUE']

export function readBuiltin(body: unknown): Fact[] {
  const [event, build] = [builtinEvent(body), at(body, 'payload')]
  if (WITHOUT_STATE.includes(event) || event.startsWith('AGENT_')) return []
  const [id, type, number] = [word(at(build, 'id')), text(at(build, 'buildTypeId')), word(at(build, 'number'))]
  const job = jobName(at(build, 'buildType', 'projectName'), at(build, 'buildType', 'name')) ?? type
  const status = statusOf(event, build)
  if (job === undefined || (id === undefined && number === undefined)) return []

  const isOver = status !== undefined && status !== 'queued' && status !== 'building'
  const started_at = time(at(build, 'startDate'))
  const finished_at = isOver ? (time(at(build, 'finishDate')) ?? time(at(build, 'canceledInfo', 'timestamp'))) : undefined
  return [
    {
      kind: 'build',
      build: { ...(id !== undefined && { external_id: `build:${id}` }), job, number },
      // A payload that people reduced to a few fields may only update a build.
      ...(status === undefined || at(build, 'state') === undefined ? { existing: true } : {}),
      status,
      ...withChangelist(build, number),
      branch: branchIn(at(build, 'branchName')) ?? branchIn(at(build, 'revisions', 'revision', 0, 'vcsBranchName')),
      ...originOf({
        preflight: at(build, 'personal') === true,
        shelf: propertyIn(at(build, 'properties', 'property'), /shelvedChangelist$/i),
        branch: at(build, 'branchName'),
      }),
      url: link(at(build, 'webUrl')),
      agent: agentOf(at(build, 'agent')),
      phase: status === 'building' ? text(at(build, 'running-info', 'currentStageText')) : undefined,
      started_at,
      finished_at,
      duration_seconds: between(started_at, finished_at),
      at: finished_at ?? (status === 'building' ? started_at : time(at(build, 'queuedDate'))),
    },
  ]
}

const withChangelist = (build: unknown, number: string | undefined) => {
  const revision = revisionIn(build)
  const changelist = revision.changelist ?? changelistIn(number)
  return { ...revision, ...(changelist !== undefined && { changelist }) }
}

/** While a build runs its status is `SUCCESS` until something fails, so the state counts first. */
function statusOf(event: string, build: unknown): BuildStatus | undefined {
  if (event === 'BUILD_INTERRUPTED' || object(at(build, 'canceledInfo'))) return 'cancelled'
  switch (text(at(build, 'state')) ?? stateAt(event)) {
    case 'queued':
      return 'queued'
    case 'running':
      return 'building'
    case 'finished':
      return resultOf(build)
    default:
      return undefined
  }
}

const stateAt = (event: string) => (event === 'BUILD_STARTED' ? 'running' : event === 'BUILD_FINISHED' ? 'finished' : undefined)

function resultOf(build: unknown): BuildStatus | undefined {
  if (at(build, 'failedToStart') === true) return 'failed'
  return RESULTS.get(text(at(build, 'status')) ?? '')
}

const RESULTS: ReadonlyMap<string, BuildStatus> = new Map([
  ['SUCCESS', 'completed'],
  ['FAILURE', 'failed'],
  ['ERROR', 'failed'],
  ['UNKNOWN', 'cancelled'],
])
