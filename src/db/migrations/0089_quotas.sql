-- What an account may use, where it differs from what the service gives everybody; see domain/accounts/quotas.ts.
alter table accounts add column quotas jsonb not null default '{}';

-- Deliveries of an account by day, beside the bytes that were stored of them: nodes add what they counted once a minute.
alter table stored_bodies add column deliveries bigint not null default 0;
