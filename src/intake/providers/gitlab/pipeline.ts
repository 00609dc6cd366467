import type { BuildStatus } from '../../../contract/sets.ts'
import { originOf } from '../../build-origin.ts'
import { revisionOf, STEPS_MAX, seconds } from '../../build-report.ts'
import type { Artifact, Fact, Step } from '../../facts.ts'
import { at, bytes, type Json, link, number, objects, text, time, Unreadable, word } from '../../reading.ts'
import { dimensionsOf } from '../../reports/build-dimensions.ts'
import { runnerOf, stepOf } from './job.ts'
import { pathOf, repositoryOf } from './project.ts'

const STATUSES: ReadonlyMap<string, BuildStatus> = new Map([
  ['created', 'queued'],
  ['waiting_for_resource', 'queued'],
  ['waiting_for_callback', 'queued'],
  ['pending', 'queued'],
  ['scheduled', 'queued'],
  ['preparing', 'preparing'],
  ['running', 'building'],
  ['canceling', 'building'],
  ['success', 'completed'],
  ['failed', 'failed'],
  ['canceled', 'cancelled'],
  ['skipped', 'cancelled'],
  ['manual', 'passed_pending_approval'],
])
const OVER: readonly (BuildStatus | undefined)[] = ['completed', 'failed', 'cancelled']

/** A pipeline is a build. */
export function pipeline(body: Json): Fact[] {
  const told = at(body, 'object_attributes')
  const [id, path] = [word(at(told, 'id')), pathOf(body)]
  if (id === undefined || path === undefined) throw new Unreadable('A pipeline must have an id and a project.')
  const status = STATUSES.get(text(at(told, 'status')) ?? '')
  // GitLab makes an external pipeline out of statuses that another CI, or this service, sets on a commit.
  if (status === undefined || at(told, 'source') === 'external') return []
  const jobs = objects(at(body, 'builds'))
  if (at(told, 'source') === 'parent_pipeline') return stepsOfParent(body, jobs)

  const held = status === 'passed_pending_approval'
  const repository = repositoryOf(body)
  const started = jobs.flatMap(({ started_at }) => time(started_at) ?? []).toSorted()[0]
  const length = number(at(told, 'duration'))
  const finished_at = OVER.includes(status) ? time(at(told, 'finished_at')) : undefined
  const artifacts = artifactsOf(jobs, link(at(body, 'project', 'web_url')))
  return [
    {
      kind: 'build',
      build: { external_id: `pipeline:${id}`, job: jobName(path, body), number: word(at(told, 'iid')) ?? id },
      status,
      ...(held && { held: true }),
      commit_hash: text(at(told, 'sha')),
      // The ref of a tag's pipeline is the tag.
      branch: at(told, 'tag') === true ? undefined : text(at(told, 'ref')),
      ...origin(body),
      ...variables(at(told, 'variables')),
      ...(repository && { repository }),
      url: link(at(told, 'url')) ?? pageOf(body, id),
      agent: onlyRunner(jobs),
      started_at: started,
      finished_at,
      duration_seconds: finished_at === undefined || length === undefined ? undefined : seconds(length * 1000),
      steps: stepsOf(jobs),
      ...(artifacts.length > 0 && { artifacts }),
      at: finished_at,
    },
  ]
}

/** The jobs of a child pipeline belong to the build of its parent: children of one parent have no names that would tell them apart. */
function stepsOfParent(body: Json, jobs: readonly Json[]): Fact[] {
  const parent = word(at(body, 'source_pipeline', 'pipeline_id'))
  const steps = stepsOf(jobs)
  if (parent === undefined || steps.length === 0) return []
  return [{ kind: 'build', build: { external_id: `pipeline:${parent}` }, existing: true, steps }]
}

/** In their order; the failed ones of a long list are kept. */
function stepsOf(jobs: readonly Json[]): Step[] {
  const steps = jobs.toSorted((one, other) => (number(one.id) ?? 0) - (number(other.id) ?? 0)).flatMap((job) => stepOf(job) ?? [])
  if (steps.length <= STEPS_MAX) return steps
  const kept = new Set(steps.toSorted((one, other) => rank(one) - rank(other)).slice(0, STEPS_MAX))
  return steps.filter((step) => kept.has(step))
}

const rank = ({ status }: Step) => (status === 'failed' ? 0 : 1)

/** The project, and the name of the pipeline if it has one. A name that has the branch or the commit in it is one of this run only. */
function jobName(path: string, body: Json): string {
  const name = text(at(body, 'object_attributes', 'name'))?.trim()
  if (!name) return path
  const ofThisRun = [
    at(body, 'object_attributes', 'ref'),
    at(body, 'merge_request', 'source_branch'),
    at(body, 'merge_request', 'title'),
    at(body, 'commit', 'title'),
    text(at(body, 'commit', 'message'))
      ?.split('\n', 1)[0]
      ?.trim(),
    text(at(body, 'object_attributes', 'sha'))?.slice(0, 8),
  ]
  return ofThisRun.some((part) => text(part) !== undefined && name.includes(text(part)!)) ? path : `${path} / ${name}`
}

function origin(body: Json) {
  const [source, target] = ['source_project_id', 'target_project_id'].map((key) => word(at(body, 'merge_request', key)))
  // The pipeline of a fork runs in the fork. The merge request has its number in the other project.
  const isElsewhere = source !== target && word(at(body, 'project', 'id')) === source
  return originOf({
    preflight: at(body, 'object_attributes', 'source') === 'merge_request_event',
    pull_request: isElsewhere ? undefined : word(at(body, 'merge_request', 'iid')),
    target_branch: at(body, 'merge_request', 'target_branch'),
  })
}

/** Variables that a pipeline was started with may name what it builds; all others are left unread. */
function variables(told: unknown) {
  const values = Object.fromEntries(objects(told).map(({ key, value }) => [text(key)?.toLowerCase(), value]))
  const { platform, configuration } = dimensionsOf(values)
  const { changelist } = revisionOf(values.changelist)
  return {
    ...(platform !== undefined && { platform }),
    ...(configuration !== undefined && { configuration }),
    ...(changelist !== undefined && { changelist }),
  }
}

function pageOf(body: Json, id: string): string | undefined {
  const page = link(at(body, 'project', 'web_url'))
  return page === undefined ? undefined : `${page}/-/pipelines/${id}`
}

/** The machine, if one alone ran all jobs. */
function onlyRunner(jobs: readonly Json[]): string | undefined {
  const runners = new Set(jobs.filter(({ started_at }) => time(started_at) !== undefined).map(runnerOf))
  return runners.size === 1 ? [...runners][0] : undefined
}

const artifactsOf = (jobs: readonly Json[], page: string | undefined): Artifact[] =>
  jobs.flatMap((job) => {
    const [id, name, file] = [word(job.id), text(job.name), text(at(job, 'artifacts_file', 'filename'))]
    if (name === undefined || file === undefined) return []
    const url = page === undefined || id === undefined ? '' : `${page}/-/jobs/${id}/artifacts/download`
    return [{ name: `${name}/${file}`, size_bytes: bytes(at(job, 'artifacts_file', 'size')) ?? null, url }]
  })
