-- The branches that changes, or the version control itself, tell of. Branches of several repositories are separate lines: `name` is what
-- every other table calls a branch, and only one repository of a project has the plain name.
create table branches (
  account_id integer not null,
  project_id integer not null,
  name       text not null,
  -- As its tool calls it: the `main` of a second repository has the name `owl/tools:main`.
  told       text not null,
  -- Empty where nobody said.
  repository text not null default '',
  -- The last folder of a stream: CIs often call it by that alone.
  tail       text generated always as (case when name like '//%' then substring(name from '[^/]+$') end) stored,
  deleted_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  primary key (account_id, project_id, name),
  foreign key (project_id, account_id) references projects (id, account_id) on delete cascade
);
create index branches_told on branches (project_id, told);
create index branches_tail on branches (project_id, tail) where tail is not null;

insert into branches (account_id, project_id, name, told) select distinct account_id, project_id, branch, branch from change_branches;

-- How its tool calls the branch, where its name holds the repository.
alter table change_branches add column told text;
-- A forced push may have replaced the change here; nobody told.
alter table change_branches add column doubted_at timestamptz(3);

-- Where a build's report tells it.
alter table build_runs add column repository text not null default '';
