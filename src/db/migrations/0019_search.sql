-- online
-- Search: a document per record, its text as hashed terms. The terms carry the segment they stand in, and a segment holds a few thousand
-- documents of one account and kind: a look-up reads one segment's postings however many rows match elsewhere, and nothing of other
-- accounts. Documents are written by a job; until then a record is found through the queue.

create table if not exists search_segments (
  id         bigint generated always as identity primary key,
  account_id bigint not null,
  kind       text not null,
  -- How many were put into it; deleted ones included.
  documents  integer not null default 0,
  -- The newest record in it: segments are searched in this order.
  newest_at  timestamptz(3) not null
);
create index if not exists search_segments_newest on search_segments (account_id, kind, newest_at desc);

create table if not exists search_documents (
  account_id bigint not null,
  kind       text not null,
  record_id  text not null,
  project_id bigint not null,
  segment_id bigint not null,
  at         timestamptz(3) not null,
  terms      integer[] not null,
  primary key (account_id, kind, record_id)
);
create index if not exists search_documents_terms on search_documents using gin (terms);

create table if not exists search_queue (
  account_id bigint not null,
  id         bigint generated always as identity,
  kind       text not null,
  record_id  text not null,
  primary key (account_id, id)
);

create or replace function queue_new_for_search() returns trigger language plpgsql as $$
begin
  insert into search_queue (account_id, kind, record_id) select account_id, tg_argv[0], id::text from new_rows;
  return null;
end $$;

create or replace function queue_changed_for_search() returns trigger language plpgsql as $$
begin
  insert into search_queue (account_id, kind, record_id) values (new.account_id, tg_argv[0], new.id::text);
  return null;
end $$;

create or replace function delete_from_search() returns trigger language plpgsql as $$
begin
  delete from search_documents where account_id = old.account_id and kind = tg_argv[0] and record_id = old.id::text;
  return null;
end $$;

create or replace trigger tasks_new_for_search after insert on tasks
  referencing new table as new_rows for each statement execute function queue_new_for_search('task');
create or replace trigger tasks_changed_for_search after update on tasks for each row
  when (old.title is distinct from new.title)
  execute function queue_changed_for_search('task');
create or replace trigger tasks_deleted_from_search after delete on tasks for each row execute function delete_from_search('task');

create or replace trigger builds_new_for_search after insert on build_runs
  referencing new table as new_rows for each statement execute function queue_new_for_search('build');
create or replace trigger builds_changed_for_search after update on build_runs for each row
  when ((old.ci_job_name, old.build_number, old.branch) is distinct from (new.ci_job_name, new.build_number, new.branch))
  execute function queue_changed_for_search('build');
create or replace trigger builds_deleted_from_search after delete on build_runs for each row execute function delete_from_search('build');

create or replace trigger changes_new_for_search after insert on changes
  referencing new table as new_rows for each statement execute function queue_new_for_search('change');
create or replace trigger changes_changed_for_search after update on changes for each row
  when ((old.description, old.author, old.branch) is distinct from (new.description, new.author, new.branch))
  execute function queue_changed_for_search('change');
create or replace trigger changes_deleted_from_search after delete on changes for each row execute function delete_from_search('change');

create or replace trigger assets_new_for_search after insert on assets
  referencing new table as new_rows for each statement execute function queue_new_for_search('asset');
create or replace trigger assets_changed_for_search after update on assets for each row
  when ((old.name, old.path) is distinct from (new.name, new.path))
  execute function queue_changed_for_search('asset');
create or replace trigger assets_deleted_from_search after delete on assets for each row execute function delete_from_search('asset');

create or replace trigger deployments_new_for_search after insert on deployments
  referencing new table as new_rows for each statement execute function queue_new_for_search('deployment');
create or replace trigger deployments_changed_for_search after update on deployments for each row
  when ((old.platform, old.version, old.branch) is distinct from (new.platform, new.version, new.branch))
  execute function queue_changed_for_search('deployment');
create or replace trigger deployments_deleted_from_search after delete on deployments for each row execute function delete_from_search('deployment');

-- What was there before search had documents: queued oldest first, since the newest of the queue are indexed first.
insert into search_queue (account_id, kind, record_id) select account_id, 'asset', id::text from assets order by created_at;
insert into search_queue (account_id, kind, record_id) select account_id, 'change', id::text from changes order by id;
insert into search_queue (account_id, kind, record_id) select account_id, 'build', id::text from build_runs order by id;
insert into search_queue (account_id, kind, record_id) select account_id, 'deployment', id::text from deployments order by number;
insert into search_queue (account_id, kind, record_id) select account_id, 'task', id::text from tasks order by id;
