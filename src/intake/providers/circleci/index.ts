import type { Fact } from '../../facts.ts'
import type { Provider } from '../../provider.ts'
import { at, type Json, object, text, Unreadable } from '../../reading.ts'
import { hmac, signedBy } from '../../signatures.ts'
import { history } from './history.ts'
import { sample } from './sample.ts'
import { server } from './server-settings.ts'
import { setup } from './setup.ts'
import { jobCompleted, workflowCompleted } from './workflow.ts'

/** There is no event for the start of anything. */
const READERS: ReadonlyMap<string, (body: Json) => Fact[]> = new Map([
  ['workflow-completed', workflowCompleted],
  ['job-completed', jobCompleted],
])

export const circleci: Provider = {
  name: 'circleci',
  label: 'CircleCI',
  reports: 'Workflows and their jobs',
  category: 'builds',
  paths: ['circleci'],
  tokenHeader: null,
  answers: 200,
  verify: ({ headers, raw }, secrets) =>
    secrets.length === 0 ||
    signedBy(secrets, signatureIn(headers['circleci-signature']), (secret) => hmac('sha256', secret, raw).toString('hex')),
  // The same for every attempt.
  deliveryKey: ({ body }) => text(at(body, 'id')),
  event: ({ body }) => text(at(body, 'type'))?.slice(0, 100) ?? 'unknown',
  read({ body }) {
    const [reported, type] = [object(body), text(at(body, 'type'))]
    if (reported === undefined || type === undefined) throw new Unreadable('The body must be a JSON object with a type.')
    return READERS.get(type)?.(reported) ?? []
  },
  server,
  history,
  setup,
  sample,
}

/** Of `v1=…,v2=…`: later versions may be added. */
const signatureIn = (header: string | undefined): string | undefined =>
  header
    ?.split(',')
    .map((part) => /^\s*v1=([0-9a-f]{64})\s*$/.exec(part)?.[1])
    .find((found) => found !== undefined)
