import type { Fact, ReferenceFact } from '../../facts.ts'
import type { Provider } from '../../provider.ts'
import { at, type Json, object, objects, text, time, Unreadable } from '../../reading.ts'
import { hmac, signedBy } from '../../signatures.ts'
import { history } from './history.ts'
import { sample } from './sample.ts'
import { server } from './server-settings.ts'
import { setup } from './setup.ts'
import { isTask, taskFact } from './task.ts'

export const asana: Provider = {
  name: 'asana',
  label: 'Asana',
  reports: 'Tasks that are linked from your tasks',
  category: 'trackers',
  paths: ['asana'],
  tokenHeader: 'x-service-token',
  // Asana treats every status but 200 and 204 as a failure.
  answers: 200,
  patience: 10_000,
  signing: 'handed_over',
  // Each webhook created in Asana has its own secret: any of them is accepted.
  verify: ({ headers, raw }, secrets) =>
    secrets.length === 0 ||
    signedBy(secrets, headers['x-hook-signature'], (secret) => hmac('sha256', secret, raw).toString('hex')),
  handshake({ headers }) {
    const secret = text(headers['x-hook-secret'])
    return secret === undefined ? undefined : { headers: { 'x-hook-secret': secret }, secret }
  },
  event({ headers, body }) {
    if (headers['x-hook-secret']) return 'handshake'
    const [first] = objects(at(body, 'events'))
    if (!first) return 'heartbeat'
    return [text(at(first, 'resource', 'resource_type')), text(at(first, 'action'))].filter(Boolean).join('.') || 'unknown'
  },
  read({ body }) {
    if (body === undefined) return []
    if (object(body) === undefined) throw new Unreadable('The body must be a JSON object.')
    return tasks(objects(at(body, 'events')))
  },
  server,
  history,
  setup,
  sample,
}

/** Events are compact, without name and state; several events about one task are one fact, the latest last. */
function tasks(events: Json[]): Fact[] {
  const known = new Map<string, ReferenceFact>()
  for (const event of events) {
    const key = text(at(event, 'resource', 'gid'))
    if (at(event, 'resource', 'resource_type') !== 'task' || !isTask(key)) continue
    const before = known.get(key)
    known.set(key, {
      ...taskFact(key),
      ...before,
      ...assignee(at(event, 'change')),
      ...existence(at(event, 'action')),
      at: time(at(event, 'created_at')) ?? before?.at,
    })
  }
  return [...known.values()]
}

const existence = (action: unknown) => (action === 'deleted' || action === 'undeleted' ? { deleted: action === 'deleted' } : {})

function assignee(change: unknown): { assignee_uid?: string | null } {
  const value = at(change, 'field') === 'assignee' ? at(change, 'new_value') : undefined
  return value === undefined ? {} : { assignee_uid: text(at(value, 'gid')) ?? null }
}
