-- online
-- Queries for the builds of a branch leave out preflights: branches of pull requests may have nothing else.
create index concurrently if not exists build_runs_of_branch
  on build_runs (project_id, build_branch(branch, inferred_branch), ci_job_name, created_at desc, id desc) where kind <> 'preflight';
-- The builds that a project's plots don't count.
create index concurrently if not exists build_runs_off_branch on build_runs (project_id, created_at desc, status) where kind <> 'regular';
drop index concurrently if exists build_runs_branch;
