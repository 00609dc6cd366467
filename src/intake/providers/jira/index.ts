import type { Delivery, Provider } from '../../provider.ts'
import { at, object, text, time, Unreadable } from '../../reading.ts'
import { hmac, signedBy } from '../../signatures.ts'
import { history } from './history.ts'
import { issue } from './issue.ts'
import { places } from './places.ts'
import { sample } from './sample.ts'
import { server } from './server-settings.ts'
import { setup } from './setup.ts'

/** Jira Cloud and Data Center webhooks, and the free-form bodies of Jira Automation rules. */
export const jira: Provider = {
  name: 'jira',
  label: 'Jira',
  reports: 'Issues that are linked from your tasks',
  category: 'trackers',
  paths: ['jira'],
  tokenHeader: 'x-service-token',
  answers: 200,
  // `method=hex`; sha256 is the only method Jira uses, and no other is accepted.
  verify: ({ headers, raw }, secrets) =>
    secrets.length === 0 ||
    signedBy(secrets, headers['x-hub-signature'], (secret) => `sha256=${hmac('sha256', secret, raw).toString('hex')}`),
  deliveryKey: (delivery) =>
    text(delivery.headers['x-atlassian-webhook-identifier']) ?? (isAutomation(delivery) ? asReceived(delivery) : undefined),
  event: ({ body }) => text(at(body, 'webhookEvent')) ?? 'automation',
  read(delivery) {
    const { body } = delivery
    if (object(body) === undefined) throw new Unreadable('The body must be a JSON object.')
    if (isAutomation(delivery)) return issue(at(body, 'issue') ?? body)
    const event = text(at(body, 'webhookEvent')) ?? ''
    // A Data Center comment has no issue key; the same comment follows as `jira:issue_updated`.
    if (!ISSUES.has(event) && !COMMENTS.has(event)) return []
    return issue(at(body, 'issue'), at(body, 'changelog')).map((fact) => ({
      ...fact,
      // A deleted issue also sends its deleted comments: none of them shows that the issue exists.
      ...(ISSUES.has(event) && { deleted: event === 'jira:issue_deleted' }),
      // A deleted issue has the time of its last edit; the event has the time of the deletion.
      at: time(at(body, 'timestamp')) ?? fact.at,
    }))
  },
  server,
  places,
  history,
  setup,
  sample,
}

const ISSUES = new Set(['jira:issue_created', 'jira:issue_updated', 'jira:issue_deleted'])
const COMMENTS = new Set(['comment_created', 'comment_updated', 'comment_deleted'])

const isAutomation = ({ body }: Delivery) => at(body, 'webhookEvent') === undefined

/** A rule's body may be the same twice on purpose: to do, done, to do again. */
const asReceived = ({ received, raw }: Delivery) => hmac('sha256', received.toISOString(), raw).toString('hex')
