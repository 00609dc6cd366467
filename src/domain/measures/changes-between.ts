import type { MeasureRange } from '../../contract/routes/measures.ts'
import type { Database } from '../../db/database.ts'
import type { ProjectKey } from '../../db/project-key.ts'
import { placed } from '../branches/positions.ts'
import { contentsBetween } from '../contents/build-contents.ts'

const CHANGES_SHOWN = 20

/** The changes in the second build that are not in the first; without a count if one has no known place on its branch. Null: a build was deleted. */
export async function changesBetween(
  db: Database,
  project: ProjectKey,
  sinceId: string,
  untilId: string,
): Promise<MeasureRange | null> {
  const since = await placed(db, { ...project, id: Number(sinceId) })
  const until = await placed(db, { ...project, id: Number(untilId) })
  if (!since || !until) return null
  const { changes, doubtful, basis, has_more } = await contentsBetween(db, project, until, since)
  const isKnown = basis === 'branch' && doubtful.length === 0 && !has_more
  return {
    since_build_run_id: sinceId,
    until_build_run_id: untilId,
    changes: changes.slice(0, CHANGES_SHOWN).map(({ id, display_identifier }) => ({ id, display_identifier })),
    count: isKnown ? changes.length : null,
  }
}
