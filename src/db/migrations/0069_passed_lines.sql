-- What the log of a passed build is remembered by: 6 bytes for each different line, numbers and paths aside. A later failure of the same job
-- and branch did not happen because of a line that stands there too.
create table passed_lines (
  account_id   integer not null,
  build_run_id bigint not null references build_runs on delete cascade,
  -- Of the log that was read: one that has grown since is read again.
  log_size     integer not null,
  hashes       bytea not null,
  primary key (account_id, build_run_id)
);
create index passed_lines_build on passed_lines (build_run_id);
-- Hashes do not compress.
alter table passed_lines alter column hashes set storage external;
