import type { DeploymentHistoryKind, DeploymentStatus } from '../../contract/sets.ts'
import { type Database, sql } from '../../db/database.ts'

interface Entry {
  kind: DeploymentHistoryKind
  /** Null: a tool reported it, or it follows from reports. */
  user_id?: number | null
  before?: DeploymentStatus
  after?: DeploymentStatus
  build_run_id?: number | null
  note?: string
  /** Of something that an import told; now by default. */
  at?: string | undefined
}

export const note = (
  db: Database,
  { id, account_id, project_id }: { id: string; account_id: number; project_id: number },
  { kind, user_id = null, before, after, build_run_id = null, note = '', at }: Entry,
) =>
  db.execute(sql`
    insert into deployment_history (account_id, project_id, deployment_id, kind, user_id, before, after, build_run_id, note, at)
    values (${account_id}, ${project_id}, ${id}, ${kind}, ${user_id}, ${before ?? ''}, ${after ?? ''}, ${build_run_id}, ${note},
      coalesce(${at ?? null}::timestamptz, now()))`)
