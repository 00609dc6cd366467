import type { Fact } from '../../facts.ts'
import type { Provider } from '../../provider.ts'
import { at, object, text, time, Unreadable, word } from '../../reading.ts'
import { history } from './history.ts'
import { isItem, isStatus, personIn } from './item.ts'
import { sample } from './sample.ts'
import { server } from './server-settings.ts'
import { setup } from './setup.ts'
import { isSignedToken } from './token.ts'

export const monday: Provider = {
  name: 'monday',
  label: 'monday.com',
  reports: 'Items that are linked from your tasks',
  category: 'trackers',
  paths: ['monday'],
  tokenHeader: 'x-service-token',
  answers: 200,
  // Webhooks of a board are unsigned; those of an app have a token signed with the app's secret. With a stored secret only the latter are
  // accepted.
  verify: ({ headers, received }, secrets) => secrets.length === 0 || isSignedToken(headers.authorization, secrets, received),
  handshake({ body }) {
    const challenge = text(at(body, 'challenge'))
    return challenge === undefined ? undefined : { body: { challenge } }
  },
  deliveryKey: ({ body }) => text(at(body, 'event', 'triggerUuid')),
  event: ({ body }) => text(at(body, 'event', 'type')) ?? (at(body, 'challenge') === undefined ? 'unknown' : 'challenge'),
  read({ body }) {
    if (object(body) === undefined) throw new Unreadable('The body must be a JSON object.')
    return item(at(body, 'event'))
  },
  server,
  history,
  setup,
  sample,
}

/** Every event about an item (monday's older word is pulse) has valid fields of it. */
function item(event: unknown): Fact[] {
  const key = word(at(event, 'pulseId')) ?? word(at(event, 'itemId'))
  if (!isItem(key)) return []
  const type = at(event, 'type')
  return [
    {
      kind: 'reference',
      key,
      title:
        type === 'update_name' ? text(at(event, 'value', 'name')) : (text(at(event, 'pulseName')) ?? text(at(event, 'itemName'))),
      state: type === 'archive_pulse' ? 'Archived' : status(event),
      assignee_uid: person(event),
      ...((type === 'delete_pulse' || type === 'restore_pulse') && { deleted: type === 'delete_pulse' }),
      at: time(at(event, 'changedAt')) ?? time(at(event, 'triggerTime')),
    },
  ]
}

const status = (event: unknown) =>
  isStatus(at(event, 'columnId'), at(event, 'columnTitle')) ? text(at(event, 'value', 'label', 'text')) : undefined

function person(event: unknown): string | null | undefined {
  if (at(event, 'columnType') !== 'multiple-person') return undefined
  return personIn(at(event, 'value'))
}
