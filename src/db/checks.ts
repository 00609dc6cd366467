import type pg from 'pg'
import {
  CHANNEL_KINDS,
  CHANNEL_MESSAGE_STATUSES,
  CHANNEL_STATUSES,
  MESSAGE_SUBJECTS,
  NOTIFICATION_KINDS,
  RULE_SUBJECTS,
} from '../contract/channels.ts'
import * as sets from '../contract/sets.ts'
import { BACKUP_STATUSES, BACKUP_TESTS } from '../contract/sets.ts'
import type { MigrationSession } from './migration-session.ts'
import { JOB_STATES } from './queue.ts'

/** The closed set of each column. */
const COLUMNS: Record<string, readonly string[]> = {
  'accounts.plan': sets.PLANS,
  'accounts.share_policy': sets.SHARE_POLICIES,
  'account_members.role': sets.ACCOUNT_ROLES,
  'connected_accounts.found_by': sets.NAME_SOURCES,
  'audit_log.actor': sets.AUDIT_ACTORS,
  'backups.status': BACKUP_STATUSES,
  'backups.test': BACKUP_TESTS,
  'invitations.role': sets.ACCOUNT_ROLES,
  'sso_connections.default_role': sets.ACCOUNT_ROLES,
  'exports.status': sets.EXPORT_STATUSES,
  'projects.status': sets.PROJECT_STATUSES,
  'project_members.project_role': sets.PROJECT_ROLES,
  'api_tokens.created_via': sets.TOKEN_ORIGINS,
  'integrations.provider': sets.PROVIDERS,
  'jobs.state': JOB_STATES,
  'deliveries.outcome': sets.DELIVERY_OUTCOMES,
  'imports.state': sets.IMPORT_STATES,
  'changes.source_type': sets.SOURCE_TYPES,
  'build_runs.status': sets.BUILD_STATUSES,
  'build_runs.kind': sets.BUILD_KINDS,
  'build_runs.time_note': sets.BUILD_TIME_NOTES,
  'build_runs.build_type': sets.BUILD_TYPES,
  'build_runs.target_type': sets.TARGET_TYPES,
  'test_failures.outcome': sets.TEST_OUTCOMES,
  'build_runs.tests_verdict': sets.BUILD_VERDICTS,
  'investigations.status': sets.INVESTIGATION_STATUSES,
  'investigations.category': sets.FAILURE_CATEGORIES,
  'investigations.confidence': sets.CONFIDENCES,
  'breakages.state': sets.BREAKAGE_STATES,
  'breakages.withdrawn_reason': sets.WITHDRAWN_REASONS,
  'breakages.category': sets.FAILURE_CATEGORIES,
  'breakages.confidence': sets.CONFIDENCES,
  'breakage_history.kind': sets.BREAKAGE_HISTORY_KINDS,
  'bisections.status': sets.BISECTION_STATUSES,
  'bisection_builds.verdict': sets.BISECTION_VERDICTS,
  'assets.asset_type': sets.ASSET_TYPES,
  'assets.approval_status': sets.ASSET_APPROVAL_STATUSES,
  'approvals.status': sets.APPROVAL_STATUSES,
  'deployments.platform': sets.PLATFORMS,
  'deployments.status': sets.DEPLOYMENT_STATUSES,
  'deployment_history.kind': sets.DEPLOYMENT_HISTORY_KINDS,
  'tasks.state': sets.TASK_STATES,
  'tasks.task_type': sets.TASK_TYPES,
  'tasks.priority': sets.PRIORITIES,
  'previews.state': sets.PREVIEW_STATES,
  'previews.kind': sets.PREVIEW_KINDS,
  'previews.source': sets.PREVIEW_SOURCES,
  'comments.subject': sets.COMMENT_SUBJECTS,
  'comment_reactions.reaction': sets.REACTIONS,
  'destinations.kind': ['webhook', 'audit_stream', ...CHANNEL_KINDS],
  'destinations.status': [...new Set([...sets.WEBHOOK_STATUSES, ...CHANNEL_STATUSES])],
  'channel_rules.subject': Object.keys(RULE_SUBJECTS),
  'channel_rules.category': sets.FAILURE_CATEGORIES,
  'messages.subject': MESSAGE_SUBJECTS,
  'messages.status': [...new Set([...sets.WEBHOOK_MESSAGE_STATUSES, ...CHANNEL_MESSAGE_STATUSES])],
  'notifications.kind': Object.keys(NOTIFICATION_KINDS),
  'notification_preferences.kind': Object.keys(NOTIFICATION_KINDS),
  'measure_alerts.kind': sets.MEASURE_ALERT_KINDS,
  'measure_alerts.state': sets.MEASURE_ALERT_STATES,
  'ugs_badges.state': sets.UGS_BADGE_STATES,
  'ugs_user_metadata.vote': sets.UGS_VOTES,
}

/**
 * Sets grow with every version, and nodes of two versions run together during an upgrade: a constraint is extended by this version's values
 * and keeps unknown ones. A value is removed when a migration drops the constraint.
 */
export async function applyChecks({ client, transaction }: MigrationSession) {
  for (const { table, column, name, held, missing, valid } of await compare(client)) {
    if (missing.length > 0) {
      const list = [...held, ...missing].map((value) => `'${value}'`).join(', ')
      await transaction(name, (client) =>
        client.query(
          `alter table ${table} drop constraint if exists ${name}, add constraint ${name} check (${column} in (${list})) not valid`,
        ),
      )
    }
    // Reads the rows without blocking writes.
    if (missing.length > 0 || !valid)
      await transaction(name, (client) => client.query(`alter table ${table} validate constraint ${name}`))
  }
}

/** Whether the constraints allow everything that this version may write. */
export const areChecksCurrent = async (client: pg.Client): Promise<boolean> =>
  (await compare(client)).every(({ missing }) => missing.length === 0)

async function compare(client: pg.Client) {
  const { rows } = await client.query<Held>(
    `select conname as name, pg_get_constraintdef(oid) as definition, convalidated as valid from pg_constraint where contype = 'c'`,
  )
  const { rows: columns } = await client.query<{ place: string }>(
    `select c.relname || '.' || a.attname as place from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0
     where c.relkind in ('r', 'p') and c.relnamespace = current_schema()::regnamespace`,
  )
  const places = new Set(columns.map(({ place }) => place))
  return Object.entries(COLUMNS).flatMap(([place, values]) => {
    const [table, column] = place.split('.') as [string, string]
    // The schema of an earlier version may be created for an upgrade: it lacks later columns.
    if (!places.has(place)) return []
    const name = `${table}_${column}_set`
    const constraint = rows.find((row) => row.name === name)
    const held = constraint ? valuesOf(constraint.definition) : []
    return [{ table, column, name, held, missing: values.filter((value) => !held.includes(value)), valid: constraint?.valid }]
  })
}

interface Held {
  name: string
  definition: string
  valid: boolean
}

const valuesOf = (definition: string) => [...definition.matchAll(/'([^']*)'/g)].map(([, value]) => value!)
