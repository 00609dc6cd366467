import type { DeploymentStatus } from '../../../contract/sets.ts'
import { storeOf as storeWord } from '../../../contract/spellings/stores.ts'
import type { Fact } from '../../facts.ts'
import { at, type Json, text, time, Unreadable, word } from '../../reading.ts'
import { storeOf, trackIn } from '../../reports/environment.ts'

const SHA = /^[0-9a-f]{40}$|^[0-9a-f]{64}$/

const RELEASE_ACTIONS: ReadonlySet<string> = new Set(['created', 'edited', 'published', 'released', 'prereleased'])
const WITHDRAWN: ReadonlySet<string> = new Set(['deleted', 'unpublished'])

/** A release is live as soon as it is not a draft. GitHub reports the same publication two or three times, with the same content. */
export function release(body: Json): Fact[] {
  const reported = at(body, 'release')
  const tag = text(at(reported, 'tag_name'))
  if (tag === undefined) throw new Unreadable('A release must have a tag.')
  const action = text(at(body, 'action')) ?? ''
  const withdrawn = WITHDRAWN.has(action)
  if (!withdrawn && !RELEASE_ACTIONS.has(action)) return []

  const draft = at(reported, 'draft') === true
  const target = text(at(reported, 'target_commitish'))
  const pinned = target !== undefined && SHA.test(target)
  return [
    {
      kind: 'deployment',
      platform: 'custom',
      store: 'github',
      track: at(reported, 'prerelease') === true ? 'prerelease' : 'release',
      key: `release:${tag}`,
      status: withdrawn ? 'rolled_back' : draft ? 'pending' : 'live',
      version: tag,
      external_id: word(at(reported, 'id')),
      branch: pinned ? undefined : target,
      commit: pinned ? target : undefined,
      at: withdrawn ? undefined : time(draft ? at(reported, 'created_at') : at(reported, 'published_at')),
    },
  ]
}

/** Without `inactive`: a later deployment superseded it, which undoes nothing. */
const STATES: ReadonlyMap<string, DeploymentStatus> = new Map([
  ['pending', 'pending'],
  ['queued', 'pending'],
  ['waiting', 'pending'],
  ['in_progress', 'uploading'],
  ['success', 'live'],
  ['failure', 'rejected'],
  ['error', 'rejected'],
])

export function deploymentStatus(body: Json): Fact[] {
  const [deployment, report] = [at(body, 'deployment'), at(body, 'deployment_status')]
  const id = word(at(deployment, 'id'))
  if (id === undefined) throw new Unreadable('A deployment must have an id.')
  const status = STATES.get(text(at(report, 'state')) ?? '')
  if (status === undefined) return []

  const [commit, ref, payload] = [text(at(deployment, 'sha')), text(at(deployment, 'ref')), at(deployment, 'payload')]
  const environment = text(at(report, 'environment')) ?? text(at(deployment, 'environment'))
  const named = text(at(payload, 'platform')) ?? text(at(payload, 'store'))
  const platform = storeOf(named, at(report, 'environment'), at(deployment, 'environment'))
  const store = platform === 'custom' && named !== undefined ? storeWord(named) : ''
  return [
    {
      kind: 'deployment',
      platform,
      ...(store !== '' && { store }),
      track: text(at(payload, 'track')) ?? trackIn(environment ?? '', platform),
      key: `deployment:${id}`,
      job_name: text(at(payload, 'job_name')),
      build_number: word(at(payload, 'build_number')),
      status,
      version: word(at(payload, 'version')),
      external_id: id,
      branch: ref === commit ? undefined : ref,
      commit,
      at: time(at(report, 'updated_at') ?? at(report, 'created_at')),
    },
  ]
}
