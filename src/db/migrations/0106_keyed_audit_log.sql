-- The chain of the audit log is made under keys of the service, which the database never sees. Null: an entry of before, sealed by its words alone.
alter table audit_log add column key_id integer;

create table audit_keys (
  id         integer generated always as identity primary key,
  -- Sealed together with the time from which on no entry is without a key.
  key_sealed text not null,
  created_at timestamptz(3) not null default now()
);

-- The newest link of each account, outside the log: one whose end was cut off is whole in itself.
create table audit_heads (
  account_id      integer primary key references accounts on delete cascade,
  position        bigint not null,
  hash            bytea not null,
  -- Made under a key too; null only until there is the first key.
  key_id          integer,
  mac             bytea,
  -- How far the service's own log tells of it.
  logged_position bigint not null default 0
);
create index audit_heads_unlogged on audit_heads (account_id) where position > logged_position;

insert into audit_heads (account_id, position, hash)
select distinct on (account_id) account_id, position, hash from audit_log where position is not null order by account_id, position desc;

-- Nodes of the version before, which have no key, leave sealing to those that have.
create or replace function seal_audit_log(sealed_account integer) returns void language sql as '';

create or replace function audit_log_is_append_only() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' then
    if exists (select from accounts where id = old.account_id) then
      raise exception 'the audit log is append-only' using errcode = 'restrict_violation';
    end if;
    return old;
  end if;
  if old.position is not null
    or (to_jsonb(new) - 'position' - 'hash' - 'key_id') <> (to_jsonb(old) - 'position' - 'hash' - 'key_id') then
    raise exception 'the audit log is append-only' using errcode = 'restrict_violation';
  end if;
  return new;
end $$;

create function audit_log_is_not_truncated() returns trigger language plpgsql as $$
begin
  raise exception 'the audit log is append-only' using errcode = 'restrict_violation';
end $$;
create trigger audit_log_is_not_truncated before truncate on audit_log
  for each statement execute function audit_log_is_not_truncated();
