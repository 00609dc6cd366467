-- What whoever runs the service wants to know of it; see domain/operations.

-- Processes that serve or work on jobs. One that is stopped removes its row; one that vanished leaves it for a day.
create table nodes (
  id             uuid primary key,
  host           text not null,
  role           text not null,
  version        text not null,
  -- Whether its settings name a mail server, and somewhere to write backups.
  mails          boolean not null,
  backs_up       boolean not null,
  -- Servers that don't answer and that this process leaves alone.
  silent_servers text[] not null default '{}',
  started_at     timestamptz(3) not null default now(),
  seen_at        timestamptz(3) not null default now()
);

-- Requests answered with 429, counted in memory and added up here: so many addresses per account and day, the rest under an empty one.
create table refused_requests (
  day        date not null,
  -- Null: refused before anybody knew whose request it was.
  account_id integer references accounts on delete cascade,
  address    text not null,
  -- The setting that would let them in, or the code of the refusal.
  reason     text not null,
  count      bigint not null,
  unique nulls not distinct (day, account_id, address, reason)
);

-- The last measurement of each day.
create table daily_sizes (
  day            date primary key,
  database_bytes bigint not null,
  -- Logs of builds, as far as they are in the database.
  log_bytes      bigint not null
);

-- Scheduled backups, one row for each try.
create table backups (
  id          bigint generated always as identity primary key,
  place       text not null,
  name        text not null,
  -- An upload in parts that is to be broken off if this process cannot end it.
  upload      text,
  status      text not null default 'running',
  -- How the backup was tested: restored into a scratch database, or read to its end.
  test        text,
  bytes       bigint,
  rows        bigint,
  error       text not null default '',
  started_at  timestamptz(3) not null default now(),
  finished_at timestamptz(3),
  removed_at  timestamptz(3)
);
create index backups_newest on backups (started_at desc);
