import type { Jobs } from '../db/queue.ts'
import { openConfig } from '../domain/integration-config.ts'
import * as subjects from '../domain/job-subjects.ts'
import type { Outside } from './outside.ts'
import { describe } from './perforce-server.ts'
import { describedChange } from './providers/perforce-describe.ts'
import { Unreachable } from './reach.ts'
import { record } from './record.ts'

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
