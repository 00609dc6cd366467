-- Agents whose failures notify nobody: they open no breakages. Expired rows have no effect.
create table agent_mutes (
  account_id  integer not null,
  project_id  integer not null,
  agent       text not null,
  reason      text not null,
  -- Null: until somebody unmutes the agent.
  muted_until timestamptz(3),
  user_id     integer references users on delete set null,
  muted_at    timestamptz(3) not null default goldmaster_now(),
  primary key (account_id, project_id, agent),
  foreign key (account_id, project_id) references projects (account_id, id) on delete cascade
);
