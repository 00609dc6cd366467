-- online
-- For how many days an account keeps what; see domain/retention/retention.ts. A kind that is not named is kept as long as the service keeps it.

alter table accounts add column if not exists retention jsonb not null default '{}';

-- Purges go from owner to owner, since each has days of its own: by age within one integration, webhook or account.
create index concurrently if not exists deliveries_integration_age on deliveries (integration_id, received_at);
create index concurrently if not exists deliveries_integration_kept on deliveries (integration_id, received_at) where body is not null;
drop index concurrently if exists deliveries_age;
drop index concurrently if exists deliveries_kept;
create index concurrently if not exists outgoing_subscription_finished on outgoing (subscription_id, created_at) where status <> 'waiting';
drop index concurrently if exists outgoing_finished;
create index concurrently if not exists build_runs_logs on build_runs (account_id, happened_at) where output_log is not null;
