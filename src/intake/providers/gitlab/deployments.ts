import type { DeploymentStatus } from '../../../contract/sets.ts'
import type { Fact } from '../../facts.ts'
import { at, type Json, text, time, Unreadable, word } from '../../reading.ts'
import { storeOf, trackIn } from '../../reports/environment.ts'
import { repositoryOf } from './project.ts'

const STATES: ReadonlyMap<string, DeploymentStatus> = new Map([
  ['created', 'pending'],
  ['blocked', 'pending'],
  ['running', 'uploading'],
  ['success', 'live'],
  ['failed', 'rejected'],
  ['canceled', 'rejected'],
])

export function deployment(body: Json): Fact[] {
  const id = word(at(body, 'deployment_id'))
  if (id === undefined) throw new Unreadable('A deployment must have an id.')
  const [status, environment] = [STATES.get(text(at(body, 'status')) ?? ''), text(at(body, 'environment'))]
  if (status === undefined || environment === undefined) return []
  const platform = storeOf(environment)
  return [
    {
      kind: 'deployment',
      platform,
      track: trackIn(environment, platform),
      key: `deployment:${id}`,
      status,
      external_id: id,
      // Only the URL has the whole hash. The ref may be a branch or a tag, which nothing tells.
      commit: /\/([0-9a-f]{40}|[0-9a-f]{64})$/.exec(text(at(body, 'commit_url')) ?? '')?.[1],
      at: time(at(body, 'status_changed_at')),
    },
  ]
}

const RELEASE_ACTIONS: readonly unknown[] = ['create', 'update', 'delete']

/** A release is live from its release date on, which may be in the future. */
export function release(body: Json, received: Date): Fact[] {
  const [tag, project] = [text(at(body, 'tag')), repositoryOf(body)]
  if (tag === undefined || project === undefined) throw new Unreadable('A release must have a tag and a project.')
  if (!RELEASE_ACTIONS.includes(at(body, 'action'))) return []
  const withdrawn = at(body, 'action') === 'delete'
  const released = time(at(body, 'released_at'))
  const upcoming = released !== undefined && released > received.toISOString()
  return [
    {
      kind: 'deployment',
      platform: 'custom',
      store: 'gitlab',
      track: 'release',
      key: `release:${project.id}:${tag}`,
      status: withdrawn ? 'rolled_back' : upcoming ? 'pending' : 'live',
      version: tag,
      // Its API lists releases by tag, and without the id.
      external_id: tag,
      commit: text(at(body, 'commit', 'id')),
      at: withdrawn || upcoming ? undefined : released,
    },
  ]
}
