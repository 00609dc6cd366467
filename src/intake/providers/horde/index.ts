import type { Provider } from '../../provider.ts'
import { at, object, objects, text, Unreadable } from '../../reading.ts'
import { isAuthentic, senderSignature } from '../../signatures.ts'
import { followUp, pollName } from './follow-up.ts'
import { history } from './history.ts'
import { readJob } from './job.ts'
import { places } from './places.ts'
import { sample } from './sample.ts'
import { server } from './server-settings.ts'
import { setup } from './setup.ts'

/** Horde has no webhooks: its server is polled. A script may also post jobs as the REST API shows them, one or a list. */
export const horde: Provider = {
  name: 'horde',
  label: 'Unreal Horde',
  reports: 'Jobs with their steps, labels and preflights',
  category: 'builds',
  paths: ['horde'],
  tokenHeader: 'x-webhook-token',
  answers: 200,
  verify: (delivery, secrets, required) => isAuthentic(secrets, required, senderSignature(delivery, secrets)),
  event: ({ body }) => (Array.isArray(body) ? 'jobs' : `job ${text(at(body, 'state')) ?? ''}`.trim().slice(0, 40)),
  read({ body, config }) {
    const jobs = Array.isArray(body) ? objects(body) : objects([object(body)])
    if (jobs.length === 0) throw new Unreadable('The body must be a job of the Horde API, or a list of them.')
    return jobs.flatMap((job) => readJob(job, config))
  },
  server,
  places,
  followUp,
  history,
  poll: (integration_id, account_id) => ({
    kind: 'poll_horde',
    payload: { account_id, integration_id },
    name: pollName(integration_id),
  }),
  setup,
  sample,
}
