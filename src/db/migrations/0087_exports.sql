-- Files that people take of an account or a project, until they expire. They are kept here, so that any node serves what another wrote.

create table exports (
  id                bigint generated always as identity primary key,
  account_id        integer not null references accounts on delete cascade,
  -- One project alone. No reference: the file outlives the project.
  project_id        integer,
  user_id           integer not null references users on delete cascade,
  -- Holds what admins of the account see, not only what the project's lead does.
  whole             boolean not null,
  secrets           boolean not null,
  status            text not null default 'waiting',      -- values: db/checks.ts
  -- Until the file is written.
  passphrase_sealed text,
  rows              bigint not null default 0,
  bytes             bigint not null default 0,
  error             text,
  created_at        timestamptz(3) not null default now(),
  expires_at        timestamptz(3) not null,
  unique (account_id, id)
);
create unique index exports_unfinished on exports (account_id, coalesce(project_id, 0)) where status in ('waiting', 'running');
create index exports_expiry on exports (expires_at);

-- Each is a gzip member: one after the other they are the file. Where one begins is its key, so that a download resumes anywhere.
create table export_chunks (
  account_id integer not null,
  export_id  bigint not null,
  start      bigint not null,
  body       bytea not null,
  primary key (account_id, export_id, start),
  foreign key (account_id, export_id) references exports (account_id, id) on delete cascade
);
alter table export_chunks alter column body set storage external;
