import { number, object, text, word } from '../../reading.ts'
import type { Act } from '../ci-action.ts'
import { Refused } from '../ci-replies.ts'
import { hordeAt } from './server.ts'

/** Runs a job again at its changelist and shelf, or at the newest one of the stream; or aborts it. */
export const actAtHorde: Act = async (action, { external_id }, config, allowed, parameters) => {
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
    ...((Array.isArray(job.arguments) || Object.keys(parameters).length > 0) && {
      arguments: withOptions(Array.isArray(job.arguments) ? job.arguments : [], parameters),
    }),
    ...(action === 'retry' && change !== undefined && { change }),
    ...(action === 'retry' && preflightChange && { preflightChange }),
  })
}

/** The arguments of a job with these options of BuildGraph instead of its own. */
function withOptions(given: readonly unknown[], parameters: Readonly<Record<string, string>>): unknown[] {
  const optionOf = (argument: unknown) => /^-set:([^=]+)=/i.exec(String(argument))?.[1]?.toLowerCase()
  const names = new Set(Object.keys(parameters).map((name) => name.toLowerCase()))
  const others = given.filter((argument) => !names.has(optionOf(argument) ?? ''))
  return [...others, ...Object.entries(parameters).map(([name, value]) => `-set:${name}=${value}`)]
}
