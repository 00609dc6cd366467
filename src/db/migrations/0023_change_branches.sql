-- Where a change lives, and in which order a branch got its changes.

-- One spelling: `//Game/Main/...` is `//game/main`, `origin/main` is `main`. Depots are compared without case, names of git with it.
create function branch_key(branch text) returns text language sql immutable parallel safe
  return case when branch like '//%' then lower(rtrim(regexp_replace(branch, '/(\.\.\.|\*)$', ''), '/'))
    else regexp_replace(branch, '^(refs/heads/|refs/remotes/origin/|origin/)', '') end;

create table change_branches (
  -- In the order in which the change was first seen on each.
  id         bigint generated always as identity primary key,
  account_id integer not null,
  project_id integer not null,
  branch     text not null,
  change_id  integer not null references changes on delete cascade,
  -- The number of a changelist, or a place that a late push was given; else the order of arrival.
  given      bigint,
  position   bigint not null generated always as (coalesce(given, id * 65536)) stored,
  -- The identifier of the change before it on this branch, as the push that brought it told.
  follows    text,
  arrived_at timestamptz(3) not null default now(),
  unique (account_id, project_id, branch, change_id),
  foreign key (project_id, account_id) references projects (id, account_id) on delete cascade
);
create index change_branches_position on change_branches (account_id, project_id, branch, position desc, change_id);
create index change_branches_change on change_branches (change_id, id);
create index change_branches_follows on change_branches (account_id, project_id, branch, follows) where follows is not null;

-- A build that names no branch is of the branch of its change, and one that calls a stream by its last folder alone is of that stream.
alter table build_runs add column inferred_branch text;

create function build_branch(branch text, inferred text) returns text language sql immutable parallel safe
  return coalesce(inferred, branch_key(branch));
