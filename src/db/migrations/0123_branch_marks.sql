-- Changes that a person marked as good, whatever the results of the branch's jobs.
create table branch_marks (
  account_id integer not null,
  project_id integer not null,
  branch     text not null,
  change_id  bigint not null references changes on delete cascade,
  reason     text not null,
  user_id    integer references users on delete set null,
  marked_at  timestamptz(3) not null default goldmaster_now(),
  primary key (account_id, project_id, branch, change_id),
  foreign key (project_id, account_id) references projects (id, account_id) on delete cascade
);
create index branch_marks_change on branch_marks (change_id);
