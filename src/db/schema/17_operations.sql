-- Processes that serve requests or run jobs. A stopped one deletes its row; a vanished one leaves it for a day.
create table nodes (
  id              uuid primary key,
  host            text not null,
  role            text not null,
  version         text not null,
  -- Whether a mail server and a backup destination are configured.
  mails           boolean not null,
  backs_up        boolean not null,
  -- The folder of its files; null with an object store.
  files_folder    uuid,
  -- Silent servers that this process does not call for now.
  silent_servers  text[] not null default '{}',
  started_at      timestamptz(3) not null default now(),
  seen_at         timestamptz(3) not null default now()
);

-- Accounts for which work over all accounts failed: they rest, then are tried again alone. No reference: work for a deleted account fails
-- too. 0: people without a default account.
create table failing_accounts (
  account_id     integer not null,
  work           text not null,
  failures       integer not null default 1,
  error          text not null,
  failing_since  timestamptz(3) not null default now(),
  rest_until     timestamptz(3) not null default now(),
  primary key (account_id, work)
);

-- Scheduled backups, one row per attempt.
create table backups (
  id           bigint generated always as identity primary key,
  place        text not null,
  name         text not null,
  -- A multipart upload to abort if this process cannot finish it.
  upload       text,
  status       text not null default 'running',
  -- How the backup was tested: restored into a scratch database, or read to its end.
  test         text,
  bytes        bigint,
  rows         bigint,
  error        text not null default '',
  started_at   timestamptz(3) not null default now(),
  finished_at  timestamptz(3),
  removed_at   timestamptz(3)
);
create index backups_newest on backups (started_at desc);

-- The last measurement of each day.
create table daily_sizes (
  day             date primary key,
  database_bytes  bigint not null,
  -- Build logs that are in the database.
  log_bytes       bigint not null
);

-- Requests that got a 429, counted in memory and summed here: a limited number of addresses per account and day, the rest under an empty
-- one.
create table refused_requests (
  day         date not null,
  -- Null: refused before the account was known.
  account_id  integer references accounts on delete cascade,
  address     text not null,
  -- The setting that would allow them, or the error code.
  reason      text not null,
  count       bigint not null,
  unique nulls not distinct (account_id, day, address, reason)
);
create index refused_requests_day on refused_requests (day);

create table exports (
  account_id         integer not null references accounts on delete cascade,
  id                 bigint generated always as identity,
  -- A single project. No reference: the file outlives the project.
  project_id         integer,
  user_id            integer not null references users on delete cascade,
  -- Contains what admins of the account can see, not only what the project's lead can.
  whole              boolean not null,
  secrets            boolean not null,
  -- values: db/checks.ts
  status             text not null default 'waiting',
  -- Until the file is written.
  passphrase_sealed  text,
  rows               bigint not null default 0,
  bytes              bigint not null default 0,
  error              text,
  created_at         timestamptz(3) not null default now(),
  expires_at         timestamptz(3) not null,
  primary key (account_id, id)
);
create unique index exports_unfinished on exports (account_id, coalesce(project_id, 0)) where status in ('waiting', 'running');
create index exports_expiry on exports (expires_at);

-- Each is a gzip member: concatenated they are the file. The key is its offset, so that a download can be resumed anywhere.
create table export_chunks (
  account_id  integer not null,
  export_id   bigint not null,
  start       bigint not null,
  body        bytea not null,
  primary key (account_id, export_id, start),
  foreign key (account_id, export_id) references exports (account_id, id) on delete cascade
);
alter table export_chunks alter column body set storage external;

-- A text sealed with the service's secret key: a start with another key fails at once instead of at every sealed value.
create table secret_canary (
  singleton   boolean primary key default true check (singleton),
  sealed      text not null,
  created_at  timestamptz(3) not null default now()
);
