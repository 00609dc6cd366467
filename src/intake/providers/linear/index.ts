import type { Fact } from '../../facts.ts'
import type { Provider } from '../../provider.ts'
import { at, link, number, object, text, Unreadable } from '../../reading.ts'
import { hmac, signedBy } from '../../signatures.ts'
import { history } from './history.ts'
import { happened, issue, keyIn, keyOf } from './issue.ts'
import { places } from './places.ts'
import { sample } from './sample.ts'
import { server } from './server-settings.ts'
import { setup } from './setup.ts'

const REPLAY_WINDOW_MS = 60_000

export const linear: Provider = {
  name: 'linear',
  label: 'Linear',
  reports: 'Issues that are linked from your tasks',
  category: 'trackers',
  paths: ['linear'],
  tokenHeader: 'x-service-token',
  // Linear treats every other status, 202 included, as a failure.
  answers: 200,
  patience: 5_000,
  verify: ({ headers, raw }, secrets) =>
    secrets.length === 0 ||
    signedBy(secrets, headers['linear-signature'], (secret) => hmac('sha256', secret, raw).toString('hex')),
  // The time inside the signed body; the header of the same meaning is not signed.
  isFresh: ({ body, received }) =>
    Math.abs(received.getTime() - (number(at(body, 'webhookTimestamp')) ?? Number.NEGATIVE_INFINITY)) <= REPLAY_WINDOW_MS,
  deliveryKey: ({ headers }) => text(headers['linear-delivery']),
  event: ({ body }) => [text(at(body, 'type')), text(at(body, 'action'))].filter(Boolean).join('.') || 'unknown',
  read({ body }) {
    if (object(body) === undefined) throw new Unreadable('The body must be a JSON object.')
    const action = text(at(body, 'action')) ?? ''
    if (!['create', 'update', 'remove'].includes(action)) return []
    if (at(body, 'type') === 'Issue') return issue(body, action === 'remove')
    return at(body, 'type') === 'Comment' ? commented(body) : []
  },
  server,
  places,
  history,
  setup,
  sample,
}

function commented(body: unknown): Fact[] {
  const issue = at(body, 'data', 'issue')
  const url = link(at(issue, 'url')) ?? link(at(body, 'url'))?.split('#')[0]
  const key = keyOf(issue) ?? keyIn(url)
  return key === undefined ? [] : [{ kind: 'reference', key, title: text(at(issue, 'title')), url, at: happened(body) }]
}
