import type { Jobs } from '../../../db/queue.ts'
import { requireJson } from '../../../net/reply-json.ts'
import { type FetchOptions, safeFetch } from '../../../net/safe-fetch.ts'
import { at, objects, text, time, word } from '../../reading.ts'
import { failureOf } from '../ci-replies.ts'
import { LOG, storingLog } from '../failed-log.ts'

const VERSION = 'api-version=7.1'
const NEEDS = 'Check the URL of the project in the integration settings. The token needs the scope Build (read).'

/** Stores the log of the first task of a build that failed: later ones often fail because of it. */
export const readAzureLog = storingLog<Jobs['read_azure_log']>(async ({ config, allowed, signal }, { build: id }) => {
  const base = `${text(config.server)!.replace(/\/$/, '')}/_apis/build/builds/${id}`
  const get = async (path: string, options: FetchOptions = {}) => {
    const reply = await safeFetch(`${base}${path}`, (host, ip, port) => allowed(host, ip, port, 'azure_devops'), {
      ...options,
      headers: {
        ...options.headers,
        authorization: `Basic ${Buffer.from(`:${text(config.api_token) ?? ''}`).toString('base64')}`,
      },
      ...(signal && { signal }),
    })
    // A wrong token gets the page to sign in.
    if (reply.status !== 200) throw failureOf(reply, { ci: 'Azure DevOps', request: path.split('?', 1)[0]!, needs: NEEDS })
    return reply.body
  }
  const log = firstFailure(requireJson(await get(`/timeline?${VERSION}`), 'Azure DevOps'))
  if (log === undefined) return undefined
  return (await get(`/logs/${log}?${VERSION}`, { ...LOG, headers: { accept: 'text/plain' } })).toString()
})

function firstFailure(timeline: unknown): string | undefined {
  const [first] = objects(at(timeline, 'records'))
    .filter(({ type, result }) => type === 'Task' && result === 'failed')
    .toSorted((one, other) => (time(one.finishTime) ?? '').localeCompare(time(other.finishTime) ?? ''))
  return word(at(first, 'log', 'id'))
}
