import { type Database, reserveId, sql } from '../../db/database.ts'
import { findLine } from '../branches/lines.ts'
import type { IntegrationContext } from '../integrations/context.ts'
import type { Submitted } from './submit.ts'

interface Known {
  identifier: string
  has_files: boolean
  position: number | null
}

/** Positions on a branch are this far apart unless an import put a change between them. */
const APART = 65_536

/**
 * The changes of an import that are not known yet, each with its position. Commits of one branch are given newest first, over several pages:
 * each comes right before the next newer one that is known. `below`: the position of the last commit of the previous page.
 */
export async function unknownAmong<C extends Submitted>(
  db: Database,
  context: IntegrationContext,
  changes: readonly C[],
  below: number | undefined,
): Promise<{ changes: C[]; below: number | undefined }> {
  const [first] = changes
  if (first === undefined) return { changes: [], below }
  const isPlaced = first.source_type !== 'Changelist'
  const branch = isPlaced ? await findLine(db, context, first) : ''
  const known = await db.rows<Known>(sql`
    select c.identifier, c.files is not null and not c.pending as has_files, (
      select p.position from change_branches p where p.account_id = c.account_id and p.project_id = c.project_id and p.branch = ${branch}
        and p.change_id = c.id and p.orphaned_at is null) as position
    from changes c
    where c.account_id = ${context.account_id} and c.project_id = ${context.project_id}
      and c.identifier = any (${changes.map(({ identifier }) => identifier)})`)
  const stored = new Map(known.map((one) => [one.identifier, one]))
  if (!isPlaced)
    return { changes: changes.filter(({ identifier, files }) => lacks(stored.get(identifier), files !== null)), below }
  let top = below ?? (await reserveId(db, 'change_branches')) * APART + 1
  const news: C[] = []
  for (const change of changes) {
    const before = stored.get(change.identifier)
    if (before?.position != null) top = Math.min(top, before.position)
    else news.push({ ...change, position: --top })
  }
  return { changes: news, below: top }
}

const lacks = (known: Known | undefined, hasFiles: boolean) => known === undefined || (hasFiles && !known.has_files)
