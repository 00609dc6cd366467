-- What can be seen of a version of an asset. Its files are in the file store, like attachments.
create table previews (
  account_id       integer not null,
  project_id       integer not null,
  asset_id         uuid not null,
  version          integer not null,
  -- The change that made the version, if it is known.
  change_id        bigint,
  state            text not null default 'pending',
  -- Null unless it is ready.
  kind             text,
  -- Why there is none.
  reason           text,
  source           text not null default 'file',
  -- A tiny picture as a data URL.
  placeholder      text check (octet_length(placeholder) <= 2000),
  -- Of the file in pixels.
  width            integer,
  height           integer,
  small_sha256     bytea,
  small_bytes      integer not null default 0,
  large_sha256     bytea,
  large_bytes      integer not null default 0,
  original_sha256  bytea,
  original_bytes   integer not null default 0,
  original_type    text,
  bytes            bigint not null generated always as (small_bytes::bigint + large_bytes + original_bytes) stored,
  created_at       timestamptz(3) not null default now(),
  updated_at       timestamptz(3) not null default now(),
  primary key (account_id, asset_id, version),
  constraint previews_ready check ((state = 'ready') = (kind is not null)),
  foreign key (account_id, project_id) references projects (account_id, id),
  foreign key (account_id, asset_id) references assets (account_id, id) on delete cascade,
  foreign key (account_id, change_id) references changes (account_id, id) on delete set null (change_id),
  foreign key (account_id, small_sha256) references file_contents (account_id, sha256),
  foreign key (account_id, large_sha256) references file_contents (account_id, sha256),
  foreign key (account_id, original_sha256) references file_contents (account_id, sha256)
);
create index previews_project on previews (account_id, project_id);
create index previews_change on previews (account_id, change_id) where change_id is not null;
create index previews_pending on previews (account_id, project_id, created_at desc, asset_id) where state = 'pending';
create index previews_small on previews (account_id, small_sha256) where small_sha256 is not null;
create index previews_large on previews (account_id, large_sha256) where large_sha256 is not null;
create index previews_original on previews (account_id, original_sha256) where original_sha256 is not null;

create trigger previews_new_bytes after insert on previews referencing new table as new_rows
  for each statement execute function count_file_bytes('previews', 'bytes');
create trigger previews_changed_bytes after update on previews referencing old table as old_rows new table as new_rows
  for each statement execute function count_file_bytes('previews', 'bytes');
create trigger previews_deleted_bytes after delete on previews referencing old table as old_rows
  for each statement execute function count_file_bytes('previews', 'bytes');
