import type { TaskEdit } from '../../contract/bodies.ts'
import { editedMeanwhile } from '../../contract/errors.ts'
import type { TaskFields } from '../../contract/task-fields.ts'
import { type Database, sql } from '../../db/database.ts'
import { type Author, edit, find } from './tasks.ts'

type Words = Partial<Pick<TaskFields, 'title' | 'description'>>

/** Edits the text of a task unless somebody changed it since the caller read it; then the error contains the newer text. */
export const revise = (db: Database, by: Author, id: number, seen: Words, input: TaskEdit, site: string) =>
  db.transaction(async (db) => {
    await db.execute(
      sql`select from tasks where account_id = ${by.account_id} and project_id = ${by.project_id} and id = ${id} for update`,
    )
    const now = await find(db, by, id, site)
    const { title, description, updated_at } = now
    if ((seen.title ?? title) !== title || (seen.description ?? description) !== description)
      throw editedMeanwhile({ title, description, updated_at })
    return edit(db, by, id, input, site)
  })
