import { cannotAct, notFound } from '../../contract/errors.ts'
import { ACTING_PROVIDERS, type BuildStatus, type CiAction, type ProviderName, RUNNING_STATUSES } from '../../contract/sets.ts'
import { type Database, type Sql, sql } from '../../db/database.ts'
import type { ProjectKey, RecordKey } from '../../db/project-key.ts'

/** What decides which requests the CI of a build can get. */
export interface CiSubject {
  status: BuildStatus
  build_number: string
  ci_job_name: string
  provider: ProviderName | null
  has_server: boolean
  /** As the settings have them. */
  start_parameters: string | null
}

/** Its columns; `ofIntegration` is joined. */
export const ciSubject = (build: Sql) =>
  sql`${build}.status, ${build}.build_number, ${build}.ci_job_name, i.provider, coalesce(i.config ->> 'server', '') <> '' as has_server, i.config ->> 'start_parameters' as start_parameters`

export const ofIntegration = (build: Sql) =>
  sql`left join integrations i on i.account_id = ${build}.account_id and i.id = ${build}.integration_id and i.active`

/** Why the CI can't be asked for this, in a sentence; null if it can. */
export function refusalOf(
  action: CiAction,
  { status, build_number, ci_job_name, provider, has_server }: CiSubject,
): string | null {
  if (provider === null || !(ACTING_PROVIDERS as readonly ProviderName[]).includes(provider))
    return 'This build can only be controlled at its CI.'
  if (!has_server) return 'The integration of this build has no server. Enter its URL and a token in the integration settings.'
  if (action === 'start') return ci_job_name === '' ? 'The job of this build is unknown.' : null
  if (build_number === '') return 'This build has no number yet. Try again when the CI has reported it.'
  const runs = RUNNING_STATUSES.includes(status)
  if (action === 'stop') return runs ? null : 'This build is already over.'
  return runs ? 'This build is still running. Stop it, or wait for its end.' : null
}

/** Throws unless the CI of this build can be asked for this now. */
export async function requireAction(
  db: Database,
  { account_id, project_id }: ProjectKey,
  id: number | undefined,
  action: CiAction,
): Promise<RecordKey & CiSubject> {
  const subject = await db.one<CiSubject & RecordKey>(sql`
    select b.account_id, b.id, ${ciSubject(sql`b`)} from build_runs b ${ofIntegration(sql`b`)}
    where b.account_id = ${account_id} and b.project_id = ${project_id} and b.id = ${id ?? 0}`)
  if (!subject) throw notFound('Build run')
  const refusal = refusalOf(action, subject)
  if (refusal !== null) throw cannotAct(refusal)
  return subject
}
