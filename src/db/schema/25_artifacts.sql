-- Files of builds. Their bytes are pieces in the file store, so that no upload or download holds more than a piece in memory.
create table artifacts (
  id            uuid not null default gen_random_uuid(),
  account_id    integer not null,
  project_id    integer not null,
  build_run_id  bigint not null,
  -- The path that the build names it by, with slashes.
  name          text not null,
  -- The sender's id for one upload of it: a new upload replaces the former file once it is complete.
  upload        text not null,
  bytes         bigint not null,
  -- How many bytes have arrived, from the start.
  received      bigint not null default 0,
  created_at    timestamptz(3) not null default now(),
  -- The last piece arrived then.
  updated_at    timestamptz(3) not null default now(),
  -- Null while it is uploaded: nobody sees it yet.
  completed_at  timestamptz(3),
  primary key (account_id, id),
  foreign key (account_id, project_id) references projects (account_id, id),
  foreign key (account_id, build_run_id) references build_runs (account_id, id) on delete cascade
);
create unique index artifacts_upload on artifacts (account_id, build_run_id, name, upload);
create unique index artifacts_complete on artifacts (account_id, build_run_id, name) where completed_at is not null;
create index artifacts_newest on artifacts (account_id, project_id, build_run_id desc) where completed_at is not null;
create index artifacts_project on artifacts (account_id, project_id);
create index artifacts_age on artifacts (account_id, completed_at);
create index artifacts_unfinished on artifacts (updated_at) where completed_at is null;

create table artifact_pieces (
  account_id   integer not null,
  artifact_id  uuid not null,
  -- The offset of its first byte.
  start        bigint not null,
  bytes        integer not null,
  sha256       bytea not null,
  primary key (account_id, artifact_id, start),
  foreign key (account_id, artifact_id) references artifacts (account_id, id) on delete cascade,
  foreign key (account_id, sha256) references file_contents (account_id, sha256)
);
create index artifact_pieces_content on artifact_pieces (account_id, sha256);

-- Links that download an artifact without signing in. Only the hash of a link's secret is stored.
create table share_links (
  account_id   integer not null,
  id           bigint generated always as identity,
  project_id   integer not null,
  artifact_id  uuid not null,
  hash         bytea not null check (octet_length(hash) = 32),
  -- It is valid only while this person may create it.
  user_id      integer not null references users on delete cascade,
  created_at   timestamptz(3) not null default now(),
  expires_at   timestamptz(3) not null,
  primary key (account_id, id),
  unique (account_id, hash),
  foreign key (account_id, project_id) references projects (account_id, id) on delete cascade,
  foreign key (account_id, artifact_id) references artifacts (account_id, id) on delete cascade
);
create index share_links_project on share_links (account_id, project_id);
create index share_links_artifact on share_links (account_id, artifact_id);
create index share_links_user on share_links (user_id);
create index share_links_expired on share_links (expires_at);
