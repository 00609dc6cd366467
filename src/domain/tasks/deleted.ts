import { type Sql, sql } from '../../db/database.ts'

/** Whether the comment `c` is on a deleted task: it stays for a restore, and nobody sees it meanwhile. */
export const isOnDeletedTask = (c: Sql): Sql => sql`exists (
  select from tasks t where t.account_id = ${c}.account_id and t.id = ${c}.task_id and t.deleted_at is not null)`
