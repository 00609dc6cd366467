import type { Jobs } from '../../../db/queue.ts'
import * as streamSettings from '../../../domain/branches/stream-settings.ts'
import { openConfig } from '../../../domain/integrations/config.ts'
import * as subjects from '../../../domain/integrations/job-subjects.ts'
import { Unreachable } from '../../../net/safe-fetch.ts'
import { apply } from '../../apply.ts'
import type { JobContext } from '../../job-context.ts'
import { describedChange, describedReviewSite, reviewPage } from './describe.ts'
import { describe, reviewSite, streams } from './server.ts'

interface DescribeContext extends JobContext {
  /** The p4 command; `p4` from the PATH by default. */
  p4?: string
}

/** Fills in what a trigger left out: author, description and files. */
export async function describeChangelist(
  context: DescribeContext,
  { account_id, change_id }: Jobs['describe_changelist'],
  signal?: AbortSignal,
) {
  const { db, vault, allowed, p4, log } = context
  const subject = await subjects.change(db, { account_id, id: change_id })
  if (!subject?.config.server) return
  const config = openConfig(vault, subject)
  const output = await describe(config, subject.identifier, { allowed, p4, signal })
  // `p4` exits with 0 even if the server refused: only a record of this very change counts.
  const change = describedChange(output)
  if (change.identifier !== subject.identifier) throw new Unreachable(`The server described ${change.identifier} instead.`)
  if (await streamSettings.areStale(db, subject.integration_id))
    await streams(config, { allowed, p4, signal }).then(
      (found) => streamSettings.store(db, subject.integration_id, found),
      // A user who may describe changes may not be allowed to list streams: the folders of the files then decide the stream.
      (error: Error) =>
        log.warn({ integration: subject.integration_id, error: error.message }, 'could not read the streams of a server'),
    )
  const site = config.swarm || (await reviewSite(config, { allowed, p4, signal }).then(describedReviewSite, () => undefined))
  const url = reviewPage(site, change.identifier)
  await db.transaction((db) => apply(db, subject, [{ ...change, ...(url !== undefined && { url }) }]))
}
