-- online
-- The latest update of each week of a list: `updated_since` passes over weeks without one (src/db/updated-since.ts).

create index concurrently if not exists tasks_weeks on tasks (project_id, date_trunc('week', created_at at time zone 'UTC') desc, updated_at desc);
create index concurrently if not exists approvals_weeks on approvals (project_id, date_trunc('week', created_at at time zone 'UTC') desc, updated_at desc);
create index concurrently if not exists changes_weeks on changes (project_id, date_trunc('week', timestamp at time zone 'UTC') desc, updated_at desc);
create index concurrently if not exists deployments_weeks on deployments (project_id, date_trunc('week', created_at at time zone 'UTC') desc, updated_at desc);
