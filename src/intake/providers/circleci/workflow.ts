import type { BuildStatus } from '../../../contract/sets.ts'
import { originOf } from '../../build-origin.ts'
import { between } from '../../build-report.ts'
import type { BuildFact, Fact, Step } from '../../facts.ts'
import { at, type Json, link, text, time, Unreadable, word } from '../../reading.ts'

const RESULTS: ReadonlyMap<string, BuildStatus & Step['status']> = new Map([
  ['success', 'completed'],
  ['failed', 'failed'],
  ['error', 'failed'],
  ['unauthorized', 'failed'],
  ['infrastructure_fail', 'failed'],
  ['timedout', 'failed'],
  ['canceled', 'cancelled'],
  ['not_run', 'cancelled'],
])

/** A workflow is a build. One that runs again has the same number and another id: it stays the same build, with its last result. */
export function workflowCompleted(body: Json): Fact[] {
  const { workflow } = body
  const build = buildOf(body)
  if (build === undefined) throw new Unreadable('A workflow must have an id, a name, a project and the number of its pipeline.')
  const status = RESULTS.get(text(at(workflow, 'status')) ?? '')
  if (status === undefined) return []
  const [started_at, finished_at] = [time(at(workflow, 'created_at')), time(at(workflow, 'stopped_at'))]
  return [
    {
      kind: 'build',
      build,
      status,
      ...sourceOf(body),
      url: link(at(workflow, 'url')),
      started_at,
      finished_at,
      duration_seconds: between(started_at, finished_at),
      at: finished_at ?? time(body.happened_at),
    },
  ]
}

/** A job that ended is a step, and the first sign of its workflow. It may arrive after the end of the workflow. */
export function jobCompleted(body: Json): Fact[] {
  const { job, workflow } = body
  const [build, steps] = [buildOf(body), stepOf(job)]
  if (build === undefined || steps.length === 0) return []
  return [
    {
      kind: 'build',
      build,
      status: 'building',
      ...sourceOf(body),
      url: link(at(workflow, 'url')),
      started_at: time(at(workflow, 'created_at')),
    },
    { kind: 'build', build, existing: true, steps },
  ]
}

/** Of a job that has ended. */
export function stepOf(job: unknown): Step[] {
  const [name, status] = [text(at(job, 'name')), RESULTS.get(text(at(job, 'status')) ?? '')]
  if (name === undefined || status === undefined) return []
  const [started_at, finished_at] = [time(at(job, 'started_at')), time(at(job, 'stopped_at'))]
  return [{ name, status, started_at, finished_at, duration_seconds: between(started_at, finished_at) }]
}

/** Undefined if the workflow or its pipeline is unknown. */
function buildOf({ workflow, pipeline, project, organization }: Json): BuildFact['build'] | undefined {
  const [id, name, number] = [text(at(workflow, 'id')), text(at(workflow, 'name')), word(at(pipeline, 'number'))]
  const place = placeOf(project, organization)
  if (id === undefined || name === undefined || number === undefined || place === undefined) return undefined
  return { job: `${place}/${name}`, number }
}

/** `owner/repository`. Projects of GitLab and of the GitHub App have a slug of random letters instead. */
function placeOf(project: unknown, organization: unknown): string | undefined {
  const [slug, name, owner] = [text(at(project, 'slug')), text(at(project, 'name')), text(at(organization, 'name'))]
  const readable = /^(?:github|gh|bitbucket|bb)\/(.+)$/.exec(slug ?? '')?.[1]
  return readable ?? (owner !== undefined && name !== undefined ? `${owner}/${name}` : (name ?? slug))
}

/** Two places for the same, depending on where the repository is. */
function sourceOf({ pipeline }: Json): Partial<BuildFact> {
  const vcs = at(pipeline, 'vcs')
  const git = at(pipeline, 'trigger_parameters', 'git')
  const commit = text(at(vcs, 'revision')) ?? text(at(git, 'checkout_sha'))
  const branch = text(at(vcs, 'branch')) ?? text(at(git, 'branch'))
  const origin = originOf({
    branch,
    repository: at(vcs, 'target_repository_url'),
    head_repository: at(vcs, 'origin_repository_url'),
  })
  return {
    ...(commit !== undefined && { commit_hash: commit }),
    // `pull/16` is not the name of a branch.
    branch: origin.pull_request === undefined ? branch : undefined,
    ...origin,
  }
}
