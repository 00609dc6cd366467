import { raw, type Sql, sql } from '../../db/database.ts'
import { IDLE } from '../../db/queue.ts'

/** An account, or one of its projects. */
export interface Scope {
  account_id: number
  project_id?: number | undefined
}

/** The rows of a table that belong to an account. */
export interface TableOwnership {
  /** The condition for rows of the table `t`. */
  of(scope: Scope): Sql
  /** Whether its rows belong to one project and are deleted with it. */
  level: 'account' | 'project' | 'person'
  /** The columns of its primary key: the order of an export. */
  key: string
  /**
   * Useless without its secret, so an export contains it only with a passphrase: a setting that admins enter, or a credential of people or
   * tools, which only the operator's export contains.
   */
  secret?: 'setting' | 'credential'
  /** Accepts no changes and is deleted with the account's row. */
  appendOnly?: true
  /** Outlives its account until a job has removed what it names from the file store. */
  swept?: true
  /** Why an export omits it. */
  left?: string
}

const ofAccount = ({ account_id }: Scope) => sql`t.account_id = ${account_id}`
const ofProject = ({ account_id, project_id }: Scope) =>
  project_id === undefined
    ? sql`t.account_id = ${account_id}`
    : sql`t.account_id = ${account_id} and t.project_id = ${project_id}`
const projects = ({ account_id, project_id }: Scope) =>
  sql`select id from projects where account_id = ${account_id} ${project_id === undefined ? sql`` : sql`and id = ${project_id}`}`
/** Rows that belong to those of another table. */
const below =
  (column: string, table: string, on: (scope: Scope) => Sql = ofProject, key = 'id') =>
  (scope: Scope) =>
    sql`t.${raw(column)} in (select t.${raw(key)} from ${raw(table)} t where ${on(scope)})`
/** Rows of an account that hang on those of one of its projects. */
const ofRecord =
  (column: string, table: string) =>
  ({ account_id, project_id }: Scope) =>
    project_id === undefined
      ? sql`t.account_id = ${account_id}`
      : sql`t.account_id = ${account_id} and t.${raw(column)} in (select t.id from ${raw(table)} t where ${ofProject({ account_id, project_id })})`
const members = below('user_id', 'account_members', ofAccount, 'user_id')
/** What is limited to one account is not part of another account's data. */
const membersOwn = (column: string) => (scope: Scope) =>
  sql`${members(scope)} and coalesce(t.${raw(column)}, ${scope.account_id}) = ${scope.account_id}`
const none = () => sql`false`

const account = (key = 'id', more: Partial<TableOwnership> = {}): TableOwnership => ({
  of: ofAccount,
  level: 'account',
  key,
  ...more,
})
const project = (key = 'id', more: Partial<TableOwnership> = {}): TableOwnership => ({
  of: ofProject,
  level: 'project',
  key,
  ...more,
})
/** Data of the service itself, or of somebody's session. */
const left = (why: string): TableOwnership => ({ of: none, level: 'person', key: 'id', left: why })

const DERIVED = 'derived: made again from the records'
const SERVICE = 'of the service itself'
const VISIT = 'of a visit to this service: people sign in again'
const FACTOR = 'bound to this service: people set it up again where they sign in'
const LARGE = 'builds of hundreds of gigabytes: their names and sizes are in the build; download what you need'
const FILE = 'a file that somebody takes along, not a part of what it holds'
const ON_ITS_WAY = 'on its way out of this service: a copy would say everything twice'

/**
 * Every table, parents before children: exports write in this order, deletion runs in reverse. A test fails for a new table that is not
 * listed.
 */
export const TABLE_OWNERSHIP: Record<string, TableOwnership> = {
  accounts: account('id', { of: ({ account_id }) => sql`t.id = ${account_id}` }),
  // People, including former members that records still refer to: see `peopleOf`.
  users: { of: none, level: 'person', key: 'id' },
  former_members: account('account_id, user_id', { left: 'records show who created them' }),
  account_members: account('account_id, user_id'),
  saved_views: account('account_id, id'),
  logins: { of: members, level: 'person', key: 'id', secret: 'credential' },
  connected_accounts: { of: membersOwn('found_in'), level: 'person', key: 'id' },
  connected_account_confirmations: account('account_id, connected_account_id'),
  notification_preferences: { of: members, level: 'person', key: 'user_id, kind' },
  api_tokens: {
    of: membersOwn('account_id'),
    level: 'person',
    key: 'id',
    secret: 'credential',
  },
  sso_connections: account('account_id', { secret: 'credential' }),
  sso_domains: account('domain', { secret: 'credential' }),
  projects: project('id', { of: ({ account_id, project_id }) => sql`t.id in (${projects({ account_id, project_id })})` }),
  project_members: project('account_id, project_id, user_id'),
  failure_rules: account('account_id, id'),
  intake_usage: account('account_id, day'),
  integrations: project(),
  imports: project('account_id, id'),
  // An audit stream belongs to the log of this service and is set up again elsewhere.
  destinations: account('account_id, id', {
    of: ({ account_id, project_id }) => sql`t.account_id = ${account_id} and t.kind <> 'audit_stream'
      ${project_id === undefined ? sql`` : sql`and coalesce(t.project_id, ${project_id}) = ${project_id}`}`,
    secret: 'setting',
  }),
  channel_rules: project('account_id, id', { secret: 'setting' }),
  ugs_tokens: project('account_id, id', { secret: 'credential' }),
  branches: project('account_id, project_id, name'),
  changes: project('account_id, id'),
  change_branches: project('account_id, id'),
  build_runs: project('account_id, id'),
  build_names: project('account_id, build_run_id, kind', { left: DERIVED }),
  running_builds: project('account_id, build_run_id', { of: ofRecord('build_run_id', 'build_runs'), left: DERIVED }),
  build_steps: project('account_id, id', { of: ofRecord('build_run_id', 'build_runs') }),
  build_log_streams: project('account_id, build_run_id', { of: ofRecord('build_run_id', 'build_runs') }),
  build_log_chunks: project('account_id, build_run_id, until', { of: ofRecord('build_run_id', 'build_runs') }),
  passed_lines: project('account_id, build_run_id', { of: ofRecord('build_run_id', 'build_runs') }),
  build_sizes: project('account_id, build_run_id', { of: ofRecord('build_run_id', 'build_runs') }),
  measure_alerts: project('account_id, id'),
  test_builds: project('account_id, id'),
  test_reports: project('account_id, id'),
  test_cases: project('account_id, id'),
  test_runs: project('account_id, test_build_id, test_report_id', { of: ofRecord('test_build_id', 'test_builds') }),
  test_failures: project('account_id, test_build_id, test_case_id'),
  flaky_tests: project('account_id, test_case_id, branch'),
  test_quarantines: project('account_id, test_case_id'),
  corrections: project('account_id, id'),
  investigations: project('account_id, id', { of: ofRecord('build_run_id', 'build_runs') }),
  assets: project('account_id, id'),
  approvals: project('account_id, id'),
  deployments: project('account_id, id'),
  deployment_history: project('account_id, id'),
  tasks: project('account_id, id'),
  task_history: project('account_id, id'),
  task_changes: project('account_id, task_id, change_id', { of: ofRecord('task_id', 'tasks') }),
  task_build_runs: project('account_id, task_id, build_run_id', { of: ofRecord('task_id', 'tasks') }),
  task_deployments: project('account_id, task_id, deployment_id', { of: ofRecord('task_id', 'tasks') }),
  task_labels: project('account_id, task_id, label', { of: ofRecord('task_id', 'tasks'), left: DERIVED }),
  external_references: project('account_id, id'),
  agent_mutes: project('account_id, project_id, agent'),
  branch_marks: project('account_id, project_id, branch, change_id'),
  breakages: project('account_id, id'),
  breakage_builds: project('account_id, build_run_id', { of: ofRecord('breakage_id', 'breakages') }),
  breakage_occurrences: project('account_id, breakage_id, number'),
  breakage_history: project('account_id, id', { of: ofRecord('breakage_id', 'breakages') }),
  comments: project('account_id, id'),
  file_contents: project('account_id, sha256', {
    of: ({ account_id, project_id }) =>
      sql`t.account_id = ${account_id} and t.sha256 in (
        select f.sha256 from files f where f.account_id = ${account_id} ${project_id === undefined ? sql`` : sql`and f.project_id = ${project_id}`}
        union all select unnest(array[p.small_sha256, p.large_sha256, p.original_sha256]) from previews p
          where p.account_id = ${account_id} ${project_id === undefined ? sql`` : sql`and p.project_id = ${project_id}`})`,
    swept: true,
  }),
  file_usage: account('account_id', { left: DERIVED }),
  files: project('account_id, id'),
  previews: project('account_id, asset_id, version'),
  artifacts: project('account_id, id', { left: LARGE }),
  artifact_builds: project('account_id, build_run_id', { left: DERIVED }),
  artifact_pieces: project('account_id, artifact_id, start', { of: ofRecord('artifact_id', 'artifacts'), left: LARGE }),
  share_links: project('account_id, id', { left: 'links into this service, to files that stay here' }),
  comment_reactions: project('account_id, comment_id, reaction, user_id', { of: ofRecord('comment_id', 'comments') }),
  bisections: project('account_id, id'),
  bisection_builds: project('account_id, bisection_id, number'),
  deliveries: project('account_id, id', { of: ofRecord('integration_id', 'integrations') }),
  notifications: project('account_id, id'),
  ugs_sequences: project('account_id, project_id'),
  ugs_changes: project('account_id, project_id, path, change'),
  ugs_badges: project('account_id, project_id, path, change, name'),
  ugs_user_metadata: project('account_id, project_id, path, change, user_key'),

  outbox: project('account_id, id', { left: 'what happened, in the order of this service; the feed is read from the records' }),
  outbox_heads: account('account_id', { left: 'how far this service has read' }),
  integration_places: project('account_id, integration_id, place', { of: ofRecord('integration_id', 'integrations') }),
  write_backs: project('account_id, integration_id, subject', {
    of: ofRecord('integration_id', 'integrations'),
    left: 'what the servers of tools have; a comment is found there by its mark',
  }),
  result_addresses: project('account_id, id', {
    of: ofRecord('integration_id', 'integrations'),
    left: 'addresses of test runs, which are secrets and soon over',
  }),
  import_etags: project('account_id, integration_id, request', {
    of: ofRecord('integration_id', 'integrations'),
    left: 'what the servers of tools answered: the next nightly check asks again',
  }),
  messages: project('account_id, id', { left: ON_ITS_WAY }),
  attempts: project('account_id, id', { of: ofRecord('message_id', 'messages'), left: ON_ITS_WAY }),
  channel_people: account('account_id, channel_id, user_id', { left: 'looked up again' }),
  audit_log: account('account_id, id', {
    appendOnly: true,
    left: 'sealed where it was written: save it as JSON beside the export',
  }),
  audit_heads: account('account_id', { appendOnly: true, left: 'it belongs to the log of this service' }),
  failing_accounts: account('account_id, work', { left: 'work of this service' }),
  mails: account('id', { left: ON_ITS_WAY }),
  // A running job, which may be the one that deletes the account, is removed when it is done.
  jobs: account('id', { of: (scope) => sql`${ofAccount(scope)} and t.${IDLE}`, left: 'work of this service' }),
  invitations: account('account_id, id', { left: 'their links lead to the service that wrote them: invite again' }),
  exports: account('account_id, id', { left: FILE }),
  export_chunks: account('account_id, export_id, start', { left: FILE }),
  search_documents: project('account_id, kind, record_id', { left: DERIVED }),
  search_queue: account('account_id, id', { left: DERIVED }),
  search_segments: account('account_id, id', { left: DERIVED }),
  sso_sessions: account('session_id', { left: VISIT }),
  scim_tokens: account('account_id', { left: FACTOR }),
  scim_users: account('account_id, user_id', { left: 'told again by the provider' }),
  refused_requests: account('account_id, day', { left: SERVICE }),
  stored_objects: left('what their rows have is in the export; they go from the store with these'),
  two_factors: left(FACTOR),
  recovery_codes: left(FACTOR),
  passkeys: left(FACTOR),
  idempotency_keys: left(VISIT),
  oauth_codes: left(VISIT),
  refresh_tokens: left(VISIT),
  sessions: left(VISIT),
  verifications: left(VISIT),
  oauth_clients: left(VISIT),
  audit_keys: left(SERVICE),
  backups: left(SERVICE),
  daily_sizes: left(SERVICE),
  nodes: left(SERVICE),
  schema_migrations: left(SERVICE),
  secret_canary: left(SERVICE),
}

/** The table that a column refers to: a column name means the same in every table. */
export const REFERENCES: Record<string, string> = {
  account_id: 'accounts',
  default_account_id: 'accounts',
  user_id: 'users',
  approver_user_id: 'users',
  attributed_user_id: 'users',
  author_user_id: 'users',
  confirmed_by: 'users',
  created_by_user_id: 'users',
  owner_user_id: 'users',
  project_id: 'projects',
  integration_id: 'integrations',
  import_id: 'imports',
  connected_account_id: 'connected_accounts',
  found_in: 'accounts',
  via_api_token_id: 'api_tokens',
  channel_id: 'destinations',
  change_id: 'changes',
  last_change_id: 'changes',
  last_good_change_id: 'changes',
  first_bad_change_id: 'changes',
  fixed_by_change_id: 'changes',
  fixed_after_change_id: 'changes',
  fixed_up_to_change_id: 'changes',
  found_change_id: 'changes',
  build_run_id: 'build_runs',
  test_build_id: 'test_builds',
  test_report_id: 'test_reports',
  test_case_id: 'test_cases',
  continues_id: 'test_cases',
  last_test_build_id: 'test_builds',
  first_build_run_id: 'build_runs',
  last_build_run_id: 'build_runs',
  fixed_build_run_id: 'build_runs',
  named_build_run_id: 'build_runs',
  artifact_id: 'artifacts',
  asset_id: 'assets',
  deployment_id: 'deployments',
  breakage_id: 'breakages',
  bisection_id: 'bisections',
  correction_id: 'corrections',
  same_as_breakage_id: 'breakages',
  task_id: 'tasks',
  comment_id: 'comments',
  replay_of: 'deliveries',
}

/** Columns that only matter to this service: who operates it, a second number next to a row's id, and where a value was moved from. */
export const UNEXPORTED: Record<string, readonly string[]> = {
  accounts: ['closed_member_ids'],
  users: ['operator', 'digested_at'],
  destinations: ['position'],
  deliveries: ['body_object'],
  build_runs: ['log_object'],
  notifications: ['channel_id'],
}
