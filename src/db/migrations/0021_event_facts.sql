-- online
-- What happened is told as it was then, not as its record stands when somebody reads: the outbox keeps the facts of the moment.
-- The functions and triggers are those of `event-triggers.ts` when this was written: each table's in one statement with those they
-- replace, so that nothing happens unrecorded between.

alter table outbox add column if not exists event_type text, add column if not exists happened_at timestamptz(3),
  add column if not exists facts json;

-- A page of approvals names its assets without looking each of them up.
alter table approvals add column if not exists asset_name text;

create or replace function enqueue_build_run_completed() returns trigger language plpgsql as $$
begin
  if is_quiet() then return null; end if;
  
    insert into outbox (account_id, project_id, kind, row_id, event_type, happened_at, facts)
    select s.account_id, s.project_id, 'build', s.id::text, 'build_run.completed', s.happened_at, json_build_object('id', s.id::text, 'state', s.status, 'job', s.ci_job_name, 'build_number', s.build_number, 'seconds', s.duration_seconds::text)
    from (select new.*) s;
  return null;
end $$;

create or replace function enqueue_build_run_failed() returns trigger language plpgsql as $$
begin
  if is_quiet() then return null; end if;
  
    insert into outbox (account_id, project_id, kind, row_id, event_type, happened_at, facts)
    select s.account_id, s.project_id, 'build', s.id::text, 'build_run.failed', s.happened_at, json_build_object('id', s.id::text, 'state', s.status, 'job', s.ci_job_name, 'build_number', s.build_number, 'seconds', s.duration_seconds::text)
    from (select new.*) s;
  return null;
end $$;

create or replace function enqueue_change_submitted() returns trigger language plpgsql as $$
begin
  if is_quiet() then return null; end if;
  if tg_level = 'STATEMENT' then 
    insert into outbox (account_id, project_id, kind, row_id, event_type, happened_at, facts)
    select s.account_id, s.project_id, 'change', s.id::text, 'change.submitted', s.timestamp, json_build_object('id', s.id::text, 'state', null, 'author', s.author, 'identifier', s.display_identifier, 'description', left(s.description, 300), 'asset_count', s.asset_count::text)
    from inserted s where s.orphaned_at is null;
  else 
    insert into outbox (account_id, project_id, kind, row_id, event_type, happened_at, facts)
    select s.account_id, s.project_id, 'change', s.id::text, 'change.submitted', s.timestamp, json_build_object('id', s.id::text, 'state', null, 'author', s.author, 'identifier', s.display_identifier, 'description', left(s.description, 300), 'asset_count', s.asset_count::text)
    from (select new.*) s;
  end if;
  return null;
end $$;

create or replace function enqueue_task_state_changed() returns trigger language plpgsql as $$
begin
  if is_quiet() then return null; end if;
  
    insert into outbox (account_id, project_id, kind, row_id, event_type, happened_at, facts)
    select s.account_id, s.project_id, 'task', s.id::text, 'task.state_changed', s.updated_at, json_build_object('id', s.id::text, 'state', s.state, 'title', s.title, 'assignee_handle', s.assignee_handle, 'assignee', s.user_id::text, 'creator', s.created_by_user_id::text)
    from (select new.*) s;
  return null;
end $$;

create or replace function enqueue_approval_requested() returns trigger language plpgsql as $$
begin
  if is_quiet() then return null; end if;
  if tg_level = 'STATEMENT' then 
    insert into outbox (account_id, project_id, kind, row_id, event_type, happened_at, facts)
    select s.account_id, s.project_id, 'approval', s.id::text, 'approval.requested', s.happened_at, json_build_object('id', s.id::text, 'state', s.status, 'asset_id', s.asset_id::text, 'asset_name', coalesce(s.asset_name, (select a.name from assets a where a.id = s.asset_id)), 'stage', s.approval_stage, 'version', s.asset_version::text, 'approver', s.approver_user_id::text)
    from inserted s where s.status in ('pending');
  else 
    insert into outbox (account_id, project_id, kind, row_id, event_type, happened_at, facts)
    select s.account_id, s.project_id, 'approval', s.id::text, 'approval.requested', s.happened_at, json_build_object('id', s.id::text, 'state', s.status, 'asset_id', s.asset_id::text, 'asset_name', coalesce(s.asset_name, (select a.name from assets a where a.id = s.asset_id)), 'stage', s.approval_stage, 'version', s.asset_version::text, 'approver', s.approver_user_id::text)
    from (select new.*) s;
  end if;
  return null;
end $$;

create or replace function enqueue_approval_granted() returns trigger language plpgsql as $$
begin
  if is_quiet() then return null; end if;
  if tg_level = 'STATEMENT' then 
    insert into outbox (account_id, project_id, kind, row_id, event_type, happened_at, facts)
    select s.account_id, s.project_id, 'approval', s.id::text, 'approval.granted', s.happened_at, json_build_object('id', s.id::text, 'state', s.status, 'asset_id', s.asset_id::text, 'asset_name', coalesce(s.asset_name, (select a.name from assets a where a.id = s.asset_id)), 'stage', s.approval_stage, 'version', s.asset_version::text, 'approver', s.approver_user_id::text)
    from inserted s where s.status in ('approved');
  else 
    insert into outbox (account_id, project_id, kind, row_id, event_type, happened_at, facts)
    select s.account_id, s.project_id, 'approval', s.id::text, 'approval.granted', s.happened_at, json_build_object('id', s.id::text, 'state', s.status, 'asset_id', s.asset_id::text, 'asset_name', coalesce(s.asset_name, (select a.name from assets a where a.id = s.asset_id)), 'stage', s.approval_stage, 'version', s.asset_version::text, 'approver', s.approver_user_id::text)
    from (select new.*) s;
  end if;
  return null;
end $$;

create or replace function enqueue_approval_denied() returns trigger language plpgsql as $$
begin
  if is_quiet() then return null; end if;
  if tg_level = 'STATEMENT' then 
    insert into outbox (account_id, project_id, kind, row_id, event_type, happened_at, facts)
    select s.account_id, s.project_id, 'approval', s.id::text, 'approval.denied', s.happened_at, json_build_object('id', s.id::text, 'state', s.status, 'asset_id', s.asset_id::text, 'asset_name', coalesce(s.asset_name, (select a.name from assets a where a.id = s.asset_id)), 'stage', s.approval_stage, 'version', s.asset_version::text, 'approver', s.approver_user_id::text)
    from inserted s where s.status in ('denied');
  else 
    insert into outbox (account_id, project_id, kind, row_id, event_type, happened_at, facts)
    select s.account_id, s.project_id, 'approval', s.id::text, 'approval.denied', s.happened_at, json_build_object('id', s.id::text, 'state', s.status, 'asset_id', s.asset_id::text, 'asset_name', coalesce(s.asset_name, (select a.name from assets a where a.id = s.asset_id)), 'stage', s.approval_stage, 'version', s.asset_version::text, 'approver', s.approver_user_id::text)
    from (select new.*) s;
  end if;
  return null;
end $$;

create or replace function enqueue_approval_ignored() returns trigger language plpgsql as $$
begin
  if is_quiet() then return null; end if;
  if tg_level = 'STATEMENT' then 
    insert into outbox (account_id, project_id, kind, row_id, event_type, happened_at, facts)
    select s.account_id, s.project_id, 'approval', s.id::text, 'approval.ignored', s.happened_at, json_build_object('id', s.id::text, 'state', s.status, 'asset_id', s.asset_id::text, 'asset_name', coalesce(s.asset_name, (select a.name from assets a where a.id = s.asset_id)), 'stage', s.approval_stage, 'version', s.asset_version::text, 'approver', s.approver_user_id::text)
    from inserted s where s.status in ('ignored');
  else 
    insert into outbox (account_id, project_id, kind, row_id, event_type, happened_at, facts)
    select s.account_id, s.project_id, 'approval', s.id::text, 'approval.ignored', s.happened_at, json_build_object('id', s.id::text, 'state', s.status, 'asset_id', s.asset_id::text, 'asset_name', coalesce(s.asset_name, (select a.name from assets a where a.id = s.asset_id)), 'stage', s.approval_stage, 'version', s.asset_version::text, 'approver', s.approver_user_id::text)
    from (select new.*) s;
  end if;
  return null;
end $$;

create or replace function enqueue_deployment_created() returns trigger language plpgsql as $$
begin
  if is_quiet() then return null; end if;
  
    insert into outbox (account_id, project_id, kind, row_id, event_type, happened_at, facts)
    select s.account_id, s.project_id, 'deployment', s.id::text, 'deployment.created', s.created_at, json_build_object('id', s.number::text, 'state', s.status, 'platform', s.platform, 'version', s.version, 'branch', s.branch)
    from (select new.*) s;
  return null;
end $$;

create or replace function enqueue_build_run_started() returns trigger language plpgsql as $$
begin
  if is_quiet() then return null; end if;
  
    insert into outbox (account_id, project_id, kind, row_id, event_type, happened_at, facts)
    select s.account_id, s.project_id, 'build_run.started', s.id::text, 'build_run.started', now(), json_build_object('id', s.id::text, 'state', s.status, 'job', s.ci_job_name, 'build_number', s.build_number, 'seconds', s.duration_seconds::text)
    from (select new.*) s;
  return null;
end $$;

create or replace function enqueue_deployment_updated() returns trigger language plpgsql as $$
begin
  if is_quiet() then return null; end if;
  
    insert into outbox (account_id, project_id, kind, row_id, event_type, happened_at, facts)
    select s.account_id, s.project_id, 'deployment.updated', s.id::text, 'deployment.updated', now(), json_build_object('id', s.number::text, 'state', s.status, 'platform', s.platform, 'version', s.version, 'branch', s.branch)
    from (select new.*) s;
  return null;
end $$;

do $$ begin
  drop trigger if exists changes_told on changes;
  drop trigger if exists enqueue_change_submitted_on_insert on changes;
  drop trigger if exists enqueue_change_submitted_on_update on changes;
  create trigger enqueue_change_submitted_on_insert after insert on changes referencing new table as inserted for each statement execute function enqueue_change_submitted();
end $$;

do $$ begin
  drop trigger if exists approvals_told on approvals;
  drop trigger if exists approvals_decided_told on approvals;
  drop trigger if exists enqueue_approval_requested_on_insert on approvals;
  drop trigger if exists enqueue_approval_requested_on_update on approvals;
  create trigger enqueue_approval_requested_on_insert after insert on approvals referencing new table as inserted for each statement execute function enqueue_approval_requested();
  create trigger enqueue_approval_requested_on_update after update on approvals for each row when ((old.status is distinct from new.status or old.decided_at is distinct from new.decided_at) and new.status in ('pending')) execute function enqueue_approval_requested();
  drop trigger if exists enqueue_approval_granted_on_insert on approvals;
  drop trigger if exists enqueue_approval_granted_on_update on approvals;
  create trigger enqueue_approval_granted_on_insert after insert on approvals referencing new table as inserted for each statement execute function enqueue_approval_granted();
  create trigger enqueue_approval_granted_on_update after update on approvals for each row when ((old.status is distinct from new.status or old.decided_at is distinct from new.decided_at) and new.status in ('approved')) execute function enqueue_approval_granted();
  drop trigger if exists enqueue_approval_denied_on_insert on approvals;
  drop trigger if exists enqueue_approval_denied_on_update on approvals;
  create trigger enqueue_approval_denied_on_insert after insert on approvals referencing new table as inserted for each statement execute function enqueue_approval_denied();
  create trigger enqueue_approval_denied_on_update after update on approvals for each row when ((old.status is distinct from new.status or old.decided_at is distinct from new.decided_at) and new.status in ('denied')) execute function enqueue_approval_denied();
  drop trigger if exists enqueue_approval_ignored_on_insert on approvals;
  drop trigger if exists enqueue_approval_ignored_on_update on approvals;
  create trigger enqueue_approval_ignored_on_insert after insert on approvals referencing new table as inserted for each statement execute function enqueue_approval_ignored();
  create trigger enqueue_approval_ignored_on_update after update on approvals for each row when ((old.status is distinct from new.status or old.decided_at is distinct from new.decided_at) and new.status in ('ignored')) execute function enqueue_approval_ignored();
end $$;

do $$ begin
  drop trigger if exists deployments_told on deployments;
  drop trigger if exists enqueue_deployment_created_on_insert on deployments;
  drop trigger if exists enqueue_deployment_created_on_update on deployments;
  create trigger enqueue_deployment_created_on_insert after insert on deployments for each row when (true) execute function enqueue_deployment_created();
  drop trigger if exists enqueue_deployment_updated_on_insert on deployments;
  drop trigger if exists enqueue_deployment_updated_on_update on deployments;
  create trigger enqueue_deployment_updated_on_update after update on deployments for each row when (old.status is distinct from new.status) execute function enqueue_deployment_updated();
end $$;

do $$ begin
  drop trigger if exists tasks_told on tasks;
  drop trigger if exists tasks_edited_told on tasks;
  drop trigger if exists enqueue_task_state_changed_on_insert on tasks;
  drop trigger if exists enqueue_task_state_changed_on_update on tasks;
  create trigger enqueue_task_state_changed_on_insert after insert on tasks for each row when (true) execute function enqueue_task_state_changed();
  create trigger enqueue_task_state_changed_on_update after update on tasks for each row when (old.updated_at is distinct from new.updated_at) execute function enqueue_task_state_changed();
end $$;

do $$ begin
  drop trigger if exists builds_told on build_runs;
  drop trigger if exists builds_ended_told on build_runs;
  drop trigger if exists enqueue_build_run_completed_on_insert on build_runs;
  drop trigger if exists enqueue_build_run_completed_on_update on build_runs;
  create trigger enqueue_build_run_completed_on_insert after insert on build_runs for each row when (new.status in ('completed', 'passed_pending_approval')) execute function enqueue_build_run_completed();
  create trigger enqueue_build_run_completed_on_update after update on build_runs for each row when ((old.status is distinct from new.status) and new.status in ('completed', 'passed_pending_approval')) execute function enqueue_build_run_completed();
  drop trigger if exists enqueue_build_run_failed_on_insert on build_runs;
  drop trigger if exists enqueue_build_run_failed_on_update on build_runs;
  create trigger enqueue_build_run_failed_on_insert after insert on build_runs for each row when (new.status in ('failed')) execute function enqueue_build_run_failed();
  create trigger enqueue_build_run_failed_on_update after update on build_runs for each row when ((old.status is distinct from new.status) and new.status in ('failed')) execute function enqueue_build_run_failed();
  drop trigger if exists enqueue_build_run_started_on_insert on build_runs;
  drop trigger if exists enqueue_build_run_started_on_update on build_runs;
  create trigger enqueue_build_run_started_on_insert after insert on build_runs for each row when (new.status in ('preparing', 'building')) execute function enqueue_build_run_started();
  create trigger enqueue_build_run_started_on_update after update on build_runs for each row when (new.status in ('preparing', 'building') and not (old.status in ('preparing', 'building'))) execute function enqueue_build_run_started();
end $$;

comment on function enqueue_build_run_completed() is 'e32da6e6f58f63b2';
comment on function enqueue_build_run_failed() is 'b455d21971ce3d19';
comment on function enqueue_change_submitted() is '0f10cb053022f06d';
comment on function enqueue_task_state_changed() is '282327665ea4fc13';
comment on function enqueue_approval_requested() is '8e7d230a1c3ad996';
comment on function enqueue_approval_granted() is 'a63066c5df7f5322';
comment on function enqueue_approval_denied() is '32dde4eedef4ce71';
comment on function enqueue_approval_ignored() is 'b5aedacb2112e9d6';
comment on function enqueue_deployment_created() is 'a2306dd21821d5a3';
comment on function enqueue_build_run_started() is '68b4693aee933eba';
comment on function enqueue_deployment_updated() is '5afc2dd9e9d8512e';

drop function if exists tell_inserted();
drop function if exists tell_row();
