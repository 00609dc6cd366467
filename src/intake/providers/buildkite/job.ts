import { between } from '../../build-report.ts'
import type { Step } from '../../facts.ts'
import { at, number, text, time, word } from '../../reading.ts'

const STATUSES: ReadonlyMap<string, Step['status']> = new Map([
  ['pending', 'queued'],
  ['waiting', 'queued'],
  ['blocked', 'queued'],
  ['unblocked', 'completed'],
  ['limiting', 'queued'],
  ['limited', 'queued'],
  ['scheduled', 'queued'],
  ['assigned', 'queued'],
  ['accepted', 'queued'],
  ['platform_limiting', 'queued'],
  ['platform_limited', 'queued'],
  ['running', 'running'],
  ['started', 'running'],
  ['canceling', 'running'],
  ['timing_out', 'running'],
  ['passed', 'completed'],
  ['failed', 'failed'],
  ['waiting_failed', 'failed'],
  ['blocked_failed', 'failed'],
  ['unblocked_failed', 'failed'],
  ['broken', 'cancelled'],
  ['timed_out', 'failed'],
  ['canceled', 'cancelled'],
  ['skipped', 'cancelled'],
  ['expired', 'cancelled'],
])

/** A job of a build as a step; undefined for a wait step and for one without a name or a known state. */
export function stepOf(job: unknown): Step | undefined {
  const name = nameOf(job)
  const status = statusOf(job)
  if (name === undefined || status === undefined || at(job, 'type') === 'waiter') return undefined
  const [started_at, finished_at] = [time(at(job, 'started_at')), time(at(job, 'finished_at'))]
  return { name, status, started_at, finished_at, duration_seconds: between(started_at, finished_at), detail: detailOf(job) }
}

function statusOf(job: unknown): Step['status'] | undefined {
  const state = text(at(job, 'state'))
  const exit = number(at(job, 'exit_status'))
  if (state === 'finished' && exit !== undefined) return exit === 0 ? 'completed' : 'failed'
  return STATUSES.get(state ?? '')
}

/** Jobs of a parallel step share their name; only the position tells them apart. */
function nameOf(job: unknown): string | undefined {
  const command = text(at(job, 'command'))?.trimStart().split('\n', 1)[0]
  const name =
    ['name', 'label', 'step_key'].map((key) => text(at(job, key))).find((found) => found !== undefined) ?? text(command)
  const [index, count] = [number(at(job, 'parallel_group_index')), number(at(job, 'parallel_group_total'))]
  return name !== undefined && index !== undefined && count !== undefined && count > 1 ? `${name} ${index + 1}/${count}` : name
}

function detailOf(job: unknown): string | undefined {
  const exit = word(at(job, 'exit_status'))
  const reported = [
    at(job, 'soft_failed') === true && 'soft failure',
    exit !== undefined && exit !== '0' && `exit status ${exit}`,
    text(at(job, 'agent', 'name')) && `on ${text(at(job, 'agent', 'name'))}`,
  ].filter((part) => typeof part === 'string')
  return reported.length > 0 ? reported.join(', ') : undefined
}
