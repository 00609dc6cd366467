import type { BuildStatus } from '../../../contract/sets.ts'
import { originOf } from '../../build-origin.ts'
import { between, branchOf, logOf, revisionOf } from '../../build-report.ts'
import type { BuildFact } from '../../facts.ts'
import { at, link, object, text, time, Unreadable, word } from '../../reading.ts'
import { agentOf, dimensionsOf } from '../../reports/build-dimensions.ts'
import { stepOf } from './job.ts'

const STATUSES: ReadonlyMap<string, BuildStatus> = new Map([
  ['creating', 'queued'],
  ['scheduled', 'queued'],
  ['waiting', 'queued'],
  ['running', 'building'],
  ['started', 'building'],
  ['failing', 'building'],
  ['canceling', 'building'],
  ['passed', 'completed'],
  ['failed', 'failed'],
  ['waiting_failed', 'failed'],
  ['canceled', 'cancelled'],
  ['skipped', 'cancelled'],
  ['not_run', 'cancelled'],
  ['blocked', 'passed_pending_approval'],
])

/** An event about a build or one of its jobs. */
export function read(body: unknown, subject: 'build' | 'job'): BuildFact[] {
  const build = object(at(body, 'build'))
  const [job, run] = [pipelineOf(body), word(at(build, 'number'))]
  if (!build || job === undefined || run === undefined) throw new Unreadable('A Buildkite event carries its build and pipeline.')

  const step = subject === 'job' ? stepOf(at(body, 'job')) : undefined
  const state = STATUSES.get(text(at(build, 'state')) ?? '')
  if ((subject === 'build' && !state) || (subject === 'job' && !step)) return []
  // A build that stopped at a block step keeps the state of the steps before it.
  const held = state === 'passed_pending_approval' || (state === 'completed' && at(build, 'blocked') === true)
  const [started_at, finished_at] = [time(at(build, 'started_at')), time(at(build, 'finished_at'))]
  const changelist = revisionOf(at(build, 'meta_data', 'changelist')).changelist
  const fact: BuildFact = {
    kind: 'build',
    build: { job, number: run },
    ...(held ? { status: 'passed_pending_approval', held: true } : { status: state }),
    ...revisionOf(at(build, 'commit')),
    ...(changelist !== undefined && { changelist }),
    branch: branchOf(at(build, 'branch')),
    ...originOf({ pull_request: at(build, 'pull_request') }),
    url: link(at(build, 'web_url')),
    started_at,
    finished_at,
    duration_seconds: between(started_at, finished_at),
    // Buildkite sends no logs; a step may leave the tail in the build's meta-data.
    log: logOf(at(build, 'meta_data')),
    ...dimensionsOf(at(build, 'meta_data')),
    ...(step && { agent: agentOf(at(body, 'job', 'agent')) }),
    steps: step && [step],
    at: step ? (step.finished_at ?? step.started_at) : (finished_at ?? started_at ?? time(at(build, 'scheduled_at'))),
  }
  return [fact]
}

/** The slug, as in `BUILDKITE_PIPELINE_SLUG`; a `project` in payloads of 2015; in short ones only the URL. */
function pipelineOf(body: unknown): string | undefined {
  for (const name of ['pipeline', 'project']) {
    const known = text(at(body, name, 'slug')) ?? text(at(body, name, 'name'))
    if (known !== undefined) return known
  }
  return /\/(?:pipelines|projects)\/([^/]+)\/builds\//.exec(text(at(body, 'build', 'url')) ?? '')?.[1]
}
