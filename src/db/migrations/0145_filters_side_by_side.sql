-- online
-- One index for every selection of closed filters, whichever are given: the list walks each combination by itself.
create index concurrently if not exists tasks_kinds on tasks (project_id, state, task_type, priority, created_at desc, id desc);
create index concurrently if not exists tasks_user_kinds
  on tasks (project_id, user_id, state, task_type, priority, created_at desc, id desc) where user_id is not null;
create index concurrently if not exists tasks_handle_kinds
  on tasks (project_id, assignee_handle, state, task_type, priority, created_at desc, id desc) where assignee_handle is not null;
create index concurrently if not exists build_runs_kinds
  on build_runs (project_id, status, build_type, target_type, created_at desc, id desc);
create index concurrently if not exists deployments_kinds on deployments (project_id, status, platform, created_at desc, number desc);
create index concurrently if not exists approvals_stage_status
  on approvals (project_id, approval_stage, status, created_at desc, id desc);
create index concurrently if not exists channel_messages_status on channel_messages (channel_id, status, id desc);
-- The few changes that a forced push may have replaced.
create index concurrently if not exists change_branches_doubted on change_branches (account_id, project_id, branch, position desc)
  where orphaned_at is null and doubted_at is not null;
-- What these serve, too.
drop index concurrently if exists tasks_type;
drop index concurrently if exists tasks_priority;
drop index concurrently if exists tasks_handle;
drop index concurrently if exists build_runs_build_type;
drop index concurrently if exists build_runs_target_type;
drop index concurrently if exists deployments_status;
drop index concurrently if exists approvals_stage;
drop index concurrently if exists deployments_live;
