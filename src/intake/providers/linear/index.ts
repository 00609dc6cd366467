import type { Fact } from '../../facts.ts'
import { type Provider, Unreadable } from '../../provider.ts'
import { at, link, number, object, text, time, word } from '../../reading.ts'
import { hmac, signedBy } from '../../signatures.ts'
import { sample } from './sample.ts'
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
  setup,
  sample,
}

function issue(body: unknown, removed: boolean): Fact[] {
  const data = at(body, 'data')
  const url = link(at(data, 'url')) ?? link(at(body, 'url'))
  const key = keyOf(data) ?? keyIn(url)
  if (key === undefined) return []
  return [
    {
      kind: 'reference',
      key,
      title: text(at(data, 'title')),
      state: text(at(data, 'state', 'name')),
      url,
      // An issue is sent complete, without its empty fields: no assignee means nobody.
      assignee_uid: text(at(data, 'assignee', 'id')) ?? text(at(data, 'assigneeId')) ?? null,
      deleted: removed,
      at: happened(body),
    },
  ]
}

function commented(body: unknown): Fact[] {
  const issue = at(body, 'data', 'issue')
  const url = link(at(issue, 'url')) ?? link(at(body, 'url'))?.split('#')[0]
  const key = keyOf(issue) ?? keyIn(url)
  return key === undefined ? [] : [{ kind: 'reference', key, title: text(at(issue, 'title')), url, at: happened(body) }]
}

/** Not `webhookTimestamp`: it may be that of a retry. */
const happened = (body: unknown) => time(at(body, 'createdAt'))

/** Older payloads have no `identifier`. */
function keyOf(issue: unknown): string | undefined {
  const [team, number] = [text(at(issue, 'team', 'key')), word(at(issue, 'number'))]
  return text(at(issue, 'identifier')) ?? (team && number && `${team}-${number}`)
}

const keyIn = (url: string | undefined) => /\/issue\/([A-Z][A-Z0-9]{0,49}-\d{1,18})(?![A-Z0-9-])/i.exec(url ?? '')?.[1]
