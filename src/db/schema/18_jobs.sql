-- Background jobs. All statements about them are in db/queue.ts.
create table jobs (
  id          bigint generated always as identity primary key,
  -- Null: the service's own work. No reference: the job that deletes an account outlives the account's row.
  account_id  integer,
  -- Owners take turns: mostly an account.
  owner       text collate "C" not null,
  -- The server it calls; empty if it calls none.
  server      text collate "C" not null default '',
  kind        text not null,
  payload     json not null,
  -- Unique among jobs that are not running.
  name        text,
  state       text not null,
  run_at      timestamptz(3) not null default now(),
  attempts    integer not null default 0,
  last_error  text,
  -- The process that runs it, and the end of its lease.
  worker      uuid,
  lease_until timestamptz(3),
  -- For recurring work: its scheduled time. At its end it waits for the next one.
  slot        timestamptz(3),
  created_at  timestamptz(3) not null default now()
);
create unique index jobs_name on jobs (account_id, name) nulls not distinct where name is not null and state in ('scheduled', 'waiting', 'failed');
-- By owner, and by server of each: see `claim`.
create index jobs_waiting on jobs ((server <> ''), owner, server, run_at, id) where state = 'waiting';
-- Jobs that become due, and failed ones that are purged.
create index jobs_resting on jobs (state, run_at) where state in ('scheduled', 'failed');
create index jobs_running on jobs (name) where state in ('running', 'canceled');
