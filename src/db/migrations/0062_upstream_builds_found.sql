-- online
create index concurrently if not exists build_runs_upstream on build_runs (project_id, upstream_job, upstream_number) where upstream_job is not null;
