import type { Jobs } from '../../../db/queue.ts'
import type { AllowedHosts } from '../../../net/addresses.ts'
import { requireJson } from '../../../net/reply-json.ts'
import { type FetchOptions, safeFetch } from '../../../net/safe-fetch.ts'
import { at, number, objects, text, time } from '../../reading.ts'
import { failureOf } from '../ci-replies.ts'
import { LOG, storedLog, storingLog, unlessRefused } from '../failed-log.ts'

const PAGE = 100
const NEEDS = 'Check the API URL of the repository under Server access. The access token needs Pipelines: read.'

/** Stores the log of the first step of a pipeline that failed: later ones often fail because of it. */
export const readBitbucketLog = storingLog<Jobs['read_bitbucket_log']>(async ({ config, allowed, signal }, { pipeline }) => {
  const permitted: AllowedHosts = (host, ip, port) => allowed(host, ip, port, 'bitbucket')
  const get = async (path: string, accept: string, options: FetchOptions = {}) => {
    const reply = await safeFetch(`${(text(config.server) ?? '').replace(/\/+$/, '')}${path}`, permitted, {
      ...options,
      headers: { accept, authorization: `Bearer ${text(config.api_token) ?? ''}` },
      ...(signal && { signal }),
    })
    if (reply.status >= 400) throw failureOf(reply, { ci: 'Bitbucket', request: path.split('?', 1)[0]!, needs: NEEDS })
    return reply
  }
  const json = async (path: string) => requireJson((await get(path, 'application/json')).body, 'Bitbucket')
  const uuid = await uuidOf(Number(pipeline), (page) => json(`/pipelines/?sort=-created_on&pagelen=${PAGE}&page=${page}`))
  if (uuid === undefined) return undefined
  const steps = `/pipelines/${encodeURIComponent(uuid)}/steps/`
  const [first] = objects(at(await json(`${steps}?pagelen=${PAGE}`), 'values'))
    .filter((step) => FAILED.includes(at(step, 'state', 'result', 'name')))
    .toSorted((one, other) => (time(one.completed_on) ?? '').localeCompare(time(other.completed_on) ?? ''))
  const step = text(first?.uuid)
  if (step === undefined) return undefined
  // The logs of finished steps are stored elsewhere.
  const log = get(`${steps}${encodeURIComponent(step)}/log`, '*/*', { manualRedirect: true, ...LOG })
  return unlessRefused(log.then((reply) => storedLog(reply, 'Bitbucket', { allowed: permitted, signal })))
})

const FAILED: readonly unknown[] = ['FAILED', 'ERROR']

/** Statuses have the number of their pipeline only. Pipelines are numbered as they are created, so its page follows from the newest. */
async function uuidOf(wanted: number, page: (page: number) => Promise<unknown>): Promise<string | undefined> {
  const newest = await page(1)
  const behind = (number(at(newest, 'values', 0, 'build_number')) ?? wanted) - wanted
  // It may give fewer than asked for.
  const place = 1 + Math.floor(behind / (number(at(newest, 'pagelen')) || PAGE))
  const listed = objects(at(place > 1 ? await page(place) : newest, 'values'))
  return text(listed.find(({ build_number }) => number(build_number) === wanted)?.uuid)
}
