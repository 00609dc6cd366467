import type { Fact } from '../../facts.ts'
import type { Delivery, Provider } from '../../provider.ts'
import { at, type Json, object, objects, text, time, Unreadable, uids } from '../../reading.ts'
import { hmac, signedBy } from '../../signatures.ts'
import { sample } from './sample.ts'
import { server } from './server-settings.ts'
import { setup } from './setup.ts'

export const clickup: Provider = {
  name: 'clickup',
  label: 'ClickUp',
  reports: 'Tasks that are linked from your tasks',
  category: 'trackers',
  paths: ['clickup'],
  tokenHeader: null,
  answers: 200,
  // After 100 failures the webhook is suspended.
  stopsAfterErrors: true,
  verify: ({ headers, raw }, secrets) =>
    secrets.length === 0 || signedBy(secrets, headers['x-signature'], (secret) => hmac('sha256', secret, raw).toString('hex')),
  deliveryKey({ body }) {
    const [webhook, event, item] = [at(body, 'webhook_id'), at(body, 'event'), at(body, 'history_items', 0, 'id')].map(text)
    // One change is reported by several events with the same item.
    return webhook === undefined || event === undefined || item === undefined ? undefined : `${webhook}:${event}:${item}`
  },
  event: ({ body }) => text(at(body, 'event'))?.slice(0, 100) ?? 'unknown',
  read({ body, received }) {
    const [reported, event] = [object(body), text(at(body, 'event'))]
    if (reported === undefined || event === undefined)
      throw new Unreadable(
        'The body must be a JSON object with an event. Automations send other bodies: create a webhook with the API.',
      )
    return event.startsWith('task') ? task(reported, event, received) : []
  },
  server,
  setup,
  sample,
}

/** Bodies have no titles and no states, only what changed, as a list of fields with their values before and after. */
function task(body: Json, event: string, received: Delivery['received']): Fact[] {
  const key = text(body.task_id)
  if (key === undefined || !/^[a-z0-9]{1,32}$/i.test(key)) throw new Unreadable('The event must have a task_id.')
  const items = objects(body.history_items)
  const deleted = event === 'taskDeleted'
  return [
    {
      kind: 'reference',
      key,
      title: text(newest(items, 'name')),
      // Of a new task this is only an id.
      state: text(at(newest(items, 'status'), 'status')),
      url: `https://app.clickup.com/t/${key}`,
      assignee_uid: assignee(items),
      deleted,
      // A deletion has no history.
      at: deleted ? received.toISOString() : time(items.at(-1)?.date),
    },
  ]
}

const newest = (items: readonly Json[], field: string): unknown => items.findLast((item) => item.field === field)?.after

/** A task may have several assignees and reports them one at a time: the last one added counts, a removal leaves it unassigned. */
function assignee(items: readonly Json[]): string | null | undefined {
  const [added] = uids(at(newest(items, 'assignee_add'), 'id'))
  return added ?? (items.some(({ field }) => field === 'assignee_rem') ? null : undefined)
}
