/** A project with its account. Rows of a project are found by both: their keys start with the account. */
export interface ProjectKey {
  account_id: number
  project_id: number
}
