import type { DeclaredName } from '../../contract/app/routes.ts'
import { preconditionFailed } from '../../contract/errors.ts'
import { readId } from '../../contract/params.ts'
import { lockBreakages, lockProject } from '../../domain/branches/project-lock.ts'
import * as tasks from '../../domain/tasks/tasks.ts'
import type { Call } from './call.ts'
import { tagOf, tagsIn } from './entity-tags.ts'
import type { HandledName } from './handlers.ts'

interface Changed {
  /** The route that shows the record: a missing record has priority over an invalid body. */
  shown: HandledName
  /** Locks the record: until the end of the transaction it stays as it was compared with `If-Match`. */
  lock?: Lock
}
type Lock = (call: Call<DeclaredName>) => Promise<unknown>

/** The routes that change one record. */
export const CHANGED: Partial<Record<DeclaredName, Changed>> = {
  editTask: {
    shown: 'showTask',
    lock: ({ db, by, path }) => tasks.lock(db, by, readId((path as { id: string }).id)),
  },
  editBreakage: { shown: 'showBreakage', lock: ({ db, by }) => lockBreakages(db, by.project_id) },
  editDeployment: { shown: 'showDeployment', lock: ({ db, by }) => lockProject(db, by.project_id) },
  decideAsset: { shown: 'showAsset' },
  correctBuild: { shown: 'showBuild' },
  actOnBuild: { shown: 'showBuild' },
  editTest: { shown: 'showTest' },
  createTaskComment: { shown: 'showTask' },
  createBuildComment: { shown: 'showBuild' },
  createShareLink: { shown: 'showBuild' },
  createBreakageComment: { shown: 'showBreakage' },
  createChangeComment: { shown: 'showChange' },
  uploadPreview: { shown: 'showAsset' },
  createAssetComment: { shown: 'showAsset' },
  createDeploymentComment: { shown: 'showDeployment' },
  editComment: { shown: 'showComment' },
  resolveComment: { shown: 'showComment' },
  attachToComment: { shown: 'showComment' },
  reactToComment: { shown: 'showComment' },
}

/** Refuses the edit unless the record matches `If-Match`. In the transaction of the edit. */
export async function requireMatch(lock: Lock, call: Call<DeclaredName>, show: () => Promise<unknown>): Promise<void> {
  const header = call.header('if-match')
  if (header === undefined) return
  await lock(call)
  const tag = tagOf(await show())
  if (!tagsIn(header).some((named) => named === '*' || named === tag)) throw preconditionFailed(tag)
}
