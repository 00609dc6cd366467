import type { Fact } from '../../facts.ts'
import type { Delivery, Provider } from '../../provider.ts'
import { at, type Json, object, text, Unreadable } from '../../reading.ts'
import { deployment, release } from './deployments.ts'
import { followUp } from './follow-up.ts'
import { history } from './history.ts'
import { job } from './job.ts'
import { pipeline } from './pipeline.ts'
import { places } from './places.ts'
import { push } from './push.ts'
import { issue, mergeRequest } from './references.ts'
import { sample } from './sample.ts'
import { server } from './server-settings.ts'
import { setup } from './setup.ts'
import { isFromHook } from './signature.ts'

/** By the kind in the body: a system hook has the same header for every event. Notes, wikis, tags and the rest have no facts. */
const READERS: ReadonlyMap<string, (body: Json, received: Date) => Fact[]> = new Map([
  ['push', push],
  ['merge_request', mergeRequest],
  ['pipeline', pipeline],
  ['build', job],
  ['deployment', deployment],
  ['release', release],
  ['issue', issue],
  ['work_item', issue],
])

export const gitlab: Provider = {
  name: 'gitlab',
  label: 'GitLab',
  reports: 'Commits, merge requests, pipelines, deployments and issues',
  category: 'version_control',
  reportsBuilds: true,
  paths: ['gitlab'],
  tokenHeader: 'x-service-token',
  answers: 200,
  patience: 10_000,
  stopsAfterErrors: true,
  verify: isFromHook,
  // The UUID headers differ per attempt, or are shared by several hooks.
  deliveryKey: ({ headers }) => text(headers['idempotency-key']),
  event,
  read({ body, received }) {
    const reported = object(body)
    if (reported === undefined) throw new Unreadable('The body must be a JSON object.')
    const kind = kindOf(reported)
    if (kind === undefined) throw new Unreadable('The body has no object_kind. Leave the custom webhook template empty.')
    return READERS.get(kind)?.(reported, received) ?? []
  },
  server,
  places,
  givesFiles: true,
  followUp,
  history,
  setup,
  sample,
}

const kindOf = (body: unknown) => text(at(body, 'object_kind')) ?? text(at(body, 'event_name'))

/** `push`, `pipeline.success`, `merge_request.open`. */
function event({ body }: Delivery): string {
  const detail = ['action', 'status'].map((key) => text(at(body, 'object_attributes', key))).find((found) => found !== undefined)
  const more = detail ?? text(at(body, 'build_status')) ?? text(at(body, 'status')) ?? text(at(body, 'action'))
  return [kindOf(body) ?? 'unknown', more].filter((part) => part !== undefined && /^\w{1,40}$/.test(part)).join('.') || 'unknown'
}
