import type { Fact } from '../../facts.ts'
import type { Delivery, Provider, Unparsed } from '../../provider.ts'
import { at, type Json, object, text, Unreadable } from '../../reading.ts'
import { hmac, signedBy } from '../../signatures.ts'
import { workflowJob, workflowRun } from '../github/builds.ts'
import { deleted } from '../github/push.ts'
import { push } from './push.ts'
import { issue, pullRequest } from './references.ts'
import { release } from './release.ts'
import { sample } from './sample.ts'
import { setup } from './setup.ts'

/** Reviews, comments, new branches and tags, and everything else have no facts. */
const READERS: ReadonlyMap<string, (body: Json) => Fact[]> = new Map([
  ['push', push],
  ['delete', deleted],
  ['pull_request', pullRequest],
  ['issues', issue],
  ['workflow_run', workflowRun],
  ['workflow_job', workflowJob],
  ['release', release],
])

/** Gitea, and its relatives Forgejo and Gogs. Their payloads resemble those of GitHub. */
export const gitea: Provider = {
  name: 'gitea',
  label: 'Gitea or Forgejo',
  reports: 'Commits, pull requests, workflow runs, issues and releases',
  category: 'version_control',
  reportsBuilds: true,
  paths: ['gitea'],
  tokenHeader: null,
  answers: 200,
  // Old versions put the signing secret into the body.
  secretsInBody: ['secret'],
  verify: (delivery, secrets) =>
    secrets.length === 0 ||
    signedBy(secrets, signatureOf(delivery), (secret) => hmac('sha256', secret, signedText(delivery)).toString('hex')),
  deliveryKey: (delivery) => headerOf(delivery, 'delivery'),
  event(delivery) {
    const [name, action] = [headerOf(delivery, 'event') ?? 'unknown', text(at(delivery.body, 'action'))]
    return action !== undefined && /^\w{1,40}$/.test(action) ? `${name}.${action}` : name
  },
  read(delivery) {
    const [name, body] = [headerOf(delivery, 'event'), object(delivery.body)]
    if (name === undefined) throw new Unreadable('The X-Gitea-Event header is missing.')
    if (body === undefined) throw new Unreadable('The body must be a JSON object.')
    return READERS.get(name)?.(body) ?? []
  },
  setup,
  sample,
}

const FAMILY = ['forgejo', 'gitea', 'gogs'] as const

/** The first header that has a value: without a secret, signatures are sent empty. */
const headerOf = ({ headers }: Pick<Delivery, 'headers'>, name: 'event' | 'delivery' | 'signature'): string | undefined =>
  FAMILY.map((one) => text(headers[`x-${one}-${name}`])).find((value) => value !== undefined)

const signatureOf = (delivery: Unparsed) =>
  headerOf(delivery, 'signature') ?? text(delivery.headers['x-hub-signature-256']?.replace(/^sha256=/, ''))

/** A form has the signature of the JSON in it. */
const signedText = ({ headers, raw }: Unparsed): Buffer | string =>
  /^application\/x-www-form-urlencoded/i.test(headers['content-type'] ?? '')
    ? (new URLSearchParams(raw.toString()).get('payload') ?? '')
    : raw
