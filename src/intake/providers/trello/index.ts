import type { Fact } from '../../facts.ts'
import type { Provider } from '../../provider.ts'
import { at, object, text, time, Unreadable } from '../../reading.ts'
import { hmac, signedBy } from '../../signatures.ts'
import { cardFact } from './card.ts'
import { history } from './history.ts'
import { sample } from './sample.ts'
import { server } from './server-settings.ts'
import { setup } from './setup.ts'

export const trello: Provider = {
  name: 'trello',
  label: 'Trello',
  reports: 'Cards that are linked from your tasks',
  category: 'trackers',
  paths: ['trello'],
  tokenHeader: 'x-service-token',
  answers: 200,
  answersHead: true,
  secretHeaders: ['x-trello-webhook'],
  // The URL is signed too, exactly as registered, `?token=` included.
  verify: ({ headers, raw, url }, secrets) =>
    secrets.length === 0 ||
    signedBy(secrets, headers['x-trello-webhook'], (secret) => hmac('sha1', secret, raw, url).toString('base64')),
  deliveryKey: ({ body }) => text(at(body, 'action', 'id')),
  event: ({ body }) => text(at(body, 'action', 'type')) ?? 'unknown',
  read({ body }) {
    if (object(body) === undefined) throw new Unreadable('The body must be a JSON object.')
    return card(at(body, 'action'))
  },
  server,
  history,
  setup,
  sample,
}

/** Every action about a card has valid fields of it; the rest is about boards and lists. */
function card(action: unknown): Fact[] {
  const data = at(action, 'data')
  return cardFact({
    key: at(data, 'card', 'shortLink'),
    title: at(data, 'card', 'name'),
    closed: at(data, 'card', 'closed'),
    list: text(at(data, 'listAfter', 'name')) ?? at(data, 'list', 'name'),
    assignee_uid: member(action),
    ...(at(action, 'type') === 'deleteCard' && { deleted: true }),
    at: time(at(action, 'date')),
  })
}

/** A card may have several members and reports them one at a time: the last one added counts, a removal leaves it unassigned. */
function member(action: unknown): string | null | undefined {
  if (at(action, 'type') === 'removeMemberFromCard') return null
  if (at(action, 'type') !== 'addMemberToCard') return undefined
  return text(at(action, 'member', 'username')) ?? text(at(action, 'data', 'idMember'))
}
