import type { Fact } from '../../facts.ts'
import type { Provider } from '../../provider.ts'
import { at, type Json, object, text, Unreadable, word } from '../../reading.ts'
import { isAuthentic, senderSignature } from '../../signatures.ts'
import { buildComplete, runChanged } from './builds.ts'
import { deployment } from './deployments.ts'
import { isExample } from './example.ts'
import { followUp } from './follow-up.ts'
import { history } from './history.ts'
import { push } from './push.ts'
import { pullRequest, workItem } from './references.ts'
import { sample } from './sample.ts'
import { server } from './server-settings.ts'
import { setup } from './setup.ts'
import { stepChanged } from './steps.ts'

/**
 * Approvals, comments and everything else have no facts. Nor have TFVC check-ins: their numbers would be taken for changelists. Releases are
 * named in two ways.
 */
const READERS: ReadonlyMap<string, (body: Json, resource: Json) => Fact[]> = new Map([
  ['git.push', push],
  ['git.pullrequest.created', pullRequest],
  ['git.pullrequest.updated', pullRequest],
  ['git.pullrequest.merged', pullRequest],
  ['build.complete', buildComplete],
  ['ms.vss-pipelines.run-state-changed-event', runChanged],
  ['ms.vss-pipelines.stage-state-changed-event', stepChanged],
  ['ms.vss-pipelines.job-state-changed-event', stepChanged],
  ['release.deployment-started-event', deployment],
  ['release.deployment-completed-event', deployment],
  ['workitem.created', workItem],
  ['workitem.updated', workItem],
  ['workitem.commented', workItem],
  ['workitem.deleted', workItem],
  ['workitem.restored', workItem],
])
const RELEASE = /^ms\.(?:vss|azure-devops)-(?=release\.)/

export const azureDevops: Provider = {
  name: 'azure_devops',
  label: 'Azure DevOps',
  reports: 'Commits, pull requests, pipelines, releases and work items',
  category: 'version_control',
  reportsBuilds: true,
  paths: ['azure_devops'],
  tokenHeader: 'x-webhook-token',
  answers: 200,
  stopsAfterErrors: true,
  verify: (delivery, secrets, required) => isAuthentic(secrets, required, senderSignature(delivery, secrets)),
  deliveryKey({ body }) {
    const [subscription, notification] = [text(at(body, 'subscriptionId')), word(at(body, 'notificationId'))]
    return subscription === undefined || notification === undefined ? undefined : `${subscription}:${notification}`
  },
  event: ({ body }) => text(at(body, 'eventType'))?.slice(0, 100) ?? 'unknown',
  read({ body }) {
    const [reported, event] = [object(body), text(at(body, 'eventType'))]
    if (reported === undefined || event === undefined) throw new Unreadable('The body must be a JSON object with an eventType.')
    const reader = READERS.get(event.replace(RELEASE, ''))
    if (reader === undefined || isExample(reported)) return []
    const resource = object(reported.resource)
    if (resource === undefined || Object.keys(resource).every((key) => key === 'id' || key === 'url'))
      throw new Unreadable('The event has no details. Set "Resource details to send" of the subscription to All.')
    return reader(reported, resource)
  },
  server,
  followUp,
  history,
  setup,
  sample,
}
