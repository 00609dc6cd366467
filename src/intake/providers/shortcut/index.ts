import type { Fact } from '../../facts.ts'
import type { Provider } from '../../provider.ts'
import { at, type Json, link, list, object, objects, text, time, Unreadable, word } from '../../reading.ts'
import { hmac, signedBy } from '../../signatures.ts'
import { sample } from './sample.ts'
import { server } from './server-settings.ts'
import { setup } from './setup.ts'

export const shortcut: Provider = {
  name: 'shortcut',
  label: 'Shortcut',
  reports: 'Stories that are linked from your tasks',
  category: 'trackers',
  paths: ['shortcut'],
  tokenHeader: null,
  answers: 200,
  // What happens after errors is not documented.
  stopsAfterErrors: true,
  verify: ({ headers, raw }, secrets) =>
    secrets.length === 0 ||
    signedBy(secrets, headers['payload-signature'], (secret) => hmac('sha256', secret, raw).toString('hex')),
  deliveryKey: ({ body }) => text(at(body, 'id')),
  event: ({ body }) =>
    [at(body, 'actions', 0, 'entity_type'), at(body, 'actions', 0, 'action')]
      .map(text)
      .filter((part) => part !== undefined && /^[\w-]{1,40}$/.test(part))
      .join('.') || 'unknown',
  read({ body }) {
    const reported = object(body)
    if (reported === undefined || !Array.isArray(reported.actions))
      throw new Unreadable('The body must be a JSON object with actions.')
    const states = statesIn(reported)
    // One body may change many stories. Epics, tasks of stories, comments and branches are no stories.
    return objects(reported.actions).flatMap((action) => (action.entity_type === 'story' ? story(action, states, reported) : []))
  },
  server,
  setup,
  sample,
}

/** Workflow states have ids; their names are listed separately. */
const statesIn = (body: Json): ReadonlyMap<string, string> =>
  new Map(
    objects(body.references).flatMap(({ entity_type, id, name }): [string, string][] => {
      const [state, label] = [word(id), text(name)]
      return entity_type === 'workflow-state' && state !== undefined && label !== undefined ? [[state, label]] : []
    }),
  )

function story(action: Json, states: ReadonlyMap<string, string>, body: Json): Fact[] {
  const id = word(action.id)
  if (id === undefined || !/^\d{1,18}$/.test(id)) throw new Unreadable('A story must have a number as its id.')
  const state = word(at(action.changes, 'workflow_state_id', 'new')) ?? word(action.workflow_state_id)
  return [
    {
      kind: 'reference',
      // As people write it in branches, in capitals like all keys.
      key: `SC-${id}`,
      title: text(action.name),
      state: state === undefined ? undefined : states.get(state),
      url: link(action.app_url),
      assignee_uid: owner(action),
      ...deletedBy(action),
      at: time(body.changed_at),
    },
  ]
}

/** An archived story is no longer shown. */
function deletedBy(action: Json): { deleted?: boolean } {
  const archived = at(action.changes, 'archived', 'new')
  if (action.action === 'delete') return { deleted: true }
  if (action.action === 'create') return { deleted: false }
  return typeof archived === 'boolean' ? { deleted: archived } : {}
}

/** A story may have several owners and reports changes of them: the first one added counts, a removal leaves it unassigned. */
function owner(action: Json): string | null | undefined {
  const changed = at(action.changes, 'owner_ids')
  const [added] = [...list(at(changed, 'adds')), ...list(action.owner_ids)].flatMap((id) => text(id) ?? [])
  return added ?? (list(at(changed, 'removes')).length > 0 ? null : undefined)
}
