-- Who changed what in an account, from which address. Rows contain ids, never names or addresses of people: nothing has to be removed when
-- somebody is deleted.
create table audit_log (
  id          bigint generated always as identity,
  account_id  integer not null references accounts on delete cascade,
  at          timestamptz(3) not null default now(),
  user_id     integer,
  -- The token that was used; neither it nor a user: an operator of the service.
  token_id    integer,
  ip_address  text,
  -- The name of the route.
  action      text not null,
  project_id  integer,
  -- The changed record, as `kind/id`.
  subject     text not null default '',
  before      jsonb,
  after       jsonb,
  -- Its position in the account's chain and the hash over the previous entry and its own fields; null until it is sealed.
  position    bigint,
  hash        bytea,
  -- The actor, if a user's id is not enough: an operator on the machine, a job, a provider.
  actor       text,
  -- The key of the hash, which is never stored unencrypted; null until it is sealed.
  key_id      integer,
  primary key (account_id, id)
);
create unique index audit_log_chain on audit_log (account_id, position) where position is not null;
create index audit_log_unsealed on audit_log (account_id, id) where position is null;
-- The audit log is listed by time and filtered by action or person.
create index audit_log_time on audit_log (account_id, at desc, id desc);
create index audit_log_action_time on audit_log (account_id, action, at desc, id desc);
create index audit_log_user_time on audit_log (account_id, user_id, at desc, id desc);
-- The history of a record reads its own entries.
create index audit_log_subject on audit_log (account_id, subject, id desc);
-- Entries about several assets name them all.
create index audit_log_assets on audit_log using gin ((after -> 'ids')) where subject = 'assets';

-- Entries are only added and sealed, once. Deleting an account deletes its log.
create function audit_log_is_append_only() returns trigger language plpgsql as $$
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

create trigger audit_log_is_append_only before update or delete on audit_log
  for each row execute function audit_log_is_append_only();

create function audit_log_is_not_truncated() returns trigger language plpgsql as $$
begin
  raise exception 'the audit log is append-only' using errcode = 'restrict_violation';
end $$;

create trigger audit_log_is_not_truncated before truncate on audit_log
  for each statement execute function audit_log_is_not_truncated();

-- The newest entry of each account, stored outside the log: a chain whose end was cut off is still consistent in itself.
create table audit_heads (
  account_id       integer primary key references accounts on delete cascade,
  position         bigint not null,
  hash             bytea not null,
  -- An HMAC of the two.
  key_id           integer not null,
  mac              bytea not null,
  -- The newest position that was written to the service's own log.
  logged_position  bigint not null default 0
);
create index audit_heads_unlogged on audit_heads (account_id) where position > logged_position;

create table audit_keys (
  id          integer generated always as identity primary key,
  -- Encrypted with the service's key.
  key_sealed  text not null,
  created_at  timestamptz(3) not null default now()
);
