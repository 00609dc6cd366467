-- Who asks is looked up with every request, and PostgreSQL sets up all parts of a statement before it runs it, also those that hardly
-- anybody needs. What few accounts ask for is a function, which costs nothing until it is called; what is asked of an account comes with
-- the projects instead of from a second and third look at it.

-- With a session: an authenticator app, which the password is then never enough without; a passkey by which it was opened; the account's
-- own provider, whose business it is how people show who they are. A token was made by a session that was not kept out, of somebody who
-- has one of them still.
create function could_show_second_factor(_user_id integer, _account_id integer) returns boolean language sql stable parallel safe
  return exists (select from passkeys k where k.user_id = _user_id)
    or exists (select from logins l where l.user_id = _user_id and l.provider_id = 'sso:' || _account_id);

create function has_second_factor(_user_id integer, _session_id integer, _token_id integer, _account_id integer) returns boolean
  language sql stable parallel safe
  return exists (select from two_factors f where f.user_id = _user_id and f.confirmed_at is not null)
    or exists (select from sessions v where v.id = _session_id and v.method = 'passkey')
    or exists (select from sso_sessions o where o.session_id = _session_id and o.account_id = _account_id)
    or (_token_id is not null and could_show_second_factor(_user_id, _account_id));

create or replace view project_access as
  select m.user_id, p.id as project_id, p.account_id, m.role as account_role, a.token_days_max,
    case when m.role in ('owner', 'admin') then 'lead' else coalesce(pm.project_role, 'approver') end as project_role,
    a.allowed_addresses, a.requires_second_factor,
    case when a.demo then 'demo' when a.swept_at is not null then 'trial_expired' end as read_only
  from account_members m
  join accounts a on a.id = m.account_id
  join projects p on p.account_id = m.account_id
  left join project_members pm on pm.project_id = p.id and pm.user_id = m.user_id
  where p.deleted_at is null
    and (m.role in ('owner', 'admin') or pm.user_id is not null or (m.role = 'member' and a.members_see_projects));

-- Those of an account's projects that somebody sees; of these, if any are given.
create function seen_projects(_user_id integer, _account_id integer, _of integer[]) returns integer[] language sql stable parallel safe
  return array(select s.project_id from project_access s
    where s.user_id = _user_id and s.account_id = _account_id and (_of is null or s.project_id = any (_of)));
