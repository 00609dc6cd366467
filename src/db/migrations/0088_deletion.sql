-- Deleting an account or a project takes a while. From its first moment on nobody reaches it.

-- Who belonged to an account that is being deleted: whoever belongs to no other goes with it.
alter table accounts add column closed_member_ids integer[];
alter table projects add column deleted_at timestamptz(3);

create or replace view project_access as
  select m.user_id, p.id as project_id, p.account_id, m.role as account_role, a.token_days_max,
    case when m.role in ('owner', 'admin') then 'lead' else coalesce(pm.project_role, 'approver') end as project_role
  from account_members m
  join accounts a on a.id = m.account_id
  join projects p on p.account_id = m.account_id
  left join project_members pm on pm.project_id = p.id and pm.user_id = m.user_id
  where p.deleted_at is null
    and (m.role in ('owner', 'admin') or pm.user_id is not null or (m.role = 'member' and a.members_see_projects));

-- Who belonged to an account once: its texts may still name them, so whoever is deleted is forgotten there too.
create table former_members (
  account_id integer not null references accounts on delete cascade,
  user_id    integer not null references users on delete cascade,
  primary key (account_id, user_id)
);
create index former_members_user on former_members (user_id);

create function remember_former_member() returns trigger language plpgsql as $$
begin
  insert into former_members (account_id, user_id)
    select a.id, u.id from accounts a, users u where a.id = old.account_id and u.id = old.user_id
    on conflict do nothing;
  return null;
end $$;
create trigger remember_former_member after delete on account_members
  for each row execute function remember_former_member();
