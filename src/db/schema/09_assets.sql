create table assets (
  id               uuid not null default gen_random_uuid(),
  account_id       integer not null,
  project_id       integer not null,
  name             text not null,
  path             text not null,
  asset_type       text not null,
  -- The status of its newest approval record.
  approval_status  text not null default 'none',
  version          integer not null default 1,
  size_bytes       bigint,
  created_at       timestamptz(3) not null default now(),
  updated_at       timestamptz(3) not null default now(),
  -- No reference: an index for it would be written with every version. What deletes a change clears it by the change's files.
  last_change_id   bigint,
  primary key (account_id, id),
  foreign key (account_id, project_id) references projects (account_id, id)
);
create statistics assets_owner (dependencies) on account_id, project_id from assets;
create unique index assets_path on assets (account_id, project_id, path) where path <> '';
create index assets_newest on assets (project_id, created_at desc, id desc);
create index assets_type on assets (project_id, asset_type, created_at desc, id desc);
create index assets_status on assets (project_id, approval_status, created_at desc, id desc);
create index assets_status_type on assets (project_id, approval_status, asset_type, created_at desc, id desc);

create table approvals (
  id                uuid not null default gen_random_uuid(),
  account_id        integer not null,
  project_id        integer not null,
  asset_id          uuid not null,
  commit_sha        text not null default '',
  approval_stage    text not null default 'review',
  approval_type     text not null default 'manual',
  status            text not null default 'pending',
  approver_user_id  integer references users on delete set null,
  comments          text not null default '',
  asset_version     integer not null default 1,
  decided_at        timestamptz(3),
  created_at        timestamptz(3) not null default now(),
  updated_at        timestamptz(3) not null default now(),
  happened_at       timestamptz(3) generated always as (COALESCE(decided_at, created_at)) stored,
  -- A page of approvals shows its assets' names without looking each of them up.
  asset_name        text,
  -- The stage of a request before it was decided, to undo the decision; null if there was no request.
  asked_stage       text,
  -- The approval rule that asked, as it was then; null if it is unknown, or if nobody asked.
  rule              jsonb,
  -- The place of the stage in the rule, from 0: the stage's name may be any text.
  stage_number      smallint not null default 0,
  -- Who approved this stage, in order: {user_id, comments, decided_at}. Only for rules with stages.
  sign_offs         jsonb not null default '[]',
  -- Who took back a decision or an approval of this stage, in order: {user_id, asset_version, undone_at}. The newest 20.
  undone            jsonb not null default '[]',
  -- Whether builds of the change wait for it.
  gates             boolean not null generated always as (coalesce((rule ->> 'gate')::boolean, true)) stored,
  -- The queue's filters: the file's type, the author and the branch as shown, and the level of a file that is a part of one.
  asset_type        text,
  author            text not null default '',
  branch            text not null default '',
  level             text,
  primary key (account_id, id),
  foreign key (account_id, asset_id) references assets (account_id, id) on delete cascade,
  foreign key (account_id, project_id) references projects (account_id, id)
) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);
create statistics approvals_owner (dependencies) on account_id, project_id from approvals;
create index approvals_newest on approvals (project_id, created_at desc, id desc);
create index approvals_asset on approvals (account_id, asset_id, created_at desc, id desc);
create index approvals_status on approvals (project_id, status, created_at desc, id desc);
create index approvals_commit on approvals (project_id, commit_sha, created_at desc, id desc) include (status, gates);
create index approvals_feed on approvals (account_id, happened_at desc, id desc);
create index approvals_feed_status on approvals (account_id, status, happened_at desc, id desc);
create index approvals_project_feed on approvals (project_id, happened_at desc, id desc);
create index approvals_project_feed_status on approvals (project_id, status, happened_at desc, id desc);
create index approvals_updated_since on approvals (project_id, updated_at desc) include (created_at, id);
create index approvals_weeks on approvals (project_id, date_trunc('week', created_at at time zone 'UTC') desc, updated_at desc);
create index approvals_own on approvals (account_id, approver_user_id, happened_at desc, id desc)
  where approver_user_id is not null;
create index approvals_stage_status
  on approvals (project_id, approval_stage, status, created_at desc, id desc);
create index approvals_waiting on approvals (project_id, created_at desc, id desc) where status = 'pending' and level is null;
create index approvals_waiting_type on approvals (project_id, asset_type, created_at desc, id desc) where status = 'pending' and level is null;
create index approvals_waiting_author on approvals (project_id, author, created_at desc, id desc) where status = 'pending' and level is null;
create index approvals_waiting_branch on approvals (project_id, branch, created_at desc, id desc) where status = 'pending' and level is null;
create index approvals_waiting_stage
  on approvals (project_id, approval_stage, created_at desc, id desc) where status = 'pending' and level is null;
create index approvals_waiting_level
  on approvals (project_id, level, created_at desc, id desc) where status = 'pending' and level is not null;
