-- The log of a running build, sent piece by piece. Pieces are rows of their own: added to one column, every piece would have the whole log
-- written anew. When the build is over they become its output_log.
create table build_log_streams (
  build_run_id integer primary key references build_runs on delete cascade,
  -- Who sends it: a second run under the same number begins anew.
  stream       text not null,
  -- Bytes of the log that are here, or were and made room for newer ones.
  received     bigint not null,
  -- The log came in another way, whole: what is still sent is in it.
  closed       boolean not null default false,
  received_at  timestamptz(3) not null default now()
);

create table build_log_chunks (
  build_run_id integer not null references build_log_streams on delete cascade,
  -- Characters from the beginning of the stream to the end of this piece.
  until        bigint not null,
  text         text not null,
  primary key (build_run_id, until)
);

do $$
begin
  if exists (select from pg_settings where name = 'default_toast_compression' and 'lz4' = any (enumvals)) then
    alter table build_log_chunks alter column text set compression lz4;
  end if;
end $$;
