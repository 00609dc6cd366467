-- The chain of the audit log uses keys of the service, which the database never sees in plain. Null: an older entry with a plain hash.
alter table audit_log add column key_id integer;

create table audit_keys (
  id         integer generated always as identity primary key,
  -- Encrypted together with the time after which every entry must have a key.
  key_sealed text not null,
  created_at timestamptz(3) not null default now()
);

-- The newest entry of each account, stored outside the log: a chain whose end was cut off is still consistent in itself.
create table audit_heads (
  account_id      integer primary key references accounts on delete cascade,
  position        bigint not null,
  hash            bytea not null,
  -- An HMAC too; null only until the first key exists.
  key_id          integer,
  mac             bytea,
  -- The newest position that was written to the service's own log.
  logged_position bigint not null default 0
);
create index audit_heads_unlogged on audit_heads (account_id) where position > logged_position;

insert into audit_heads (account_id, position, hash)
select distinct on (account_id) account_id, position, hash from audit_log where position is not null order by account_id, position desc;

-- Nodes of the previous version have no key and leave sealing to newer nodes.
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
