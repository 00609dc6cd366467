-- online
-- An index in the order of the list for each filter of a search, and the times of what was there before.

create index concurrently if not exists build_runs_branch_newest
  on build_runs (project_id, build_branch(branch, inferred_branch), created_at desc, id desc);
create index concurrently if not exists build_runs_job_newest on build_runs (project_id, ci_job_name, created_at desc, id desc);
create index concurrently if not exists build_runs_finished on build_runs (project_id, finished_at desc, id desc) where finished_at is not null;

-- Also finds the beginning of a hash, whatever the collation of the database.
create index concurrently if not exists build_runs_commit_start
  on build_runs (project_id, commit_hash text_pattern_ops, created_at desc, id desc) where commit_hash <> '';
drop index concurrently if exists build_runs_commit;

create index concurrently if not exists search_documents_stale on search_documents (account_id, at)
  where terms_version < 2 and kind in ('build', 'change');

update change_branches p set timestamp = c.timestamp from changes c where c.id = p.change_id and p.timestamp is null;
create index concurrently if not exists change_branches_newest on change_branches (project_id, branch, timestamp desc, change_id desc);

update search_segments s set oldest_at = d.oldest_at, newest_at = greatest(s.newest_at, d.newest_at)
from (select segment_id, min(at) as oldest_at, max(at) as newest_at from search_documents group by segment_id) d
where d.segment_id = s.id and s.oldest_at is null;
