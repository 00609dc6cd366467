import type { BuildStatus } from '../../../contract/sets.ts'
import { originOf } from '../../build-origin.ts'
import { between } from '../../build-report.ts'
import type { Fact } from '../../facts.ts'
import { at, type Json, link, text, time, Unreadable, word } from '../../reading.ts'
import { pushedBranch } from '../../reports/git-push.ts'
import { repositoryOf } from './repository.ts'

const RESULTS: ReadonlyMap<string, BuildStatus> = new Map([
  ['succeeded', 'completed'],
  // Only steps failed that are allowed to.
  ['partiallySucceeded', 'completed'],
  ['succeededWithIssues', 'completed'],
  ['failed', 'failed'],
  ['canceled', 'cancelled'],
  ['stopped', 'cancelled'],
])

export function buildComplete(_: Json, resource: Json): Fact[] {
  const [id, job] = [word(resource.id), jobName(resource.definition, 'path')]
  if (id === undefined || job === undefined) throw new Unreadable('A build must have an id and a definition.')
  // Version 1.0 has the result as its status.
  const status = RESULTS.get(text(resource.result) ?? text(resource.status) ?? '')
  if (status === undefined) return []
  const { ref, commit } = sourceOf(resource)
  const repository = at(resource, 'repository', 'type') === 'TfsGit' ? repositoryOf(resource.repository) : undefined
  const [started_at, finished_at] = [time(resource.startTime), time(resource.finishTime)]
  return [
    {
      kind: 'build',
      build: { external_id: `build:${id}`, job, number: word(resource.buildNumber) ?? id },
      status,
      ...(commit !== undefined && { commit_hash: commit }),
      branch: pushedBranch(ref ?? 'refs/'),
      ...originOf({
        preflight: resource.reason === 'pullRequest',
        pull_request: at(resource, 'triggerInfo', 'pr.number'),
        branch: ref,
      }),
      ...(repository && { repository }),
      url: link(at(resource, '_links', 'web', 'href')),
      started_at,
      finished_at,
      duration_seconds: between(started_at, finished_at),
      at: finished_at,
    },
  ]
}

const COMMIT = /^[0-9a-f]{40}$/

/** Numbers are changesets of TFVC, which are no changelists. */
function sourceOf(resource: Json): { ref?: string; commit?: string } {
  const [, oldRef, oldCommit] = /^LG:(.+):([0-9a-f]{40})$/.exec(text(resource.sourceGetVersion) ?? '') ?? []
  const [ref, version] = [text(resource.sourceBranch) ?? oldRef, text(resource.sourceVersion) ?? oldCommit]
  return { ...(ref !== undefined && { ref }), ...(COMMIT.test(version ?? '') && { commit: version! }) }
}

/** A definition with its folder: `\Game\Nightly` and `Win64` are `Game/Nightly/Win64`. */
export function jobName(told: unknown, folder: 'path' | 'folder'): string | undefined {
  const name = text(at(told, 'name'))
  const folders = (text(at(told, folder)) ?? '').split('\\').filter((part) => part !== '')
  return name === undefined ? undefined : [...folders, name].join('/')
}

const STATES: ReadonlyMap<string, BuildStatus> = new Map([
  ['inProgress', 'building'],
  ['canceling', 'building'],
])

/** A run of a pipeline is the build with the same id. */
export function runChanged(_: Json, resource: Json): Fact[] {
  const run = resource.run
  const [id, job] = [runId(resource), jobName(at(run, 'pipeline') ?? resource.pipeline, 'folder')]
  if (id === undefined || job === undefined) throw new Unreadable('A run must have an id and a pipeline.')
  const state = text(at(run, 'state')) ?? ''
  const status = state === 'completed' ? RESULTS.get(text(at(run, 'result')) ?? '') : STATES.get(state)
  if (status === undefined) return []
  const [started_at, finished_at] = [
    time(at(run, 'createdDate')),
    state === 'completed' ? time(at(run, 'finishedDate')) : undefined,
  ]
  return [
    {
      kind: 'build',
      build: { external_id: `build:${id}`, job, number: word(at(run, 'name')) },
      status,
      url: link(at(run, '_links', 'web', 'href')),
      started_at,
      finished_at,
      duration_seconds: between(started_at, finished_at),
      at: finished_at ?? started_at,
    },
  ]
}

/** Some events have the id only in the URL of the run, of a stage or of a job. */
export function runId(resource: Json): string | undefined {
  const hrefs = [resource.run, resource.stage, resource.job].map((part) => text(at(part, '_links', 'web', 'href')))
  const inUrl = hrefs.map((href) => /[?&]buildId=(\d{1,18})/i.exec(href ?? '')?.[1]).find((found) => found !== undefined)
  return word(at(resource, 'run', 'id')) ?? inUrl
}
