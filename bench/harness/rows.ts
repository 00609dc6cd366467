/** The distribution of rows: nearly all in one project, one in a hundred in another. */
export const PROJECT = 1

/** The values that filters look for: the last ones of each line exist only in the other project. */
export const TIMES = {
  newest: '2026-03-01T00:00:00Z',
  /** A tenth of the rows, all of them among the oldest, was edited here; a handful here, and nothing after. */
  bulk: '2026-03-02T00:00:00Z',
  rare: '2026-03-03T00:00:00Z',
  never: '2026-03-04T00:00:00Z',
}

export const COMMON_COMMIT = 'c0ffee00c0ffee00c0ffee00c0ffee00c0ffee00'
export const RARE_COMMIT = 'badc0de0badc0de0badc0de0badc0de0badc0de0'
export const OTHER_COMMIT = 'feedface00feedface00feedface00feedface00'

/**
 * The frame of every table: `other` marks the small project, `rare` twenty of the oldest rows, so that reading from the newest finds them
 * last, and `few` another twenty. Three rows at a time share their timestamp.
 */
const frame = (count: number) => `(
  select i, case when i % 100 = 0 then 2 else 1 end as project_id, i % 100 = 0 as other, i <= 2000 and i % 100 = 1 as rare,
    i <= 2000 and i % 100 = 2 as few, at, case
      when i <= 2000 and i % 100 = 1 then timestamptz '${TIMES.rare}'
      when i <= ${count / 10} then timestamptz '${TIMES.bulk}'
      else at end as edited
  from (
    select i, timestamptz '${TIMES.newest}' - (${count} - i) / 3 * interval '30 seconds' as at from generate_series(1, ${count}) i
  ) g) g`

/** A tenth of the rows, the oldest, is on an abandoned branch. */
const branch = (count: number) =>
  `case when other then 'attic' when rare then 'hotfix' when i <= ${count / 10} then 'legacy' else 'main' end`

const id = (kind: string) => `md5('${kind}' || i)::uuid`
const commit = (number: string) => `md5((${number})::text) || 'deadbeef'`

export const inserts = {
  tasks: (count: number) => `
    insert into tasks (id, account_id, project_id, title, description, state, task_type, priority, assignee_handle, user_id, labels,
      metadata, created_at, updated_at)
    select i, 1, project_id, 'Crate ' || i || ' falls through the floor of the harbour',
      'Seen on the third level after loading a saved game: the crate keeps its speed, the floor is not there yet. Number ' || i,
      case when other then 'in_progress' when rare then 'blocked' when i % 3 = 0 then 'to_do' else 'completed' end,
      case when other then 'balance' when rare then 'content' else (array['bug', 'feature', 'chore'])[i % 3 + 1] end,
      case when other then 'low' when rare then 'critical' when i % 2 = 0 then 'medium' else 'high' end,
      case when i % 200 = 0 then 'build-bot' when rare then 'night-agent' when not other and i % 4 = 0 then 'agent' end,
      case when i % 200 = 100 then 3 when few then 2 when not rare and i % 4 = 1 then 1 end,
      case when other then array['tools'] when rare then array['cert-blocker', 'gameplay']
        when i % 2 = 0 then array['gameplay', 'physics'] else array['rendering'] end,
      jsonb_build_object('estimate', i % 8), at, edited
    from ${frame(count)}`,

  task_labels: () => `
    insert into task_labels (account_id, project_id, label, created_at, task_id)
    select account_id, project_id, unnest(labels), created_at, id from tasks`,

  changes: (count: number) => `
    insert into changes (id, account_id, project_id, identifier, source_type, author, description, branch, timestamp, orphaned_at,
      files, created_at, updated_at)
    select i, 1, project_id, case when source_type = 'Changelist' then i::text else ${commit('i / 5')} || i end, source_type,
      'Kim Lindqvist', 'Keep the crate on the floor. Reviewed by the physics group, number ' || i, ${branch(count)}, at,
      case when i % 10 = 3 then at end, '[{"path": "Source/Physics/Crate.cpp", "action": "edit"}]', at, edited
    from (select *, case when other then 'AssetCommit' when rare then 'Changelist' else 'GitCommit' end as source_type
      from ${frame(count)}) g`,

  change_branches: () => `
    insert into change_branches (account_id, project_id, branch, change_id, timestamp)
    select account_id, project_id, branch, id, timestamp from changes`,

  build_runs: (count: number) => `
    insert into build_runs (id, account_id, project_id, status, build_type, target_type, ci_job_name, build_number, commit_hash, changelist,
      branch, phase, platform, configuration, agent, duration_seconds, started_at, finished_at, created_at, updated_at)
    select i, 1, project_id,
      case when other then 'cancelled' when rare then 'passed_pending_approval' when i % 7 = 0 then 'failed' else 'completed' end,
      case when other then 'custom' when rare then 'unity' else 'unreal' end,
      case when other then 'debug' when rare then 'test' when i % 4 = 0 then 'shipping' else 'development' end,
      case when other then 'attic' when rare then 'weekly-ps5' else 'nightly-win64' end, i::text,
      case when other then '${OTHER_COMMIT}' when rare then '${RARE_COMMIT}' when i % 200 = 7 then '${COMMON_COMMIT}'
        else ${commit('i / 5')} end,
      case when i % 200 = 7 then '777' else i::text end, ${branch(count)}, 'package',
      case when rare then 'PS5' else 'Win64' end, case when rare then 'Test' else 'Shipping' end, case when rare then 'BUILD-02' else 'BUILD-01' end, 1800, at, at + interval '30 minutes', at, edited
    from ${frame(count)}`,

  assets: (count: number) => `
    insert into assets (id, account_id, project_id, name, path, asset_type, approval_status, version, size_bytes, last_change_id,
      created_at, updated_at)
    select ${id('asset')}, 1, project_id, 'T_Crate_' || i, 'Content/Props/Crates/T_Crate_' || i || '.uasset',
      case when other then 'font' when rare then 'shader' else (array['texture', 'model', 'audio'])[i % 3 + 1] end,
      case when rare then 'pending' else 'approved' end, 3, 1048576, null, at, edited
    from ${frame(count)}`,

  approvals: (count: number) => `
    insert into approvals (id, account_id, project_id, asset_id, asset_name, commit_sha, approval_stage, approval_type, status, approver_user_id,
      comments, asset_version, decided_at, created_at, updated_at)
    select ${id('approval')}, 1, project_id, ${id('asset')}, 'T_Crate_' || i,
      case when other then '${OTHER_COMMIT}' when rare then '${RARE_COMMIT}' when i % 200 = 7 then '${COMMON_COMMIT}'
        else ${commit('i / 5')} end,
      case when other then 'audio_review' when rare then 'certification' else 'art_review' end, 'manual',
      case when other then 'ignored' when rare then 'pending' when i % 5 = 0 then 'denied' else 'approved' end,
      1, 'Reads well at a distance', 3, at, at, edited
    from ${frame(count)}`,

  deployments: (count: number) => `
    insert into deployments (id, number, account_id, project_id, platform, status, branch, version, external_id, external_build_id,
      build_run_id, submitted_at, created_at, updated_at)
    select ${id('deployment')}, i, 1, project_id,
      case when other then 'google_play' when rare then 'custom' when i % 2 = 0 then 'steam' else 'epic_games_store' end,
      case when other then 'rolled_back' when rare then 'in_review' when i % 2 = 0 then 'live' else 'approved' end,
      'release', '1.' || i, 'app-' || i, 'build-' || i,
      case when other then 3 when rare then 2 when i % 200 = 7 then 1 else i end, at, at, edited
    from ${frame(count)}`,

  breakages: (count: number) => `
    insert into breakages (account_id, project_id, fingerprint, branch, state, category, confidence, cause, suggested_fix, evidence, jobs,
      build_count, owner_user_id, opened_at, last_seen_at, updated_at)
    select 1, project_id, 'f' || i, case when other then 'attic' when rare then 'hotfix' else 'main' end,
      case when other then 'muted' when rare then 'open' else 'fixed' end,
      case when other then 'timeout' when rare then 'link_error' else 'compile_error' end, 'high', 'The compiler stopped at Crate.cpp.',
      'Declare it.', '[{"line": 12, "text": "Crate.cpp(12): error C2065"}]', array['nightly-win64'], 3,
      case when other then 3 when rare then 2 else 1 end, at, edited, edited
    from ${frame(count)}`,
}

export type Table = keyof typeof inserts
