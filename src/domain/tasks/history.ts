import { isDeepStrictEqual } from 'node:util'
import { TASK_FIELD_NAMES, type TaskField, type TaskFields } from '../../contract/task-fields.ts'
import { type Database, sql } from '../../db/database.ts'
import type { ProjectKey } from '../../db/project-key.ts'

interface Editor extends ProjectKey {
  user_id: number
  token_id: number | null
}

/** For these only the change is recorded, not the values: they may be long. */
const UNQUOTED: readonly TaskField[] = ['description', 'metadata']

/** Records what an edit changes, in its transaction. */
export async function record(db: Database, by: Editor, taskId: number, before: TaskFields, after: Partial<TaskFields>) {
  const changed = TASK_FIELD_NAMES.filter((name) => after[name] !== undefined && !isDeepStrictEqual(after[name], before[name]))
  if (changed.length === 0) return
  const changes = Object.fromEntries(
    changed.map((name) => [name, UNQUOTED.includes(name) ? null : { from: before[name], to: after[name] }]),
  )
  await note(db, by, [taskId], changes)
}

/** Records that tasks were deleted or restored, in the transaction that did it. */
export const recordDeleted = (db: Database, by: Editor, taskIds: readonly number[], to: boolean) =>
  note(db, by, taskIds, { deleted: { from: !to, to } })

const note = (db: Database, by: Editor, taskIds: readonly number[], changes: object) =>
  db.execute(sql`
    insert into task_history (account_id, project_id, task_id, user_id, via_api_token_id, changes)
    select ${by.account_id}::integer, ${by.project_id}::integer, id, ${by.user_id}::integer, ${by.token_id}::integer, ${JSON.stringify(changes)}::jsonb
    from unnest(${taskIds}::bigint[]) id`)
