-- online
-- `updated_since` reads an index range and sorts it by the order of the list: with the list's key in the index, without a look at rows.

create index concurrently if not exists tasks_updated_since on tasks (project_id, updated_at desc) include (created_at, id);
create index concurrently if not exists approvals_updated_since on approvals (project_id, updated_at desc) include (created_at, id);
create index concurrently if not exists changes_updated_since on changes (project_id, updated_at desc) include (timestamp, id, orphaned_at);
create index concurrently if not exists deployments_updated_since on deployments (project_id, updated_at desc) include (created_at, number);

drop index concurrently if exists tasks_updated;
drop index concurrently if exists approvals_updated;
drop index concurrently if exists changes_updated;
drop index concurrently if exists deployments_updated;

-- Rows that were edited together are looked up one by one until they are vacuumed; a fifth of a large table would take days to come.
alter table tasks set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);
alter table approvals set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);
alter table changes set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);
alter table deployments set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);
