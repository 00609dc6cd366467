import type { Jobs } from '../../../db/queue.ts'
import { openConfig } from '../../../domain/integrations/config.ts'
import * as subjects from '../../../domain/integrations/job-subjects.ts'
import { Unreachable } from '../../../net/safe-fetch.ts'
import { apply } from '../../apply.ts'
import { describedChange, describedReviewSite, reviewPage } from './describe.ts'
import { describe, reviewSite } from './server.ts'
import { type PerforceContext, refreshStreams } from './server-streams.ts'

/** Fills in what a trigger left out: author, description and files. */
export async function describeChangelist(
  context: PerforceContext,
  { account_id, change_id }: Jobs['describe_changelist'],
  signal?: AbortSignal,
) {
  const { db, vault, allowed, p4 } = context
  const subject = await subjects.change(db, { account_id, id: change_id })
  if (!subject?.config.server) return
  const config = openConfig(vault, subject)
  const output = await describe(config, subject.identifier, { allowed, p4, signal })
  // `p4` exits with 0 even if the server refused: only a record of this very change counts.
  const change = describedChange(output)
  if (change.identifier !== subject.identifier) throw new Unreachable(`The server described ${change.identifier} instead.`)
  await refreshStreams(context, subject.integration_id, config, signal)
  const site = config.swarm || (await reviewSite(config, { allowed, p4, signal }).then(describedReviewSite, () => undefined))
  const url = reviewPage(site, change.identifier)
  await db.transaction((db) => apply(db, subject, [{ ...change, ...(url !== undefined && { url }) }]))
}
