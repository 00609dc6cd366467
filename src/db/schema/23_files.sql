-- The bytes of files are in the file store, by account and hash; see domain/files.
create table file_contents (
  account_id  integer not null,
  sha256      bytea not null check (octet_length(sha256) = 32),
  bytes       integer not null,
  -- Bytes of an imported account that are not in the file store yet.
  content     bytea,
  -- The last upload began then. Written before the file is, so that no file is ever without a row. Rows without files are swept.
  used_at     timestamptz(3) not null default now(),
  primary key (account_id, sha256)
);
create index file_contents_imported on file_contents (account_id) where content is not null;

create table files (
  id          uuid not null default gen_random_uuid(),
  account_id  integer not null,
  project_id  integer not null,
  comment_id  bigint not null,
  sha256      bytea not null,
  bytes       integer not null,
  name        text not null,
  -- By content, not by name.
  type        text not null,
  -- Of pictures.
  width       integer,
  height      integer,
  created_at  timestamptz(3) not null default now(),
  primary key (account_id, id),
  foreign key (account_id, project_id) references projects (account_id, id),
  foreign key (account_id, comment_id) references comments (account_id, id) on delete cascade,
  foreign key (account_id, sha256) references file_contents (account_id, sha256)
);
create index files_project on files (account_id, project_id);
create index files_comment on files (account_id, comment_id, created_at);
create index files_content on files (account_id, sha256);
