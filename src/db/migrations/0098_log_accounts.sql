-- Whose the log of a running build is, in a key of its own: rows of an account can then lie together on one of several servers. Nodes of
-- the version before do not tell it.
alter table build_log_streams add column account_id integer;
alter table build_log_chunks add column account_id integer;

create function set_log_account() returns trigger language plpgsql as $$
begin
  select b.account_id into new.account_id from build_runs b where b.id = new.build_run_id;
  return new;
end $$;
create trigger build_log_streams_account before insert on build_log_streams
  for each row when (new.account_id is null) execute function set_log_account();
create trigger build_log_chunks_account before insert on build_log_chunks
  for each row when (new.account_id is null) execute function set_log_account();

update build_log_streams s set account_id = b.account_id from build_runs b where b.id = s.build_run_id and s.account_id is null;
update build_log_chunks c set account_id = b.account_id from build_runs b where b.id = c.build_run_id and c.account_id is null;
alter table build_log_streams alter column account_id set not null;
alter table build_log_chunks alter column account_id set not null;
create unique index build_log_streams_account on build_log_streams (account_id, build_run_id);
create unique index build_log_chunks_account on build_log_chunks (account_id, build_run_id, until);
