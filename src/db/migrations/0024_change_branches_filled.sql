-- online
-- The branches of changes from before they were kept: what was told of them, and the first two folders of a depot's files.

create index concurrently if not exists build_runs_branch
  on build_runs (project_id, build_branch(branch, inferred_branch), ci_job_name, created_at desc, id desc);

create index concurrently if not exists build_runs_inferred on build_runs (project_id, ci_job_name, branch)
  where inferred_branch is not null;

insert into change_branches (account_id, project_id, branch, change_id, arrived_at)
select account_id, project_id, branch_key(branch), id, timestamp from changes where branch_key(branch) <> '' order by timestamp, id
on conflict do nothing;

insert into change_branches (account_id, project_id, branch, change_id, given, arrived_at)
select c.account_id, c.project_id, f.branch, c.id, c.identifier::bigint, c.timestamp
from changes c cross join lateral (
  select distinct lower(substring(f ->> 'path' from '^//[^/]+/[^/]+(?=/)')) as branch
  from jsonb_array_elements(case jsonb_typeof(c.files) when 'array' then c.files else '[]' end) f) f
where c.source_type = 'Changelist' and c.branch = '' and c.identifier ~ '^\d{1,18}$' and f.branch is not null order by c.timestamp, c.id
on conflict do nothing;
