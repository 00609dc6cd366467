-- Who changed what in an account, from where. Rows hold ids, never names or addresses of people: nothing has to be taken out when
-- somebody is deleted.
create table audit_log (
  id         bigint generated always as identity,
  account_id integer not null references accounts on delete cascade,
  at         timestamptz(3) not null default now(),
  user_id    integer,
  -- The token it was done with; neither it nor a user: an operator of the service.
  token_id   integer,
  ip_address text,
  -- The name of the route.
  action     text not null,
  project_id integer,
  -- What was changed, as `kind/id`.
  subject    text not null default '',
  before     jsonb,
  after      jsonb,
  -- Its place in the chain of the account and the hash over the entry before and its own words; null until it is sealed.
  position   bigint,
  hash       bytea,
  primary key (account_id, id)
);
create unique index audit_log_chain on audit_log (account_id, position) where position is not null;
create index audit_log_unsealed on audit_log (account_id, id) where position is null;
create index audit_log_action on audit_log (account_id, action, id);
create index audit_log_user on audit_log (account_id, user_id, id);

-- Entries are only ever added and sealed, once. Deleting an account takes its log along.
create function audit_log_is_append_only() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' then
    if exists (select from accounts where id = old.account_id) then
      raise exception 'the audit log is append-only' using errcode = 'restrict_violation';
    end if;
    return old;
  end if;
  if old.position is not null or (to_jsonb(new) - 'position' - 'hash') <> (to_jsonb(old) - 'position' - 'hash') then
    raise exception 'the audit log is append-only' using errcode = 'restrict_violation';
  end if;
  return new;
end $$;
create trigger audit_log_is_append_only before update or delete on audit_log
  for each row execute function audit_log_is_append_only();

-- What the hash of an entry is made of; times as numbers, so that no session's time zone changes it.
create function audit_hash(previous bytea, entry audit_log) returns bytea language sql immutable as $$
  select sha256(coalesce(previous, '') || convert_to(jsonb_build_array(entry.account_id, entry.id, extract(epoch from entry.at),
    entry.user_id, entry.token_id, entry.ip_address, entry.action, entry.project_id, entry.subject, entry.before, entry.after,
    entry.position)::text, 'UTF8'))
$$;

-- Puts what was added since into the chain of an account, one caller at a time. Commits need not come in the order of ids, so the
-- place in the chain is given here.
create function seal_audit_log(sealed_account integer) returns void language plpgsql as $$
declare
  entry audit_log;
  last_position bigint;
  last_hash bytea;
begin
  perform from accounts where id = sealed_account for no key update;
  select l.position, l.hash into last_position, last_hash from audit_log l
    where l.account_id = sealed_account and l.position is not null order by l.position desc limit 1;
  for entry in select * from audit_log l where l.account_id = sealed_account and l.position is null order by l.id loop
    last_position := coalesce(last_position, 0) + 1;
    entry.position := last_position;
    last_hash := audit_hash(last_hash, entry);
    update audit_log set position = last_position, hash = last_hash where account_id = sealed_account and id = entry.id;
  end loop;
end $$;
