import type { BuildStatus } from '../../../contract/sets.ts'
import { OWN_PREFIX } from '../../build-origin.ts'
import { between } from '../../build-report.ts'
import type { Fact, Step } from '../../facts.ts'
import { at, type Json, link, text, time } from '../../reading.ts'
import { cloudRepository } from './repository.ts'

const BUILDS: ReadonlyMap<string, BuildStatus> = new Map([
  ['INPROGRESS', 'building'],
  ['SUCCESSFUL', 'completed'],
  ['FAILED', 'failed'],
  ['STOPPED', 'cancelled'],
])
const STEPS: ReadonlyMap<string, Step['status']> = new Map([
  ['INPROGRESS', 'running'],
  ['SUCCESSFUL', 'completed'],
  ['FAILED', 'failed'],
  ['STOPPED', 'cancelled'],
])

/** A pipeline has no event of its own, only the status that it sets. That of another CI is a step of the commit's build. */
export function commitStatus(body: Json): Fact[] {
  const told = body.commit_status
  const [state, name, key] = [at(told, 'state'), at(told, 'name'), at(told, 'key')].map(text)
  const commit = text(at(told, 'commit', 'hash')) ?? /\/commit\/([0-9a-f]{40,64})$/.exec(hrefOf(told))?.[1]
  if (state === undefined || commit === undefined || isOwn(key) || isOwn(name)) return []
  const isOver = state !== 'INPROGRESS'
  const [started_at, finished_at] = [time(at(told, 'created_on')), isOver ? time(at(told, 'updated_on')) : undefined]
  const times = { started_at, finished_at, duration_seconds: between(started_at, finished_at) }
  return pipeline(body, commit, BUILDS.get(state), times) ?? step(commit, name ?? key, STEPS.get(state), times, told)
}

const isOwn = (told: string | undefined) => told?.startsWith(OWN_PREFIX) === true

type Times = Pick<Step, 'started_at' | 'finished_at' | 'duration_seconds'>

const hrefOf = (told: unknown) => link(at(told, 'links', 'commit', 'href')) ?? ''

const PIPELINE = /\/pipelines\/(?:home(?:#!)?\/)?results\/(\d{1,18})(?:[/?#]|$)/

/** Undefined if the status is not that of a pipeline of the repository. */
function pipeline(body: Json, commit: string, status: BuildStatus | undefined, times: Times): Fact[] | undefined {
  const told = body.commit_status
  const [repository, url] = [cloudRepository(body.repository), link(at(told, 'url'))]
  const number = PIPELINE.exec(url ?? '')?.[1]
  if (repository === undefined || number === undefined || url?.includes(`/${repository.name}/`) !== true) return undefined
  if (status === undefined) return []
  return [
    {
      kind: 'build',
      build: { external_id: `pipeline:${repository.id}:${number}`, job: repository.name, number },
      status,
      commit_hash: commit,
      branch: text(at(told, 'refname')),
      repository,
      url,
      ...times,
      at: time(at(told, 'updated_on')),
    },
  ]
}

function step(commit: string, name: string | undefined, status: Step['status'] | undefined, times: Times, told: unknown): Fact[] {
  if (name === undefined || status === undefined) return []
  const detail = text(at(told, 'description'))
  return [
    {
      kind: 'build',
      build: { commit },
      anywhere: true,
      existing: true,
      steps: [{ name, status, ...times, ...(detail !== undefined && { detail }) }],
    },
  ]
}
