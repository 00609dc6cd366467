-- What a session has shown counts, not what its owner could have shown elsewhere.

-- When somebody last showed who they are with this session: exports, tokens and new factors need it to be recent.
alter table sessions add column confirmed_at timestamptz(3) not null default now();
update sessions set confirmed_at = created_at;

-- A factor that waits for its first code belongs to the session that began it, and ends with it. Those that wait now belong to none.
delete from two_factors where confirmed_at is null;
alter table two_factors add column session_id integer references sessions on delete cascade;
create index two_factors_session on two_factors (session_id) where session_id is not null;

-- An authenticator app counts for sessions in which a code of it was given. Another account's identity provider never asks for it.
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

-- Somebody joined with a link that an admin could read too, and nobody has shown yet that they get the mail of the address. The first proof
-- ends what was set up before it. Of those who joined earlier nobody knows which link they had.
alter table users add column address_unproven boolean not null default false;
update users u set address_unproven = true
where exists (select from invitations i where lower(i.email) = lower(u.email) and i.accepted_at = u.created_at)
  and not exists (select from logins l where l.user_id = u.id and starts_with(l.provider_id, 'sso:'));

-- The link in the mail is another one than the link that the admin is shown.
alter table invitations add column mailed_hash bytea unique check (octet_length(mailed_hash) = 32);

-- Files that were written before hold what they must not.
update exports set expires_at = now() where status = 'done' and expires_at > now();
