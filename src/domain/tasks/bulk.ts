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
    sql`select labels from tasks where account_id = ${by.account_id} and project_id = ${by.project_id} and id = ${id} for update`,
  )
  if (!task) throw notFound('Task')
  const kept = task.labels.filter((label) => label !== remove)
  const labels = add === undefined || kept.includes(add) ? kept : [...kept, add]
  if (labels.length > LABELS_MAX) throw invalidParameter('add_label', `would give task #${id} more than ${LABELS_MAX} labels`)
  return { labels }
}

/** Deletes tasks; their content is kept for a while, so that it can be undone. */
export const removeAll = (db: Database, by: Author, ids: readonly number[]) =>
  db.transaction(async (db) => {
    for (const id of inOrder(ids)) {
      const kept = await db.one(sql`
        insert into deleted_tasks (account_id, task_id, project_id, task, links, deleted_by_user_id)
        select t.account_id, t.id, t.project_id, to_jsonb(t), jsonb_build_object(
          'changes', (select coalesce(jsonb_agg(change_id), '[]') from task_changes where account_id = t.account_id and task_id = t.id),
          'build_runs', (select coalesce(jsonb_agg(build_run_id), '[]') from task_build_runs where account_id = t.account_id and task_id = t.id),
          'deployments', (select coalesce(jsonb_agg(deployment_id), '[]') from task_deployments where account_id = t.account_id and task_id = t.id),
          'breakages', (select coalesce(jsonb_agg(id), '[]') from breakages
            where account_id = t.account_id and project_id = t.project_id and task_id = t.id)),
          ${by.user_id}
        from (
          select * from tasks where account_id = ${by.account_id} and project_id = ${by.project_id} and id = ${id} for update) t
        returning task_id`)
      if (!kept) throw notFound('Task')
      await recordDeleted(db, by, id, true)
      await db.execute(
        sql`delete from tasks where account_id = ${by.account_id} and project_id = ${by.project_id} and id = ${id}`,
      )
    }
  })

/** People and tokens that were deleted meanwhile are not restored with it. */
const living = sql`jsonb_build_object(
  'user_id', (select id from users where id = (d.task ->> 'user_id')::integer),
  'created_by_user_id', (select id from users where id = (d.task ->> 'created_by_user_id')::integer),
  'via_api_token_id', (select id from api_tokens where id = (d.task ->> 'via_api_token_id')::integer),
  'updated_at', now())`

/** Restores deleted tasks with their numbers, and those links whose target still exists. */
export const restoreAll = (db: Database, by: Author, ids: readonly number[]) =>
  db.transaction(async (db) => {
    for (const id of inOrder(ids)) {
      const deleted = await db.one(sql`
        select from deleted_tasks where account_id = ${by.account_id} and project_id = ${by.project_id} and task_id = ${id} for update`)
      if (!deleted) throw notFound('Task')
      const from = sql`from deleted_tasks d, jsonb_array_elements_text`
      const one = sql`d.account_id = ${by.account_id} and d.task_id = ${id}`
      await db.execute(sql`
        insert into tasks select r.* from deleted_tasks d, jsonb_populate_record(null::tasks, d.task || ${living}) r where ${one}`)
      await db.execute(sql`
        insert into task_changes (account_id, task_id, change_id) select d.account_id, d.task_id, c.id ${from}(d.links -> 'changes') l (id)
        join changes c on c.account_id = ${by.account_id} and c.id = l.id::bigint where ${one}`)
      await db.execute(sql`
        insert into task_build_runs (account_id, task_id, build_run_id) select d.account_id, d.task_id, b.id ${from}(d.links -> 'build_runs') l (id)
        join build_runs b on b.account_id = ${by.account_id} and b.id = l.id::bigint where ${one}`)
      await db.execute(sql`
        insert into task_deployments (account_id, task_id, deployment_id) select d.account_id, d.task_id, p.id ${from}(d.links -> 'deployments') l (id)
        join deployments p on p.account_id = ${by.account_id} and p.id = l.id::uuid where ${one}`)
      await db.execute(sql`
        update breakages k set task_id = d.task_id ${from}(d.links -> 'breakages') l (id)
        where k.account_id = d.account_id and k.id = l.id::bigint and k.task_id is null and ${one}`)
      await db.execute(sql`delete from deleted_tasks d where ${one}`)
      await recordDeleted(db, by, id, false)
    }
  })
