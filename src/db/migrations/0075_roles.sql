-- Who may what: roles in an account (owner, admin, member, guest) and in a project (viewer, contributor, approver, lead).

-- Whether members see the projects they are not on. Guests never do, owners and admins always.
alter table accounts add column members_see_projects boolean not null default true;

-- What somebody may do in a project. `role` is the word of the API for it: a lead is an owner, everybody else a member.
alter table project_members add column project_role text;

-- Either word follows the other, so that nodes of the version before, which write `role` alone, say the same.
create function project_member_roles() returns trigger language plpgsql as $$
begin
  if new.project_role is null
    or (tg_op = 'UPDATE' and new.role is distinct from old.role and new.project_role is not distinct from old.project_role) then
    new.project_role := case new.role when 'owner' then 'lead' else 'approver' end;
  end if;
  new.role := case new.project_role when 'lead' then 'owner' else 'member' end;
  return new;
end $$;
create trigger project_member_roles before insert or update on project_members
  for each row execute function project_member_roles();

-- The trigger fills it.
update project_members set role = role;

-- A token may be held to one account, and to some of its projects. Null: whatever its user reaches.
alter table api_tokens add column account_id integer references accounts on delete cascade;
alter table api_tokens add column project_ids integer[];
-- Accounts whose admins shut it out.
alter table api_tokens add column barred_account_ids integer[] not null default '{}';
create index api_tokens_account on api_tokens (account_id) where account_id is not null;

-- Tokens older than this do not reach the account. Null: any age.
alter table accounts add column token_days_max integer;

-- What somebody who is invited as a guest gets to see.
alter table invitations add column project_ids integer[] not null default '{}';

-- Who reaches which project, and as what. Whatever shows a project's things to somebody asks here.
create view project_access as
  select m.user_id, p.id as project_id, p.account_id, m.role as account_role, a.token_days_max,
    case when m.role in ('owner', 'admin') then 'lead' else coalesce(pm.project_role, 'approver') end as project_role
  from account_members m
  join accounts a on a.id = m.account_id
  join projects p on p.account_id = m.account_id
  left join project_members pm on pm.project_id = p.id and pm.user_id = m.user_id
  where m.role in ('owner', 'admin') or pm.user_id is not null or (m.role = 'member' and a.members_see_projects);
