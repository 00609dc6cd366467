-- What is done later. All statements about it stand in db/queue.ts.
create table jobs (
  id          bigint generated always as identity primary key,
  -- Null: the service's own work. No reference: the job that deletes an account outlives the account's row.
  account_id  integer,
  -- Who takes turns with others: an account, mostly.
  owner       text collate "C" not null,
  -- The server it calls; empty if it calls none.
  server      text collate "C" not null default '',
  kind        text not null,
  payload     json not null,
  -- Among jobs that are not running, one of a name.
  name        text,
  state       text not null,
  run_at      timestamptz(3) not null default now(),
  attempts    integer not null default 0,
  last_error  text,
  -- The process that runs it, and until when it may without saying that it still does.
  worker      uuid,
  lease_until timestamptz(3),
  -- Of recurring work: the time that it runs for. At its end it waits for the next one.
  slot        timestamptz(3),
  created_at  timestamptz(3) not null default now()
);
create unique index jobs_name on jobs (account_id, name) nulls not distinct where name is not null and state in ('scheduled', 'waiting', 'failed');
-- Owner after owner, and server after server of each: see `claim`.
create index jobs_waiting on jobs ((server <> ''), owner, server, run_at, id) where state = 'waiting';
-- What becomes due, and what was given up and is purged.
create index jobs_resting on jobs (state, run_at) where state in ('scheduled', 'failed');
create index jobs_running on jobs (name) where state in ('running', 'canceled');
