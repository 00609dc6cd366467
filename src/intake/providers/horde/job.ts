import type { BuildStatus } from '../../../contract/sets.ts'
import { originOf } from '../../build-origin.ts'
import { between, revisionOf } from '../../build-report.ts'
import type { Artifact, Fact } from '../../facts.ts'
import { at, type Json, link, number, object, objects, text, time, Unreadable, word } from '../../reading.ts'
import { agentOf } from '../../reports/build-dimensions.ts'
import { labelsOf, lastSteps, stepsOf } from './step.ts'
import { branchAt } from './streams.ts'

/** A job is a build, of its template at a changelist. */
export function readJob(job: Json, config: Readonly<Json>): Fact[] {
  const [id, template] = [word(job.id), text(job.templateId) ?? text(job.name)]
  if (id === undefined || template === undefined) throw new Unreadable('A Horde job must have an id and a templateId.')
  const status = statusOf(job)
  if (status === undefined) return []
  const runs = lastSteps(job).map(({ step }) => step)
  const isOver = status !== 'queued' && status !== 'building'
  const started_at = runs.flatMap(({ startTime }) => time(startTime) ?? []).toSorted()[0]
  const ends = runs.flatMap(({ finishTime }) => time(finishTime) ?? []).toSorted()
  const finished_at = isOver ? (ends.at(-1) ?? time(job.updateTime)) : undefined
  const artifacts = artifactsOf(job)
  const { changelist } = revisionOf(job.change)
  return [
    {
      kind: 'build',
      build: { external_id: `horde:${id}`, job: template, number: id },
      status,
      ...(changelist !== undefined && { changelist }),
      branch: branchAt(job.streamId, config),
      ...originOf({ shelf: job.preflightChange }),
      url: pageOf(id, config),
      agent: onlyAgent(job),
      started_at,
      finished_at,
      duration_seconds: between(started_at, finished_at),
      steps: [...stepsOf(job), ...labelsOf(job)],
      ...(artifacts.length > 0 && { artifacts }),
      at: finished_at ?? time(job.updateTime),
    },
  ]
}

/** A job that is complete failed if a step failed in its last attempt, or a label did. */
function statusOf(job: Json): BuildStatus | undefined {
  if (job.state === 'Waiting') return 'queued'
  if (job.state === 'Running') return 'building'
  if (job.state !== 'Complete') return undefined
  const outcomes = [
    ...lastSteps(job).map(({ step }) => step.outcome),
    ...[...objects(job.labels), job.defaultLabel].map((label) => at(label, 'outcome')),
  ]
  if (object(job.abortedByUserInfo)) return 'cancelled'
  if (outcomes.includes('Failure')) return 'failed'
  // Nothing ran: it was skipped or aborted.
  return outcomes.includes('Success') || outcomes.includes('Warnings') ? 'completed' : 'cancelled'
}

function pageOf(id: string, config: Readonly<Json>): string | undefined {
  const server = link(config.server)
  return server === undefined ? undefined : `${server.replace(/\/$/, '')}/job/${encodeURIComponent(id)}`
}

/** The machine, if one alone ran all batches. */
function onlyAgent(job: Json): string | undefined {
  const agents = new Set(objects(job.batches).flatMap(({ agentId }) => agentOf(agentId) ?? []))
  return agents.size === 1 ? [...agents][0] : undefined
}

const artifactsOf = (job: Json): Artifact[] =>
  objects(job.artifacts).flatMap((artifact) => {
    const name = text(artifact.name)
    return name === undefined ? [] : [{ name, size_bytes: null, url: '' }]
  })

/** When the server last changed a job, in a form that can be compared. */
export const updatedAt = (job: Json): string => time(job.updateTime) ?? ''

/** The log of the first step that failed: later ones often fail because of it. */
export function failedLog(job: Json): string | undefined {
  const [first] = lastSteps(job)
    .filter(({ step }) => step.outcome === 'Failure')
    .toSorted((one, other) => (time(one.step.finishTime) ?? '').localeCompare(time(other.step.finishTime) ?? ''))
  return word(first?.step.logId)
}

/** A job whose steps have the names of its graph; steps of newer servers have their own. */
export function named(job: Json, graph: unknown): Json {
  const nodeAt = (batch: Json, step: Json) =>
    text(at(graph, 'groups', number(batch.groupIdx) ?? -1, 'nodes', number(step.nodeIdx) ?? -1, 'name'))
  const batches = objects(job.batches).map((batch) => ({
    ...batch,
    steps: objects(batch.steps).map((step) => ({ ...step, name: text(step.name) ?? nodeAt(batch, step) })),
  }))
  return { ...job, batches }
}

export const hasNames = (job: Json): boolean =>
  objects(job.batches).every((batch) => objects(batch.steps).every((step) => text(step.name) !== undefined))
