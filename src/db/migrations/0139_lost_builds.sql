-- online
-- When something last reported on a build, by our own clock. Null for builds that were loaded: nobody reports on them.
alter table build_runs add column if not exists heard_at timestamptz(3);
-- Since when a running build counts as lost: it has been silent for too long. Null again once it reports.
alter table build_runs add column if not exists lost_at timestamptz(3);
create index concurrently if not exists build_runs_heard on build_runs (heard_at)
  where status in ('queued', 'preparing', 'building') and lost_at is null;
update build_runs set heard_at = updated_at
  where status in ('queued', 'preparing', 'building') and lost_at is null and heard_at is null and integration_id is not null;
