create table search_queue (
  id          bigint generated always as identity,
  account_id  integer not null,
  kind        text not null,
  record_id   text not null,
  primary key (account_id, id)
);

create table search_documents (
  account_id     integer not null,
  kind           text not null,
  record_id      text not null,
  project_id     bigint not null,
  segment_id     bigint not null,
  at             timestamptz(3) not null,
  terms          integer[] not null,
  -- The version of a document's terms: older ones are indexed again.
  terms_version  smallint not null default 1,
  primary key (account_id, kind, record_id)
);
create index search_documents_terms on search_documents using gin (terms);
create index search_documents_stale on search_documents (account_id, at)
  where terms_version < 2 and kind in ('build', 'change');

create table search_segments (
  account_id  integer not null,
  id          bigint generated always as identity,
  kind        text not null,
  -- How many were added; deleted ones included.
  documents   integer not null default 0,
  -- The newest record in it: segments are searched in this order.
  newest_at   timestamptz(3) not null,
  -- The oldest record in a segment; null if unknown.
  oldest_at   timestamptz(3),
  primary key (account_id, id)
);
create index search_segments_newest on search_segments (account_id, kind, newest_at desc);

create function queue_new_for_search() returns trigger language plpgsql as $$
begin
  insert into search_queue (account_id, kind, record_id) select account_id, tg_argv[0], id::text from new_rows;
  return null;
end $$;

create function queue_changed_for_search() returns trigger language plpgsql as $$
begin
  insert into search_queue (account_id, kind, record_id) values (new.account_id, tg_argv[0], new.id::text);
  return null;
end $$;

create function delete_from_search() returns trigger language plpgsql as $$
begin
  delete from search_documents where account_id = old.account_id and kind = tg_argv[0] and record_id = old.id::text;
  return null;
end $$;

create trigger tasks_new_for_search after insert on tasks referencing new table as new_rows
  for each statement execute function queue_new_for_search('task');
-- Also a restored one, which may have been deleted before it was indexed.
create trigger tasks_changed_for_search after update on tasks for each row
  when (old.title is distinct from new.title or (old.deleted_at is not null and new.deleted_at is null))
  execute function queue_changed_for_search('task');
create trigger tasks_deleted_from_search after delete on tasks for each row execute function delete_from_search('task');

create trigger builds_new_for_search after insert on build_runs referencing new table as new_rows
  for each statement execute function queue_new_for_search('build');
create trigger builds_changed_for_search after update on build_runs for each row
  when ((old.ci_job_name, old.build_number, old.branch, old.commit_hash, old.changelist) is distinct from (new.ci_job_name, new.build_number, new.branch, new.commit_hash, new.changelist))
  execute function queue_changed_for_search('build');
create trigger builds_deleted_from_search after delete on build_runs for each row execute function delete_from_search('build');

create trigger changes_new_for_search after insert on changes referencing new table as new_rows
  for each statement execute function queue_new_for_search('change');
create trigger changes_changed_for_search after update on changes for each row
  when ((old.description, old.author, old.branch, old.timestamp, old.file_count, old.files) is distinct from (new.description, new.author, new.branch, new.timestamp, new.file_count, new.files))
  execute function queue_changed_for_search('change');
create trigger changes_deleted_from_search after delete on changes for each row execute function delete_from_search('change');

create trigger assets_new_for_search after insert on assets referencing new table as new_rows
  for each statement execute function queue_new_for_search('asset');
create trigger assets_changed_for_search after update on assets for each row
  when ((old.name, old.path) is distinct from (new.name, new.path))
  execute function queue_changed_for_search('asset');
create trigger assets_deleted_from_search after delete on assets for each row execute function delete_from_search('asset');

create trigger deployments_new_for_search after insert on deployments referencing new table as new_rows
  for each statement execute function queue_new_for_search('deployment');
create trigger deployments_changed_for_search after update on deployments for each row
  when ((old.platform, old.version, old.branch) is distinct from (new.platform, new.version, new.branch))
  execute function queue_changed_for_search('deployment');
create trigger deployments_deleted_from_search after delete on deployments for each row execute function delete_from_search('deployment');

create trigger breakages_new_for_search after insert on breakages referencing new table as new_rows
  for each statement execute function queue_new_for_search('breakage');
create trigger breakages_changed_for_search after update on breakages for each row
  when ((old.cause, old.jobs, old.branch, old.evidence -> 0 ->> 'text') is distinct from (new.cause, new.jobs, new.branch, new.evidence -> 0 ->> 'text'))
  execute function queue_changed_for_search('breakage');
create trigger breakages_deleted_from_search after delete on breakages for each row execute function delete_from_search('breakage');
