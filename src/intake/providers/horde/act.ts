import { number, object, text, word } from '../../reading.ts'
import type { Act } from '../ci-action.ts'
import { Refused } from '../ci-replies.ts'
import { hordeAt } from './server.ts'

/** Runs a job again at its changelist and shelf, or at the newest one of the stream; or aborts it. */
export const actAtHorde: Act = async (action, { external_id }, config, allowed) => {
  const id = /^horde:(.+)$/.exec(external_id ?? '')?.[1]
  if (id === undefined) throw new Refused('The id of this job at Horde is unknown.')
  const server = hordeAt(config, allowed)
  const path = `/jobs/${encodeURIComponent(id)}`
  if (action === 'stop') return server.send('PUT', path, { aborted: true })
  const job = object(await server.json(path)) ?? {}
  const [streamId, templateId] = [word(job.streamId), text(job.templateId)]
  if (streamId === undefined || templateId === undefined)
    throw new Refused('Horde does not say the stream and template of this job.')
  const [change, preflightChange] = [number(job.change), number(job.preflightChange)]
  return server.send('POST', '/jobs', {
    streamId,
    templateId,
    ...(text(job.name) !== undefined && { name: job.name }),
    ...(Array.isArray(job.arguments) && { arguments: job.arguments }),
    ...(action === 'retry' && change !== undefined && { change }),
    ...(action === 'retry' && preflightChange && { preflightChange }),
  })
}
