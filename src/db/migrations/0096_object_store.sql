-- online
-- Large bodies and logs may lie in an object store; see domain/objects. A row without one is what it was.
create table if not exists stored_objects (
  id           uuid not null,
  account_id   integer not null,
  -- Of the value, before it is packed.
  bytes        integer not null,
  sha256       bytea not null,
  -- Null as long as a row has it. Otherwise it is removed from the store after this time: an upload that nobody finished, or what its row
  -- was deleted with. No foreign key, since it outlives its account until then.
  remove_after timestamptz(3) default now() + interval '1 hour',
  primary key (id, account_id)
);
create index if not exists stored_objects_unused on stored_objects (account_id, remove_after) where remove_after is not null;

alter table deliveries add column if not exists body_object uuid;
-- What was printed since is in output_log, and stands behind it.
alter table build_runs add column if not exists log_object uuid;

create or replace function free_body_object() returns trigger language plpgsql as $$
begin
  update stored_objects set remove_after = now() where id = old.body_object;
  return null;
end $$;
create or replace function free_log_object() returns trigger language plpgsql as $$
begin
  update stored_objects set remove_after = now() where id = old.log_object and account_id = old.account_id;
  return null;
end $$;
create or replace trigger deliveries_deleted_object after delete on deliveries
  for each row when (old.body_object is not null) execute function free_body_object();
create or replace trigger deliveries_changed_object after update of body_object on deliveries
  for each row when (old.body_object is not null and old.body_object is distinct from new.body_object) execute function free_body_object();
create or replace trigger build_runs_deleted_object after delete on build_runs
  for each row when (old.log_object is not null) execute function free_log_object();
create or replace trigger build_runs_changed_object after update of log_object on build_runs
  for each row when (old.log_object is not null and old.log_object is distinct from new.log_object) execute function free_log_object();

-- What is large enough to be moved, and by age what was: for moving, and for retention.
create index concurrently if not exists deliveries_large on deliveries (integration_id, received_at) where octet_length(body) >= 16384;
create index concurrently if not exists deliveries_moved on deliveries (integration_id, received_at) where body_object is not null;
create index concurrently if not exists build_runs_large on build_runs (account_id, happened_at) where octet_length(output_log) >= 16384;
create index concurrently if not exists build_runs_moved on build_runs (account_id, happened_at) where log_object is not null;
