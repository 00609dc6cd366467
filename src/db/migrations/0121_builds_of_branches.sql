-- online
-- Whatever asks for the builds of a branch leaves out preflights: branches of pull requests may have nothing else.
create index concurrently if not exists build_runs_of_branch
  on build_runs (project_id, build_branch(branch, inferred_branch), ci_job_name, created_at desc, id desc) where kind <> 'preflight';
-- What a project's plots leave out of their counts.
create index concurrently if not exists build_runs_off_branch on build_runs (project_id, created_at desc, status) where kind <> 'regular';
drop index concurrently if exists build_runs_branch;
