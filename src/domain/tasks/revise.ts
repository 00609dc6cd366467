import type { TaskEdit, TaskFields } from '../../contract/bodies.ts'
import { ApiError } from '../../contract/errors.ts'
import { type Database, sql } from '../../db/database.ts'
import { type Author, edit, find } from './tasks.ts'

type Words = Partial<Pick<TaskFields, 'title' | 'description'>>

/** Changes the text of a task unless it is no longer what the writer had seen; then the newer one comes back with the refusal. */
export const revise = (db: Database, by: Author, id: number, seen: Words, input: TaskEdit, site: string) =>
  db.transaction(async (db) => {
    await db.count(sql`select from tasks where project_id = ${by.project_id} and id = ${id} for update`)
    const now = await find(db, by.project_id, id, site)
    const { title, description, updated_at } = now
    if ((seen.title ?? title) !== title || (seen.description ?? description) !== description)
      throw new ApiError(409, 'edited_meanwhile', 'Somebody else changed this text in the meantime.', {
        current: { title, description, updated_at },
      })
    return edit(db, by, id, input, site)
  })
