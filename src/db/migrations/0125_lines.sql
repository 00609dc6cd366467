-- The branches known from changes or from version control itself. Branches of several repositories are separate: `name` is the branch in every
-- other table, and only one repository of a project has the plain name.
create table branches (
  account_id integer not null,
  project_id integer not null,
  name       text not null,
  -- The name in version control: `main` for a second repository's branch that is `owl/tools:main` here.
  told       text not null,
  -- Empty if unknown.
  repository text not null default '',
  -- The last folder of a stream: CIs often report only that.
  tail       text generated always as (case when name like '//%' then substring(name from '[^/]+$') end) stored,
  deleted_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  primary key (account_id, project_id, name),
  foreign key (project_id, account_id) references projects (id, account_id) on delete cascade
);
create index branches_told on branches (project_id, told);
create index branches_tail on branches (project_id, tail) where tail is not null;

insert into branches (account_id, project_id, name, told) select distinct account_id, project_id, branch, branch from change_branches;

-- The branch's name in version control, if its name here contains the repository.
alter table change_branches add column told text;
-- A forced push may have replaced the change on this branch; the push didn't say.
alter table change_branches add column doubted_at timestamptz(3);

-- From the build's report.
alter table build_runs add column repository text not null default '';
