-- A session counts by the factors that it has shown, not by those that its user has.

-- When the user of this session last signed in or confirmed it: exports, tokens and new factors need a recent time.
alter table sessions add column confirmed_at timestamptz(3) not null default now();
update sessions set confirmed_at = created_at;

-- A factor that waits for its first code belongs to the session that started its setup, and ends with it. Those waiting now have no session.
delete from two_factors where confirmed_at is null;
alter table two_factors add column session_id integer references sessions on delete cascade;
create index two_factors_session on two_factors (session_id) where session_id is not null;

-- An authenticator app counts for sessions that gave one of its codes. Another account's identity provider never asks for one.
create or replace function could_show_second_factor(_user_id integer, _account_id integer) returns boolean language sql stable parallel safe
  return exists (select from two_factors f where f.user_id = _user_id and f.confirmed_at is not null)
    or exists (select from passkeys k where k.user_id = _user_id)
    or exists (select from logins l where l.user_id = _user_id and l.provider_id = 'sso:' || _account_id);

create or replace function has_second_factor(_user_id integer, _session_id integer, _token_id integer, _account_id integer) returns boolean
  language sql stable parallel safe
  return case when _token_id is not null then could_show_second_factor(_user_id, _account_id)
    else exists (select from sessions v where v.id = _session_id and (v.method = 'passkey' or v.method = 'second_factor'
        and exists (select from two_factors f where f.user_id = v.user_id and f.confirmed_at is not null)))
      or exists (select from sso_sessions o where o.session_id = _session_id and o.account_id = _account_id) end;

-- The user joined with a link that an admin could read too, so their address is not verified. The first verification removes everything set up
-- before it. For users who joined earlier it is unknown which link they used.
alter table users add column address_unproven boolean not null default false;
update users u set address_unproven = true
where exists (select from invitations i where lower(i.email) = lower(u.email) and i.accepted_at = u.created_at)
  and not exists (select from logins l where l.user_id = u.id and starts_with(l.provider_id, 'sso:'));

-- The link in the mail differs from the link that the admin sees.
alter table invitations add column mailed_hash bytea unique check (octet_length(mailed_hash) = 32);

-- Existing export files contain credentials that exports must no longer contain.
update exports set expires_at = now() where status = 'done' and expires_at > now();
