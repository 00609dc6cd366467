import type { Jobs } from '../../../db/queue.ts'
import * as subjects from '../../../domain/integrations/job-subjects.ts'
import { Unreachable } from '../../../net/safe-fetch.ts'
import { apply } from '../../apply.ts'
import { BY_SETTINGS, coveredBy, NotListed, noteReported, reach } from '../../reach/reach.ts'
import { describedChange, describedFolder, describedReviewSite, reviewPage } from './describe.ts'
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
  const config = await reach({ db, vault, allowed, signal }, subject, BY_SETTINGS)
  const { output, isWithoutFiles } = await describe(config, subject.identifier, { allowed, p4, signal })
  // `p4` exits with 0 even if the server refused: only a record of this very change counts.
  const change = describedChange(output)
  if (change.identifier !== subject.identifier) throw new Unreachable(`The server described ${change.identifier} instead.`)
  // Only the server knows where a number is.
  const isOurs = await coveredBy(db, subject)
  const reported = isWithoutFiles ? null : change.files
  const files = reported?.filter(isOurs) ?? null
  const isForeign = isWithoutFiles ? !isOurs({ path: describedFolder(output) }) : reported?.length && files?.length === 0
  if (isForeign) {
    await noteReported(db, subject, [change])
    throw new NotListed(`The changelist ${change.identifier} is not in the depot paths of this integration.`)
  }
  await refreshStreams(context, subject, config, signal)
  const site = config.swarm || (await reviewSite(config, { allowed, p4, signal }).then(describedReviewSite, () => undefined))
  const url = reviewPage(site, change.identifier)
  await db.transaction((db) => apply(db, subject, [{ ...change, files, ...(url !== undefined && { url }) }]))
}
