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

-- The bytes of an account's files, which every upload compares with its quota. Counted by triggers, so that nothing ever adds up all files. A row is
-- locked until the end of the transaction, as the last step of whatever writes a file.
create table file_usage (
  account_id   integer primary key,
  attachments  bigint not null default 0,
  previews     bigint not null default 0,
  artifacts    bigint not null default 0
);

-- The arguments: the column of file_usage, and that of the bytes.
create function count_file_bytes() returns trigger language plpgsql as $$
begin
  execute format(
    'insert into file_usage as u (account_id, %1$I)
      select account_id, sum(bytes) from (%2$s) x group by account_id having sum(bytes) <> 0 order by account_id
      on conflict (account_id) do update set %1$I = u.%1$I + excluded.%1$I',
    tg_argv[0],
    concat_ws(' union all ',
      case when tg_op <> 'DELETE' then format('select account_id, %I::bigint as bytes from new_rows', tg_argv[1]) end,
      case when tg_op <> 'INSERT' then format('select account_id, -%I::bigint as bytes from old_rows', tg_argv[1]) end));
  return null;
end $$;

-- The same for one row, where a table is on several servers.
create function count_file_bytes_of_row() returns trigger language plpgsql as $$
declare
  _account_id integer := case tg_op when 'DELETE' then old.account_id else new.account_id end;
  _bytes bigint := coalesce((to_jsonb(new) ->> tg_argv[1])::bigint, 0) - coalesce((to_jsonb(old) ->> tg_argv[1])::bigint, 0);
begin
  if _bytes <> 0 then
    execute format(
      'insert into file_usage as u (account_id, %1$I) values ($1, $2) on conflict (account_id) do update set %1$I = u.%1$I + excluded.%1$I',
      tg_argv[0]) using _account_id, _bytes;
  end if;
  return null;
end $$;

create trigger files_new_bytes after insert on files referencing new table as new_rows
  for each statement execute function count_file_bytes('attachments', 'bytes');
create trigger files_changed_bytes after update on files referencing old table as old_rows new table as new_rows
  for each statement execute function count_file_bytes('attachments', 'bytes');
create trigger files_deleted_bytes after delete on files referencing old table as old_rows
  for each statement execute function count_file_bytes('attachments', 'bytes');
