import type { Fact } from '../../facts.ts'
import type { Delivery, Provider } from '../../provider.ts'
import { at, type Json, object, text, Unreadable } from '../../reading.ts'
import { hmac, signedBy } from '../../signatures.ts'
import { issue, pullRequest } from './cloud-references.ts'
import { followUp } from './follow-up.ts'
import { history } from './history.ts'
import { push } from './push.ts'
import { refsChanged } from './refs-changed.ts'
import { sample } from './sample.ts'
import { serverPullRequest } from './server-references.ts'
import { server } from './server-settings.ts'
import { setup } from './setup.ts'
import { commitStatus } from './statuses.ts'

/** The first five are of Cloud, the others of Data Center. Forks, comments and everything else have no facts. */
const READERS: [events: RegExp, read: (body: Json) => Fact[]][] = [
  [/^repo:push$/, push],
  [/^repo:commit_status_(?:created|updated)$/, commitStatus],
  [/^pullrequest:(?!comment_)/, pullRequest],
  [/^issue:(?!comment_)/, issue],
  [/^(?:repo:refs_changed|mirror:repo_synchronized)$/, refsChanged],
  [/^pr:(?!comment:)/, serverPullRequest],
]

/** Bitbucket Cloud, and Bitbucket Data Center. Both name the event in the same header and sign alike; their bodies differ. */
export const bitbucket: Provider = {
  name: 'bitbucket',
  label: 'Bitbucket',
  reports: 'Commits, pull requests, pipelines and issues of Bitbucket Cloud and Data Center',
  category: 'version_control',
  reportsBuilds: true,
  paths: ['bitbucket'],
  tokenHeader: null,
  answers: 200,
  patience: 10_000,
  // Data Center skips a webhook for up to ten hours after five failures.
  stopsAfterErrors: true,
  verify: ({ headers, raw }, secrets) =>
    secrets.length === 0 ||
    signedBy(secrets, headers['x-hub-signature'], (secret) => `sha256=${hmac('sha256', secret, raw).toString('hex')}`),
  deliveryKey: ({ headers }) => text(headers['x-request-uuid']) ?? text(headers['x-request-id']),
  event: (delivery) => eventOf(delivery) ?? 'unknown',
  read(delivery) {
    const [body, event] = [object(delivery.body), eventOf(delivery)]
    if (body === undefined) throw new Unreadable('The body must be a JSON object.')
    if (event === undefined) throw new Unreadable('The X-Event-Key header is missing.')
    return READERS.find(([events]) => events.test(event))?.[1](body) ?? []
  },
  server,
  followUp,
  history,
  setup,
  sample,
}

const EVENT = /^[\w:.-]{1,100}$/

/** Data Center repeats it in the body. */
const eventOf = ({ headers, body }: Pick<Delivery, 'headers' | 'body'>): string | undefined =>
  [headers['x-event-key'], text(at(body, 'eventKey'))].find((event) => event !== undefined && EVENT.test(event))
