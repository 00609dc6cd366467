import { between, seconds } from '../../build-report.ts'
import type { Fact, Step } from '../../facts.ts'
import { at, type Json, number, text, time, Unreadable, word } from '../../reading.ts'
import { agentOf } from '../../reports/build-dimensions.ts'

const STATUSES: ReadonlyMap<string, Step['status']> = new Map([
  ['created', 'queued'],
  ['waiting_for_resource', 'queued'],
  ['waiting_for_callback', 'queued'],
  ['pending', 'queued'],
  ['scheduled', 'queued'],
  // Somebody has to start it.
  ['manual', 'queued'],
  ['preparing', 'running'],
  ['running', 'running'],
  ['canceling', 'running'],
  ['success', 'completed'],
  ['failed', 'failed'],
  ['canceled', 'cancelled'],
  ['skipped', 'cancelled'],
])

/** A job is a step of its pipeline's build. Alone it doesn't know the pipeline's number, so it never creates a build. */
export function job(body: Json): Fact[] {
  // Old versions have the pipeline only as the "id" of its commit.
  const pipeline = word(at(body, 'pipeline_id')) ?? word(at(body, 'commit', 'id'))
  if (pipeline === undefined) throw new Unreadable('A job must name its pipeline.')
  const step = stepOf({
    name: at(body, 'build_name'),
    status: at(body, 'build_status'),
    started_at: at(body, 'build_started_at'),
    finished_at: at(body, 'build_finished_at'),
    duration: at(body, 'build_duration'),
    failure_reason: at(body, 'build_failure_reason'),
    allow_failure: at(body, 'build_allow_failure'),
    runner: at(body, 'runner'),
  })
  return step ? [{ kind: 'build', build: { external_id: `pipeline:${pipeline}` }, existing: true, steps: [step] }] : []
}

/** A job as pipelines list it; undefined without a name or a known state. */
export function stepOf(told: Json): Step | undefined {
  const name = text(told.name)
  const status = STATUSES.get(text(told.status) ?? '')
  if (name === undefined || status === undefined) return undefined
  const [started_at, finished_at] = [time(told.started_at), time(told.finished_at)]
  const duration = finished_at === undefined ? undefined : number(told.duration)
  return {
    name,
    status,
    started_at,
    finished_at,
    duration_seconds: duration === undefined ? between(started_at, finished_at) : seconds(duration * 1000),
    detail: detailOf(told, status),
  }
}

/** The machine that runs a job, by the name people gave its runner. */
export const runnerOf = (job: unknown): string | undefined => agentOf(at(job, 'runner', 'description'))

/** Jobs that passed have a failure reason too. */
function detailOf(told: Json, status: Step['status']): string | undefined {
  const [reason, runner] = [text(told.failure_reason), runnerOf(told)]
  const parts = [
    status === 'failed' && told.allow_failure === true && 'allowed to fail',
    status === 'failed' && reason !== undefined && reason.replaceAll('_', ' '),
    runner !== undefined && `on ${runner}`,
  ].filter((part) => typeof part === 'string')
  return parts.length > 0 ? parts.join(', ') : undefined
}
