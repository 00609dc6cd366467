import type { AppBody } from '../../contract/app/routes.ts'
import type { TaskEdit } from '../../contract/bodies.ts'
import { invalidParameter, notFound } from '../../contract/errors.ts'
import { LABELS_MAX } from '../../contract/limits.ts'
import { type Database, sql } from '../../db/database.ts'
import { recordDeleted } from './history.ts'
import { type Author, edit } from './tasks.ts'

/** Always in the same order, so that two people with the same selection wait instead of deadlocking. */
const inOrder = (ids: readonly number[]) => [...new Set(ids)].sort((a, b) => a - b)

type Labels = Pick<AppBody<'editTasks'>, 'add_label' | 'remove_label'>

/** The same edit of several tasks, all or none. */
export const editAll = (db: Database, by: Author, ids: readonly number[], input: TaskEdit, labels: Labels, site: string) =>
  db.transaction(async (db) => {
    for (const id of inOrder(ids)) await edit(db, by, id, { ...input, ...(await labelled(db, by, id, labels)) }, site)
  })

async function labelled(
  db: Database,
  by: Author,
  id: number,
  { add_label: add, remove_label: remove }: Labels,
): Promise<TaskEdit> {
  if (add === undefined && remove === undefined) return {}
  const task = await db.one<{ labels: string[] }>(
    sql`select labels from tasks where account_id = ${by.account_id} and project_id = ${by.project_id} and id = ${id}
      and deleted_at is null for update`,
  )
  if (!task) throw notFound('Task')
  const kept = task.labels.filter((label) => label !== remove)
  const labels = add === undefined || kept.includes(add) ? kept : [...kept, add]
  if (labels.length > LABELS_MAX) throw invalidParameter('add_label', `would give task #${id} more than ${LABELS_MAX} labels`)
  return { labels }
}

/** Deletes tasks. They stay as they are, unseen, so that it can be undone. */
export const removeAll = (db: Database, by: Author, ids: readonly number[]) => setDeleted(db, by, ids, true)

/** Restores deleted tasks with all that hangs on them. */
export const restoreAll = (db: Database, by: Author, ids: readonly number[]) =>
  db.transaction(async (db) => {
    await setDeleted(db, by, ids, false)
    // They may have been deleted before their comments were indexed.
    await db.execute(sql`
      insert into search_queue (account_id, kind, record_id)
      select account_id, 'comment', id::text from comments
      where account_id = ${by.account_id} and task_id = any (${ids}::bigint[]) and deleted_at is null`)
  })

/** All or none. */
const setDeleted = (db: Database, by: Author, given: readonly number[], isDeleted: boolean) =>
  db.transaction(async (db) => {
    const ids = inOrder(given)
    const ours = sql`account_id = ${by.account_id} and project_id = ${by.project_id} and id = any (${ids}::bigint[])`
    const locked = await db.rows(sql`
      select from tasks where ${ours} and ${isDeleted ? sql`deleted_at is null` : sql`deleted_at is not null`} order by id for update`)
    if (locked.length < ids.length) throw notFound('Task')
    await db.execute(
      isDeleted
        ? sql`update tasks set deleted_at = now() where ${ours}`
        : sql`update tasks set deleted_at = null, updated_at = now() where ${ours}`,
    )
    await recordDeleted(db, by, ids, isDeleted)
  })
