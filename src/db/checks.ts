import type pg from 'pg'
import * as sets from '../contract/sets.ts'

/** Which column holds which closed set. */
const COLUMNS: Record<string, readonly string[]> = {
  'accounts.plan': sets.PLANS,
  'account_members.role': sets.ROLES,
  'invitations.role': sets.ROLES,
  'projects.status': sets.PROJECT_STATUSES,
  'project_members.role': sets.ROLES,
  'api_tokens.created_via': sets.TOKEN_ORIGINS,
  'integrations.provider': sets.PROVIDERS,
  'deliveries.outcome': sets.DELIVERY_OUTCOMES,
  'changes.source_type': sets.SOURCE_TYPES,
  'build_runs.status': sets.BUILD_STATUSES,
  'build_runs.build_type': sets.BUILD_TYPES,
  'build_runs.target_type': sets.TARGET_TYPES,
  'investigations.status': sets.INVESTIGATION_STATUSES,
  'investigations.category': sets.FAILURE_CATEGORIES,
  'investigations.confidence': sets.CONFIDENCES,
  'assets.asset_type': sets.ASSET_TYPES,
  'assets.approval_status': sets.ASSET_APPROVAL_STATUSES,
  'approvals.status': sets.APPROVAL_STATUSES,
  'deployments.platform': sets.PLATFORMS,
  'deployments.status': sets.DEPLOYMENT_STATUSES,
  'tasks.state': sets.TASK_STATES,
  'tasks.task_type': sets.TASK_TYPES,
  'tasks.priority': sets.PRIORITIES,
  'subscriptions.status': sets.SUBSCRIPTION_STATUSES,
  'outgoing.status': sets.OUTGOING_STATUSES,
}

/** Re-applies only the constraints whose set changed, without locking a table while its rows are read. */
export async function applyChecks(client: pg.Client) {
  const { rows } = await client.query<{ name: string; values: string | null }>(
    `select conname as name, obj_description(oid, 'pg_constraint') as values from pg_constraint where contype = 'c'`,
  )
  const held = new Map(rows.map((row) => [row.name, row.values]))
  for (const [place, values] of Object.entries(COLUMNS)) {
    const [table, column] = place.split('.') as [string, string]
    const name = `${table}_${column}_set`
    const list = values.join(' ')
    if (held.get(name) === list) continue
    const check = values.map((value) => `'${value}'`).join(', ')
    await client.query(
      `alter table ${table} drop constraint if exists ${name}, add constraint ${name} check (${column} in (${check})) not valid`,
    )
    await client.query(`alter table ${table} validate constraint ${name}`)
    await client.query(`comment on constraint ${name} on ${table} is '${list}'`)
  }
}
