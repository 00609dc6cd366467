import type { Jobs } from '../../../db/queue.ts'
import * as streamSettings from '../../../domain/branches/stream-settings.ts'
import { placeAgain } from '../../../domain/changes/place-again.ts'
import type { IntegrationContext } from '../../../domain/integrations/context.ts'
import * as subjects from '../../../domain/integrations/job-subjects.ts'
import type { JobContext } from '../../job-context.ts'
import { BY_SETTINGS, reach } from '../../reach/reach.ts'
import type { Json } from '../../reading.ts'
import { ASKING_SECONDS } from './follow-up.ts'
import { streams } from './server.ts'

export interface PerforceContext extends JobContext {
  /** The p4 command; `p4` from the PATH by default. */
  p4?: string
}

const HOUR = 3_600

/** Reads the streams of the server, at most once an hour, and puts known changes on those that are new. */
export async function refreshStreams(
  { db, allowed, p4, log }: PerforceContext,
  integration: IntegrationContext,
  config: Readonly<Json>,
  signal?: AbortSignal,
  seconds = HOUR,
) {
  const { integration_id: id } = integration
  if (!(await streamSettings.areStale(db, id, seconds))) return
  await streamSettings.asked(db, id)
  const found = await streams(config, { allowed, p4, signal }).catch((error: Error) => {
    // A user who may describe changes may not be allowed to list streams: the folders of the files then decide the stream.
    log.warn({ integration: id, error: error.message }, 'could not read the streams of a server')
  })
  if (found && (await streamSettings.store(db, id, found))) await placeAgain(db, integration)
}

/** A change has files on no known stream. */
export async function readStreams(
  context: PerforceContext,
  { account_id, integration_id }: Jobs['read_streams'],
  signal?: AbortSignal,
) {
  const subject = await subjects.integration(context.db, { account_id, id: integration_id })
  if (!subject?.config.server) return
  const config = await reach({ ...context, signal }, subject, BY_SETTINGS)
  await refreshStreams(context, subject, config, signal, ASKING_SECONDS)
}
