import type { BuildKind, BuildStatus } from '../../contract/sets.ts'
import { type Database, sql } from '../../db/database.ts'
import type { RecordKey } from '../../db/project-key.ts'
import type { IntegrationContext } from './context.ts'

/** The subject of a job and its integration; undefined if it was deleted or its integration is inactive. */

export const CONTEXT = sql`i.id as integration_id, i.provider, i.config, p.id as project_id, p.account_id, p.engine, p.approval_rules`

/** An integration of an active project. */
export const integration = (db: Database, { account_id, id }: RecordKey) =>
  db.one<IntegrationContext>(sql`
    select ${CONTEXT}
    from integrations i join projects p on p.account_id = i.account_id and p.id = i.project_id and p.status = 'active'
    where i.account_id = ${account_id} and i.id = ${id} and i.active and i.deleted_at is null`)

interface ChangeSubject extends IntegrationContext {
  identifier: string
}

export const change = (db: Database, { account_id, id }: RecordKey) =>
  db.one<ChangeSubject>(sql`
    select c.import_id, c.identifier, ${CONTEXT}
    from changes c join integrations i on i.id = c.integration_id and i.active
    join projects p on p.account_id = c.account_id and p.id = c.project_id
    where c.account_id = ${account_id} and c.id = ${id}`)

export interface BuildSubject extends IntegrationContext {
  external_id: string | null
  status: BuildStatus
  kind: BuildKind
  phase: string
  ci_job_name: string
  build_number: string
  commit_hash: string
  changelist: string
  branch: string
  url: string
  created_at: string
}

export const build = (db: Database, { account_id, id }: RecordKey) =>
  db.one<BuildSubject>(sql`
    select b.import_id, b.external_id, b.status, b.kind, b.phase, b.ci_job_name, b.build_number, b.commit_hash, b.changelist, b.branch, b.url, b.created_at, ${CONTEXT}
    from build_runs b join integrations i on i.id = b.integration_id and i.active
    join projects p on p.account_id = b.account_id and p.id = b.project_id
    where b.account_id = ${account_id} and b.id = ${id}`)
