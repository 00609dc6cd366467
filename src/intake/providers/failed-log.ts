import { LOG_MAX } from '../../contract/limits.ts'
import * as builds from '../../domain/builds/report.ts'
import * as subjects from '../../domain/integrations/job-subjects.ts'
import type { AllowedHosts } from '../../net/addresses.ts'
import { type FetchedReply, safeFetch, Unreachable } from '../../net/safe-fetch.ts'
import type { JobContext } from '../job-context.ts'
import { locationOf, reach } from '../reach/reach.ts'
import type { Json } from '../reading.ts'
import { stripNul } from '../strip-nul.ts'
import { Refused } from './ci-replies.ts'

/** A longer log is not read, and of every log the end is kept: twice its characters, each of up to four bytes. */
export const LOG = { limit: 64 * 1024 * 1024, tail: 8 * LOG_MAX }

interface LogServer {
  /** With decrypted secrets. */
  config: Readonly<Json>
  allowed: AllowedHosts
  signal?: AbortSignal | undefined
}

interface OfBuild {
  account_id: number
  build_run_id: number
}

/** The job that stores the log of a failed build. `read` returns undefined if the server has none. */
export const storingLog =
  <Payload extends OfBuild>(
    read: (server: LogServer, payload: Payload, build: subjects.BuildSubject) => Promise<string | undefined>,
  ) =>
  async ({ db, vault, allowed }: JobContext, payload: Payload, signal?: AbortSignal) => {
    const { account_id, build_run_id } = payload
    const build = await subjects.build(db, { account_id, id: build_run_id })
    if (!build?.config.server || build.status !== 'failed') return
    const config = await reach({ db, vault, allowed, signal }, build, locationOf(build))
    const log = await read({ config, allowed, signal }, payload, build)
    if (log === undefined) return
    await db.transaction((db) => builds.report(db, build, { build: { build_run_id }, existing: true, log: stripNul(log) }))
  }

/** Undefined if the server refuses: logs are deleted after some time. */
export const unlessRefused = (log: Promise<string>): Promise<string | undefined> =>
  log.catch((error: unknown) => {
    if (error instanceof Refused) return undefined
    throw error
  })

/** A log that may be stored elsewhere. That place doesn't get the token. */
export async function storedLog(
  { status, headers, body }: FetchedReply,
  label: string,
  { allowed, signal }: { allowed: AllowedHosts; signal?: AbortSignal | undefined },
): Promise<string> {
  if (status < 300) return body.toString()
  const stored = await safeFetch(headers.location ?? '', allowed, { ...LOG, ...(signal && { signal }) })
  if (stored.status !== 200) throw new Unreachable(`The storage of ${label} answers ${stored.status} to a log.`)
  return stored.body.toString()
}
