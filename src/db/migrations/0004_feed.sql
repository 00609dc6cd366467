-- The feed merges five tables by time, each walked by its own index and no further than the page reaches.

alter table build_runs add column happened_at timestamptz(3) generated always as (coalesce(finished_at, created_at)) stored;
alter table approvals add column happened_at timestamptz(3) generated always as (coalesce(decided_at, created_at)) stored;

create index changes_feed on changes (account_id, timestamp desc, id desc) where orphaned_at is null;
create index tasks_feed on tasks (account_id, updated_at desc, id desc);
create index deployments_feed on deployments (account_id, created_at desc, number desc);

create index build_runs_feed on build_runs (account_id, happened_at desc, id desc)
  where status in ('completed', 'passed_pending_approval', 'failed');
create index build_runs_feed_failed on build_runs (account_id, happened_at desc, id desc) where status = 'failed';
create index build_runs_feed_passed on build_runs (account_id, happened_at desc, id desc)
  where status in ('completed', 'passed_pending_approval');
create index build_runs_project_feed on build_runs (project_id, happened_at desc, id desc)
  where status in ('completed', 'passed_pending_approval', 'failed');
create index build_runs_project_feed_failed on build_runs (project_id, happened_at desc, id desc) where status = 'failed';
create index build_runs_project_feed_passed on build_runs (project_id, happened_at desc, id desc)
  where status in ('completed', 'passed_pending_approval');

create index approvals_feed on approvals (account_id, happened_at desc, id desc);
create index approvals_feed_status on approvals (account_id, status, happened_at desc, id desc);
create index approvals_project_feed on approvals (project_id, happened_at desc, id desc);
create index approvals_project_feed_status on approvals (project_id, status, happened_at desc, id desc);

-- The rollup counts open tasks; finished ones only pile up.
create index tasks_open on tasks (account_id) where state <> 'completed';

-- What happened, in the order it was committed. Writers leave rows without a position; one reader at a time numbers what it sees,
-- so that a position is never passed by a transaction that commits late, whatever its number was.
create table outbox (
  id         bigint generated always as identity primary key,
  position   bigint,
  account_id integer not null,
  project_id integer not null,
  kind       text not null,
  row_id     text not null,
  written_at timestamptz(3) not null default now()
);
create index outbox_waiting on outbox (id) where position is null;
create unique index outbox_order on outbox (position) where position is not null;
create index outbox_account on outbox (account_id, position) where position is not null;
create index outbox_age on outbox using brin (written_at);

create sequence outbox_position;

-- Loading a world tells nobody: it describes what was, not what happens.
create function is_quiet() returns boolean language sql stable as $$ select coalesce(current_setting('goldmaster.quiet', true), '') = 'on' $$;

create function tell_inserted() returns trigger language plpgsql as $$
begin
  if not is_quiet() then
    insert into outbox (account_id, project_id, kind, row_id) select account_id, project_id, tg_argv[0], id::text from told;
  end if;
  return null;
end $$;

create function tell_row() returns trigger language plpgsql as $$
begin
  if not is_quiet() then
    insert into outbox (account_id, project_id, kind, row_id) values (new.account_id, new.project_id, tg_argv[0], new.id::text);
  end if;
  return null;
end $$;

create trigger changes_told after insert on changes referencing new table as told for each statement execute function tell_inserted('change');
create trigger approvals_told after insert on approvals referencing new table as told for each statement execute function tell_inserted('approval');
create trigger approvals_decided_told after update on approvals for each row
  when (old.status is distinct from new.status or old.decided_at is distinct from new.decided_at) execute function tell_row('approval');
create trigger deployments_told after insert on deployments for each row execute function tell_row('deployment');
create trigger tasks_told after insert on tasks for each row execute function tell_row('task');
create trigger tasks_edited_told after update on tasks for each row
  when (old.updated_at is distinct from new.updated_at) execute function tell_row('task');
create trigger builds_told after insert on build_runs for each row
  when (new.status in ('completed', 'passed_pending_approval', 'failed')) execute function tell_row('build');
create trigger builds_ended_told after update on build_runs for each row
  when (old.status is distinct from new.status and new.status in ('completed', 'passed_pending_approval', 'failed')) execute function tell_row('build');
