import type { Jobs } from '../../../db/queue.ts'
import * as builds from '../../../domain/builds/report.ts'
import { openConfig } from '../../../domain/integrations/config.ts'
import * as subjects from '../../../domain/integrations/job-subjects.ts'
import { type FetchOptions, safeFetch, Unreachable } from '../../../net/safe-fetch.ts'
import type { JobContext } from '../../job-context.ts'
import { at, objects, text, time, word } from '../../reading.ts'
import { stripNul } from '../../strip-nul.ts'
import { failureOf } from '../ci-replies.ts'

/** A longer log is not read. */
const LOG_BYTES = 64 * 1024 * 1024
const VERSION = 'api-version=7.1'
const NEEDS = 'Check the URL of the project in the integration settings. The token needs the scope Build (read).'

/** Stores the log of the first task of a build that failed: later ones often fail because of it. */
export async function readAzureLog(
  { db, vault, allowed }: JobContext,
  { account_id, build_run_id, build: id }: Jobs['read_azure_log'],
  signal?: AbortSignal,
) {
  const build = await subjects.build(db, { account_id, id: build_run_id })
  if (!build?.config.server || build.status !== 'failed') return
  const { server, api_token } = openConfig(vault, build)
  const base = `${text(server)!.replace(/\/$/, '')}/_apis/build/builds/${id}`
  const get = async (path: string, options: FetchOptions = {}) => {
    const reply = await safeFetch(`${base}${path}`, (host, ip, port) => allowed(host, ip, port, 'azure_devops'), {
      ...options,
      headers: { ...options.headers, authorization: `Basic ${Buffer.from(`:${text(api_token) ?? ''}`).toString('base64')}` },
      ...(signal && { signal }),
    })
    // A wrong token gets the page to sign in.
    if (reply.status !== 200) throw failureOf(reply, { ci: 'Azure DevOps', request: path.split('?', 1)[0]!, needs: NEEDS })
    return reply.body.toString()
  }
  const log = firstFailure(jsonOf(await get(`/timeline?${VERSION}`)))
  if (log === undefined) return
  const read = await get(`/logs/${log}?${VERSION}`, { limit: LOG_BYTES, headers: { accept: 'text/plain' } })
  await db.transaction((db) => builds.report(db, build, { build: { build_run_id }, existing: true, log: stripNul(read) }))
}

function firstFailure(timeline: unknown): string | undefined {
  const [first] = objects(at(timeline, 'records'))
    .filter(({ type, result }) => type === 'Task' && result === 'failed')
    .toSorted((one, other) => (time(one.finishTime) ?? '').localeCompare(time(other.finishTime) ?? ''))
  return word(at(first, 'log', 'id'))
}

function jsonOf(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    throw new Unreachable('Azure DevOps answers with no JSON.')
  }
}
