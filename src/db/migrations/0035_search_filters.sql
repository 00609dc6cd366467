-- Searches within a project: by author and path, in the order of the list, and the changes of a branch in the order of their times.

-- Which fields a document's terms are of: those of an older version are indexed anew.
alter table search_documents add column terms_version smallint not null default 1;
-- The oldest record in a segment; null where it is not known.
alter table search_segments add column oldest_at timestamptz(3);

-- A build is also found by the author of its change, a change by the paths of its files; and both stand where their time says.
create or replace trigger builds_changed_for_search after update on build_runs for each row
  when ((old.ci_job_name, old.build_number, old.branch, old.commit_hash, old.changelist)
    is distinct from (new.ci_job_name, new.build_number, new.branch, new.commit_hash, new.changelist))
  execute function queue_changed_for_search('build');
create or replace trigger changes_changed_for_search after update on changes for each row
  when ((old.description, old.author, old.branch, old.timestamp) is distinct from (new.description, new.author, new.branch, new.timestamp)
    or old.file_count is distinct from new.file_count or old.files is distinct from new.files)
  execute function queue_changed_for_search('change');

-- The time of the change, so that a branch can be walked by it.
alter table change_branches add column timestamp timestamptz(3);

create function time_branch() returns trigger language plpgsql as $$
begin
  select c.timestamp into new.timestamp from changes c where c.id = new.change_id;
  return new;
end $$;
create trigger change_branches_timed before insert on change_branches for each row
  when (new.timestamp is null) execute function time_branch();

create function retime_branches() returns trigger language plpgsql as $$
begin
  update change_branches set timestamp = new.timestamp where change_id = new.id;
  return null;
end $$;
create trigger changes_retimed after update on changes for each row
  when (old.timestamp is distinct from new.timestamp) execute function retime_branches();
