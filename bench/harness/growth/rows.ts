import { COMMON_COMMIT, OTHER_COMMIT, PROJECT, RARE_COMMIT, TIMES } from '../rows.ts'

/** Rows of each table, by the number of tasks. */
export const shares = {
  tasks: 1,
  task_labels: 1,
  changes: 1,
  change_branches: 1,
  build_runs: 0.3,
  assets: 0.3,
  approvals: 0.3,
  deployments: 0.1,
  breakages: 0.02,
  breakage_builds: 1,
  breakage_occurrences: 1,
  breakage_history: 1,
  investigations: 1,
  deliveries: 0.3,
  messages: 0.4,
  notifications: 0.1,
  audit_log: 0.3,
  mails: 0.1,
  task_history: 0.3,
} as const
export type GrownTable = keyof typeof shares

const RECENT_DAYS = 90
const OLDER_DAYS = 700

/** The times for filters, all of them in the last days. */
export const momentsBefore = (now: number): Record<keyof typeof TIMES, string> => {
  const daysAgo = (days: number) => new Date(now - days * 86_400_000).toISOString()
  return { newest: daysAgo(4), bulk: daysAgo(3), rare: daysAgo(2), never: daysAgo(1) }
}

/**
 * A project with a history: the last three months have as many rows in a small database as in a large one, and everything older is in the
 * two years before. So counts of a day or a month are equal in both. `other` marks the small project, `rare` twenty of the oldest rows and
 * `few` another twenty.
 */
const frame = (count: number, recent: number) => `(
  select i, k, case when i % 100 = 0 then 2 else ${PROJECT} end as project_id, i % 100 = 0 as other, i <= 2000 and i % 100 = 1 as rare,
    i <= 2000 and i % 100 = 2 as few, k < ${recent} as recent, at, case
      when i <= 2000 and i % 100 = 1 then timestamptz '${TIMES.rare}'
      when i <= ${count / 10} then timestamptz '${TIMES.bulk}'
      else at end as edited
  from (select i, ${count} - i as k, timestamptz '${TIMES.newest}' - interval '1 day' * case
      when ${count} - i < ${recent} then (${count} - i) * ${RECENT_DAYS}.0 / ${recent}
      else ${RECENT_DAYS} + (${count} - i - ${recent}) * ${OLDER_DAYS}.0 / ${count} end as at
    from generate_series(1, ${count}) i) g) g`

const branch = `case when other then 'attic' when rare then 'hotfix' when i <= 150 then 'legacy' else 'main' end`
const uuid = (kind: string) => `md5('${kind}' || i)::uuid`
const commit = (number: string) => `md5((${number})::text) || 'deadbeef'`

/** Two filters with many matches each may have none together: no bug has high priority, no agent has one, no gameplay task is a feature. */
export const grownInserts: Record<GrownTable, (count: number, recent: number) => string> = {
  tasks: (count, recent) => `
    insert into tasks (id, account_id, project_id, title, description, state, task_type, priority, assignee_handle, user_id, labels,
      created_at, updated_at)
    select i, 1, project_id, 'Crate ' || i || ' falls through the floor of the harbour', 'Seen on the third level, number ' || i,
      case when other then 'in_progress' when rare then 'blocked' when i % 3 = 0 and recent then 'to_do' else 'completed' end,
      case when other then 'balance' when rare then 'content' else (array['bug', 'feature', 'chore'])[i % 3 + 1] end,
      case when other then 'low' when rare then 'critical' when i % 3 = 0 or i % 2 = 0 then 'medium' else 'high' end,
      case when i % 200 = 0 then 'build-bot' when rare then 'night-agent' when not other and i % 4 = 0 then 'agent' end,
      case when i % 200 = 100 then 3 when few then 2 when not rare and i % 4 = 1 then 1 end,
      case when other then array['tools'] when rare then array['cert-blocker', 'gameplay']
        when i % 2 = 0 and i % 3 <> 1 then array['gameplay', 'physics'] else array['rendering'] end, at, edited
    from ${frame(count, recent)}`,

  task_labels: () => `
    insert into task_labels (account_id, project_id, label, created_at, task_id) select account_id, project_id, unnest(labels), created_at, id from tasks`,

  changes: (count, recent) => `
    insert into changes (id, account_id, project_id, identifier, source_type, author, description, branch, timestamp, orphaned_at, files,
      created_at, updated_at)
    select i, 1, project_id, case when rare then i::text else ${commit('i')} end,
      case when other then 'AssetCommit' when rare then 'Changelist' else 'GitCommit' end, 'Kim Lindqvist',
      'Keep the crate on the floor, number ' || i, ${branch}, at, case when i % 10 = 3 then at end,
      '[{"path": "Source/Physics/Crate.cpp", "action": "edit"}]', at, edited
    from ${frame(count, recent)}`,

  change_branches: () => `
    insert into change_branches (account_id, project_id, branch, change_id, timestamp, arrived_at)
    select account_id, project_id, branch, id, timestamp, timestamp from changes order by id`,

  build_runs: (count, recent) => `
    insert into build_runs (id, account_id, project_id, integration_id, status, build_type, target_type, ci_job_name, build_number,
      commit_hash, changelist, branch, platform, configuration, agent, duration_seconds, started_at, finished_at, created_at, updated_at)
    select i, 1, project_id, case when project_id = ${PROJECT} then 1 end,
      case when other then 'cancelled' when rare then 'passed_pending_approval' when i % 7 = 0 then 'failed' else 'completed' end,
      case when other then 'custom' when rare then 'unity' else 'unreal' end,
      case when other then 'debug' when rare then 'test' when i % 4 = 0 then 'shipping' else 'development' end,
      case when other then 'attic' when rare then 'weekly-ps5' else (array['nightly-win64', 'nightly-ps5', 'editor'])[i % 3 + 1] end,
      i::text, case when other then '${OTHER_COMMIT}' when rare then '${RARE_COMMIT}' when k < 60 and i % 2 = 1 then '${COMMON_COMMIT}'
        else ${commit('i * 10 / 3')} end,
      case when k < 60 and i % 2 = 1 then '777' when rare then i::text else '' end, ${branch},
      case when rare then 'PS5' else 'Win64' end, case when rare then 'Test' else 'Shipping' end, case when rare then 'BUILD-02' else 'BUILD-01' end,
      1800, at, at + interval '30 minutes', at, edited
    from ${frame(count, recent)}`,

  assets: (count, recent) => `
    insert into assets (id, account_id, project_id, name, path, asset_type, approval_status, version, size_bytes, created_at, updated_at)
    select ${uuid('asset')}, 1, project_id, 'T_Crate_' || i, 'Content/Props/Crates/T_Crate_' || i || '.uasset',
      case when other then 'font' when rare then 'shader' else (array['texture', 'model', 'audio'])[i % 3 + 1] end,
      case when rare then 'pending' else 'approved' end, 3, 1048576, at, edited
    from ${frame(count, recent)}`,

  approvals: (count, recent) => `
    insert into approvals (id, account_id, project_id, asset_id, asset_name, commit_sha, approval_stage, approval_type, status,
      approver_user_id, asset_version, decided_at, created_at, updated_at)
    select ${uuid('approval')}, 1, project_id, ${uuid('asset')}, 'T_Crate_' || i,
      case when other then '${OTHER_COMMIT}' when rare then '${RARE_COMMIT}' when k < 60 and i % 2 = 1 then '${COMMON_COMMIT}'
        else ${commit('i * 10 / 3')} end,
      case when other then 'audio_review' when rare then 'certification' when i % 5 = 0 then 'tech_review' else 'art_review' end, 'manual',
      case when other then 'ignored' when rare then 'pending' when i % 5 = 0 then 'denied' else 'approved' end, 1, 3, at, at, edited
    from ${frame(count, recent)}`,

  deployments: (count, recent) => `
    insert into deployments (id, number, account_id, project_id, platform, status, track, branch, version, external_id, external_build_id,
      build_run_id, submitted_at, live_at, created_at, updated_at)
    select ${uuid('deployment')}, i, 1, project_id,
      case when other then 'google_play' when rare then 'custom' when i % 2 = 0 then 'steam' else 'epic_games_store' end,
      case when other then 'rolled_back' when rare then 'in_review' when i % 2 = 0 then 'approved' else 'live' end,
      (array['default', 'beta'])[i % 2 + 1], 'release', '1.' || i, 'app-' || i, 'build-' || i,
      case when other then 3 when rare then 2 when k < 60 and i % 2 = 1 then 1 else i * 3 end, at, case when not rare then at end, at, edited
    from ${frame(count, recent)}`,

  breakages: (count, recent) => `
    insert into breakages (id, account_id, project_id, fingerprint, branch, state, category, confidence, cause, suggested_fix, evidence,
      jobs, build_count, owner_user_id, opened_at, last_seen_at, fixed_at, updated_at)
    select i, 1, project_id, 'f' || i, case when other then 'attic' when rare then 'hotfix' else 'main' end,
      case when other then 'muted' when rare then 'open' when i % 2 = 0 then 'withdrawn' else 'fixed' end,
      case when other then 'timeout' when rare then 'link_error' when i % 2 = 0 then 'compile_error' else 'test_failure' end, 'high',
      'The compiler stopped at Crate.cpp.', 'Declare it.', '[{"line": 12, "text": "Crate.cpp(12): error C2065"}]',
      array['nightly-win64'], 3, case when other then 3 when rare then 2 when i % 4 = 1 then 1 end, at, edited,
      case when not rare and not other then at end, edited
    from ${frame(count, recent)}`,

  breakage_builds: () => `
    insert into breakage_builds (account_id, breakage_id, build_run_id, position, joined_at)
    select 1, 1 + b.id * (select max(id) from breakages) / (select max(id) + 1 from build_runs), b.id, null, b.created_at
    from build_runs b where b.status = 'failed'`,

  breakage_occurrences: () => `
    insert into breakage_occurrences (account_id, project_id, breakage_id, number, opened_at, build_count, fixed_at)
    select account_id, project_id, id, 1, opened_at, 3, fixed_at from breakages`,

  breakage_history: () => `
    insert into breakage_history (account_id, breakage_id, kind, at) select account_id, id, 'opened', opened_at from breakages`,

  investigations: () => `
    insert into investigations (account_id, build_run_id, status, diagnosis, fingerprint, created_at, finished_at)
    select account_id, id, 'completed', 'The compiler stopped at Crate.cpp.', 'f' || id % 100, created_at, created_at
    from build_runs where status = 'failed'`,

  deliveries: (count, recent) => `
    insert into deliveries (account_id, integration_id, received_at, path, event, dedupe_key, outcome, status)
    select 1, 1, at, 'jenkins', 'build', i::text, case when rare then 'failed' else 'processed' end, 200 from ${frame(count, recent)}`,

  messages: (count, recent) => `
    insert into messages (account_id, destination_id, event_id, position, event_type, payload, project_id, subject, subject_id, status, created_at, finished_at)
    select 1, case when chat then 2 + i / 4 % 4 else 1 end, case when not chat then 'msg_' || i end, case when not chat then i end,
      case when not chat then 'build.failed' end, case when not chat then '{}'::json end, case when chat then project_id end,
      case when chat then 'breakage' end, case when chat then i::text end,
      case when rare then 'failed' when chat then 'sent' else 'delivered' end, at, at
    from (select *, i % 4 = 0 as chat from ${frame(count, recent)}) m`,

  notifications: (count, recent) => `
    insert into notifications (user_id, account_id, project_id, kind, subject, subject_id, title, path, read_at, at)
    select 1, 1, project_id, 'task', 'task', i::text, 'A task', '/projects/1/tasks/' || i, case when not rare then at end, at
    from ${frame(count, recent)}`,

  audit_log: (count, recent) => `
    insert into audit_log (account_id, position, at, user_id, action, project_id)
    select 1, i, at, case when rare then 2 else 1 end, case when few then 'editProject' else 'editTask' end, project_id
    from ${frame(count, recent)}`,

  mails: (count, recent) => `
    insert into mails (to_user_id, subject, text, created_at, sent_at, account_id)
    select 1, 'A task', 'Yours', at, at, 1 from ${frame(count, recent)}`,

  task_history: (count, recent) => `
    insert into task_history (account_id, project_id, task_id, user_id, changes, at)
    select 1, project_id, i, 1, '{}', at from ${frame(count, recent)}`,
}
