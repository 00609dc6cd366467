-- online
-- A deployment belongs to a store and to one of its tracks, keeps what its reports said about the build, and has a history.
alter table deployments
  -- The store's name if the platform is custom; empty otherwise.
  add column if not exists store text not null default '',
  -- Steam's branch, Google Play's track, a console's sandbox; empty if unknown.
  add column if not exists track text not null default '',
  add column if not exists job_name text not null default '',
  add column if not exists build_number text not null default '',
  add column if not exists commit_hash text not null default '',
  add column if not exists changelist text not null default '',
  add column if not exists named_build_run_id bigint,
  -- The field that led to the build.
  add column if not exists build_basis text not null default '';

alter table build_runs
  add column if not exists platform text not null default '',
  add column if not exists configuration text not null default '',
  add column if not exists agent text not null default '',
  -- {name, value, unit, platform}, unique by name and platform.
  add column if not exists measures jsonb;

create table if not exists deployment_history (
  id            bigint generated always as identity primary key,
  account_id    integer not null,
  project_id    integer not null,
  deployment_id uuid not null references deployments on delete cascade,
  kind          text not null,
  -- Null: a tool reported it.
  user_id       integer references users on delete set null,
  -- For a change of status.
  before        text not null default '',
  after         text not null default '',
  -- For a change of build: the new one.
  build_run_id  bigint,
  note          text not null default '',
  at            timestamptz(3) not null default now(),
  foreign key (project_id, account_id) references projects (id, account_id) on delete cascade
);
create index if not exists deployment_history_of on deployment_history (deployment_id, id desc);
create index if not exists deployment_history_project on deployment_history (project_id);

-- Store names were the first part of the key until now.
update deployments set store = left(trim(both '_' from regexp_replace(lower(regexp_replace(external_key, ' [^ ]*$', '')), '[^a-z0-9]+', '_', 'g')), 60)
where platform = 'custom' and external_key like '% %' and external_key not like 'release:%' and external_key not like 'deployment:%';
update deployments set store = case
    when store in ('playstation_5', 'playstation5') then 'ps5'
    when store in ('playstation_4', 'playstation4') then 'ps4'
    when store in ('nintendo_switch', 'nintendo') then 'switch'
    when store in ('itch_io') then 'itch'
    else store end
where store <> '';
update deployments d set track = lower(d.branch)
where d.branch <> '' and length(d.branch) <= 100 and d.branch not like '%/%' and d.branch not in ('main', 'master', 'trunk', 'develop')
  and d.external_key is not null and d.external_key not like 'release:%' and d.external_key not like 'deployment:%'
  and not exists (select from change_branches p where p.account_id = d.account_id and p.project_id = d.project_id and p.branch = branch_key(d.branch));
-- A build that did not pass was not shipped: it was linked by its number alone.
update deployments d set build_run_id = null
from build_runs b where b.id = d.build_run_id and d.external_key is not null and b.status not in ('completed', 'passed_pending_approval');

create index concurrently if not exists deployments_subject on deployments (integration_id, platform, split_part(external_key, E'\n', 1));
create index concurrently if not exists deployments_tracks on deployments (project_id, platform, store, track, live_at desc) where live_at is not null;
create index concurrently if not exists deployments_numbers on deployments (project_id, build_number) where build_number <> '';
create index concurrently if not exists deployments_commits on deployments (project_id, commit_hash) where commit_hash <> '';
create index concurrently if not exists deployments_changelists on deployments (project_id, changelist) where changelist <> '';
create index concurrently if not exists build_runs_number on build_runs (project_id, build_number, created_at desc, id desc) where build_number <> '';
