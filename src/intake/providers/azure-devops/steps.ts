import { between } from '../../build-report.ts'
import type { Fact, Step } from '../../facts.ts'
import { at, type Json, object, text, time } from '../../reading.ts'
import { runId } from './builds.ts'

const STATES: ReadonlyMap<string, Step['status']> = new Map([
  ['notStarted', 'queued'],
  ['waiting', 'queued'],
  ['running', 'running'],
  ['canceling', 'running'],
])
const RESULTS: ReadonlyMap<string, Step['status']> = new Map([
  ['succeeded', 'completed'],
  ['succeededWithIssues', 'completed'],
  ['failed', 'failed'],
  ['rejected', 'failed'],
  ['abandoned', 'cancelled'],
  ['canceled', 'cancelled'],
  ['skipped', 'cancelled'],
])

/** A stage, or a job in it, is a step of the run's build. */
export function stepChanged(_: Json, resource: Json): Fact[] {
  const [id, subject] = [runId(resource), object(resource.job) ?? object(resource.stage)]
  const [stage, job] = [nameOf(resource.stage), nameOf(resource.job)]
  // A pipeline without stages or jobs has one without a name.
  const name = subject === resource.job ? job && [stage, job].filter(Boolean).join(' / ') : stage
  const state = text(at(subject, 'state')) ?? ''
  const status = state === 'completed' ? RESULTS.get(text(at(subject, 'result')) ?? '') : STATES.get(state)
  if (id === undefined || !name || status === undefined) return []
  const [started_at, finished_at] = [time(at(subject, 'startTime')), time(at(subject, 'finishTime'))]
  const step: Step = { name, status, started_at, finished_at, duration_seconds: between(started_at, finished_at) }
  return [{ kind: 'build', build: { external_id: `build:${id}` }, existing: true, steps: [step] }]
}

const nameOf = (part: unknown): string | undefined => {
  const name = text(at(part, 'name'))
  return name === '__default' ? undefined : (text(at(part, 'displayName')) ?? name)
}
