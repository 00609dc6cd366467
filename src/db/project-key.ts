import type { Sql } from './database.ts'

/** A project with its account. Rows of a project are found by both: their keys start with the account. */
export interface ProjectKey {
  account_id: number
  project_id: number
}

/** A record with its account: the key of its table. */
export interface RecordKey {
  account_id: number
  id: number
}

/** A project inside a statement that also finds out whether the caller reaches it. */
export interface ProjectSql {
  account_id: Sql
  project_id: Sql
}
