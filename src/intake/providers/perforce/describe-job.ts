import type { Jobs } from '../../../db/queue.ts'
import { openConfig } from '../../../domain/integrations/config.ts'
import * as subjects from '../../../domain/integrations/job-subjects.ts'
import { Unreachable } from '../../../net/reach.ts'
import type { Outside } from '../../outside.ts'
import { record } from '../../record.ts'
import { describedChange } from './describe.ts'
import { describe } from './server.ts'

/** Fills in what a trigger left out: who, why, and which files. */
export async function describeChangelist(outside: Outside, { change_id }: Jobs['describe_changelist'], signal?: AbortSignal) {
  const { db, vault, allowed, p4 } = outside
  const subject = await subjects.change(db, change_id)
  if (!subject?.config.server) return
  const output = await describe(openConfig(vault, subject.config), subject.identifier, { allowed, p4, signal })
  // `p4` ends well even when the server refused: only a record of this very change counts.
  const change = describedChange(output)
  if (change.identifier !== subject.identifier) throw new Unreachable(`The server described ${change.identifier} instead.`)
  await db.transaction((db) => record(db, subject, [change]))
}
