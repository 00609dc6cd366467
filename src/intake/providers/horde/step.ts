import { between, STEPS_MAX } from '../../build-report.ts'
import type { Step } from '../../facts.ts'
import { type Json, objects, text, time, word } from '../../reading.ts'

interface Attempt {
  name: string
  batch: Json
  step: Json
}

/** The last attempt of every step, in the order of the batches: a retried step runs again in a later batch. */
export function lastSteps(job: Json): Attempt[] {
  const attempts = new Map<string, Attempt>()
  for (const batch of objects(job.batches))
    for (const step of objects(batch.steps)) {
      const name = text(step.name) ?? `Step ${word(batch.groupIdx) ?? 0}.${word(step.nodeIdx) ?? 0}`
      attempts.set(name, { name, batch, step })
    }
  return [...attempts.values()]
}

const STATES: ReadonlyMap<string, Step['status']> = new Map([
  ['Unspecified', 'queued'],
  ['Waiting', 'queued'],
  ['Ready', 'queued'],
  ['Running', 'running'],
  ['Skipped', 'cancelled'],
  ['Aborted', 'cancelled'],
  ['Complete', 'completed'],
  ['Completed', 'completed'],
])

const statusOf = ({ state, outcome }: Json): Step['status'] | undefined => {
  const status = STATES.get(text(state) ?? '')
  return status === 'completed' && outcome === 'Failure' ? 'failed' : status
}

export function stepsOf(job: Json): Step[] {
  return lastSteps(job)
    .flatMap(({ name, batch, step }): Step[] => {
      const status = statusOf(step)
      if (status === undefined) return []
      const [started_at, finished_at] = [time(step.startTime), time(step.finishTime)]
      const duration_seconds = between(started_at, finished_at)
      return [{ name, status, started_at, finished_at, duration_seconds, detail: detailOf(batch, step) }]
    })
    .slice(0, STEPS_MAX)
}

/** Labels sum up steps, for example of all editors. Those of UGS alone have no name for people. */
export const labelsOf = (job: Json): Step[] =>
  objects(job.labels).flatMap((label): Step[] => {
    const [name, status] = [text(label.dashboardName), statusOf(label)]
    return name === undefined || status === undefined ? [] : [{ name: `Label: ${name}`, status }]
  })

function detailOf(batch: Json, step: Json): string | undefined {
  const [error, agent] = [text(step.error), text(batch.agentId)]
  const parts = [
    step.outcome === 'Warnings' && 'warnings',
    error !== undefined && error !== 'None' && error,
    agent !== undefined && `on ${agent}`,
  ].filter((part) => typeof part === 'string')
  return parts.length > 0 ? parts.join(', ') : undefined
}
