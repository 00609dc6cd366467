import type { Fact } from '../../facts.ts'
import type { Delivery, Provider } from '../../provider.ts'
import { at, type Json, object, text, Unreadable } from '../../reading.ts'
import { hmac, signedBy } from '../../signatures.ts'
import { checkRun, workflowJob, workflowRun } from './builds.ts'
import { deploymentStatus, release } from './deployments.ts'
import { followUp } from './follow-up.ts'
import { history } from './history.ts'
import { deleted, push } from './push.ts'
import { issue, pullRequest } from './references.ts'
import { sample } from './sample.ts'
import { server } from './server-settings.ts'
import { setup } from './setup.ts'

/** Everything else (ping, create, comments, stars …) is accepted without facts. */
const READERS: ReadonlyMap<string, (body: Json) => Fact[]> = new Map([
  ['push', push],
  ['delete', deleted],
  ['pull_request', pullRequest],
  ['issues', issue],
  ['workflow_run', workflowRun],
  ['workflow_job', workflowJob],
  ['check_run', checkRun],
  ['deployment_status', deploymentStatus],
  ['release', release],
])

export const github: Provider = {
  name: 'github',
  label: 'GitHub',
  reports: 'Commits, pull requests, workflow runs and issues',
  category: 'version_control',
  reportsBuilds: true,
  givesFiles: true,
  paths: ['github'],
  tokenHeader: 'x-service-token',
  answers: 200,
  patience: 10_000,
  verify: ({ headers, raw }, secrets) =>
    secrets.length === 0 ||
    signedBy(secrets, headers['x-hub-signature-256'], (secret) => `sha256=${hmac('sha256', secret, raw).toString('hex')}`),
  deliveryKey: ({ headers }) => text(headers['x-github-delivery']),
  event,
  read({ headers, body }) {
    const name = text(headers['x-github-event'])
    if (name === undefined) throw new Unreadable('The X-GitHub-Event header is missing.')
    const reported = object(body)
    if (reported === undefined) throw new Unreadable('The body must be a JSON object.')
    return READERS.get(name)?.(reported) ?? []
  },
  server,
  followUp,
  history,
  setup,
  sample,
}

/** `push`, `workflow_run.completed`. */
function event({ headers, body }: Delivery): string {
  const name = text(headers['x-github-event']) ?? 'unknown'
  const action = text(at(body, 'action'))
  return action !== undefined && /^\w{1,40}$/.test(action) ? `${name}.${action}` : name
}
