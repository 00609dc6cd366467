import * as streamSettings from '../../../domain/branches/stream-settings.ts'
import type { JobContext } from '../../job-context.ts'
import type { Json } from '../../reading.ts'
import { streams } from './server.ts'

export interface PerforceContext extends JobContext {
  /** The p4 command; `p4` from the PATH by default. */
  p4?: string
}

/** Reads the streams of the server, at most once an hour. */
export async function refreshStreams(
  { db, allowed, p4, log }: PerforceContext,
  integrationId: number,
  config: Readonly<Json>,
  signal?: AbortSignal,
) {
  if (!(await streamSettings.areStale(db, integrationId))) return
  await streams(config, { allowed, p4, signal }).then(
    (found) => streamSettings.store(db, integrationId, found),
    // A user who may describe changes may not be allowed to list streams: the folders of the files then decide the stream.
    (error: Error) => log.warn({ integration: integrationId, error: error.message }, 'could not read the streams of a server'),
  )
}
