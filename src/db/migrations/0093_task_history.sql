-- Who changed what about a task, and tasks that were deleted while one may still take that back.

create table task_history (
  id               bigint generated always as identity primary key,
  account_id       integer not null,
  project_id       integer not null,
  -- No reference: it is still told when a deleted task is restored.
  task_id          integer not null,
  user_id          integer references users on delete set null,
  via_api_token_id integer references api_tokens on delete set null,
  -- By field, before and after; null for texts that may be long.
  changes          jsonb not null,
  at               timestamptz(3) not null default now(),
  foreign key (project_id, account_id) references projects (id, account_id) on delete cascade
);
create index task_history_of on task_history (account_id, task_id, id desc);
create index task_history_project on task_history (project_id);

create table deleted_tasks (
  account_id         integer not null,
  task_id            integer not null,
  project_id         integer not null,
  task               jsonb not null,
  -- Ids of the changes, builds, deployments and breakages it was linked to.
  links              jsonb not null,
  deleted_by_user_id integer references users on delete set null,
  deleted_at         timestamptz(3) not null default now(),
  primary key (account_id, task_id),
  foreign key (project_id, account_id) references projects (id, account_id) on delete cascade
);
create index deleted_tasks_project on deleted_tasks (project_id);
create index deleted_tasks_age on deleted_tasks (deleted_at);
