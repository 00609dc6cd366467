-- Files of builds. Their bytes are pieces in the file store, so that no upload or download holds more than a piece in memory.
create table artifacts (
  id            uuid not null default gen_random_uuid(),
  account_id    integer not null,
  project_id    integer not null,
  build_run_id  bigint not null,
  -- The path that the build names it by, with slashes.
  name          text not null,
  -- The sender's id for the last upload of these bytes.
  upload        text not null,
  bytes         bigint not null,
  -- How many bytes have arrived, from the start.
  received      bigint not null default 0,
  created_at    timestamptz(3) not null default now(),
  -- The last piece arrived then.
  updated_at    timestamptz(3) not null default now(),
  -- Null while it is uploaded: nobody sees it yet.
  completed_at  timestamptz(3),
  -- The state of the hash while pieces arrive; see domain/artifacts/running-sha256.ts. Then the hash.
  hash_state    bytea,
  sha256        bytea check (octet_length(sha256) = 32),
  -- The build had another file of this name already.
  again         boolean not null default false,
  primary key (account_id, id),
  constraint artifacts_hashed check ((completed_at is null) = (sha256 is null)),
  foreign key (account_id, project_id) references projects (account_id, id),
  foreign key (account_id, build_run_id) references build_runs (account_id, id) on delete cascade
);
create unique index artifacts_upload on artifacts (account_id, build_run_id, name, upload);
-- The same bytes of the same name are one artifact.
create unique index artifacts_complete on artifacts (account_id, build_run_id, name, sha256) where completed_at is not null;
create index artifacts_newest on artifacts (account_id, build_run_id, completed_at desc, id desc) where completed_at is not null;
create index artifacts_project on artifacts (account_id, project_id);
create index artifacts_age on artifacts (account_id, completed_at);
create index artifacts_unfinished on artifacts (account_id, build_run_id) where completed_at is null;

create trigger artifacts_new_bytes after insert on artifacts referencing new table as new_rows
  for each statement execute function count_file_bytes('artifacts', 'received');
create trigger artifacts_changed_bytes after update on artifacts referencing old table as old_rows new table as new_rows
  for each statement execute function count_file_bytes('artifacts', 'received');
create trigger artifacts_deleted_bytes after delete on artifacts referencing old table as old_rows
  for each statement execute function count_file_bytes('artifacts', 'received');

create table artifact_pieces (
  account_id   integer not null,
  artifact_id  uuid not null,
  -- The offset of its first byte.
  start        bigint not null,
  bytes        integer not null,
  sha256       bytea not null,
  primary key (account_id, artifact_id, start),
  foreign key (account_id, artifact_id) references artifacts (account_id, id) on delete cascade,
  foreign key (account_id, sha256) references file_contents (account_id, sha256)
);
create index artifact_pieces_content on artifact_pieces (account_id, sha256);

-- Links that download an artifact without signing in. Only the hash of a link's secret is stored.
create table share_links (
  account_id   integer not null,
  id           bigint generated always as identity,
  project_id   integer not null,
  artifact_id  uuid not null,
  hash         bytea not null check (octet_length(hash) = 32),
  -- It is valid only while this person may create it.
  user_id      integer not null references users on delete cascade,
  created_at   timestamptz(3) not null default now(),
  expires_at   timestamptz(3) not null,
  primary key (account_id, id),
  unique (account_id, hash),
  foreign key (account_id, project_id) references projects (account_id, id) on delete cascade,
  foreign key (account_id, artifact_id) references artifacts (account_id, id) on delete cascade
);
create index share_links_project on share_links (account_id, project_id);
create index share_links_artifact on share_links (account_id, artifact_id);
create index share_links_user on share_links (user_id);
create index share_links_expired on share_links (expires_at);

-- The builds with artifacts, by what "the newest good one" is asked for: their number per job and branch doesn't matter to the search.
create table artifact_builds (
  account_id     integer not null,
  project_id     integer not null,
  build_run_id   bigint not null,
  good           boolean not null,
  branch         text not null,
  job            text not null,
  -- Empty if unknown.
  platform       text not null,
  configuration  text not null,
  -- When the build was reported.
  created_at     timestamptz(3) not null,
  primary key (account_id, build_run_id),
  foreign key (account_id, project_id) references projects (account_id, id),
  foreign key (account_id, build_run_id) references build_runs (account_id, id) on delete cascade
);
create index artifact_builds_newest
  on artifact_builds (account_id, project_id, job, platform, configuration, created_at desc, build_run_id desc) where good;
create index artifact_builds_branch
  on artifact_builds (account_id, project_id, branch, job, platform, configuration, created_at desc, build_run_id desc) where good;

-- Writes the row of a build that has artifacts.
create function index_artifact_build(_account_id integer, _build_run_id bigint) returns void language sql
begin atomic
  insert into artifact_builds (account_id, project_id, build_run_id, good, branch, job, platform, configuration, created_at)
    select b.account_id, b.project_id, b.id, is_good_build(b.verdict, b.kind), build_branch(b.branch, b.inferred_branch), b.ci_job_name,
      coalesce(build_platform(b.platform, b.inferred_platform), ''),
      coalesce(build_configuration(b.configuration, b.target_type, b.inferred_configuration), ''), b.created_at
    from build_runs b
    where b.account_id = _account_id and b.id = _build_run_id
    on conflict (account_id, build_run_id) do update set good = excluded.good, branch = excluded.branch, job = excluded.job,
      platform = excluded.platform, configuration = excluded.configuration;
end;

create function index_completed_artifact() returns trigger language plpgsql as $$
begin
  perform index_artifact_build(new.account_id, new.build_run_id);
  return null;
end $$;

-- Locks the row first: an artifact that is completed meanwhile is seen then.
create function index_deleted_artifact() returns trigger language plpgsql as $$
begin
  perform from artifact_builds where account_id = old.account_id and build_run_id = old.build_run_id for update;
  delete from artifact_builds where account_id = old.account_id and build_run_id = old.build_run_id and not exists (
    select from artifacts a where a.account_id = old.account_id and a.build_run_id = old.build_run_id and a.completed_at is not null);
  return null;
end $$;

create function index_changed_artifact_build() returns trigger language plpgsql as $$
begin
  perform index_artifact_build(x.account_id, x.build_run_id) from artifact_builds x
    where x.account_id = new.account_id and x.build_run_id = new.id;
  return null;
end $$;

create trigger artifacts_inserted_complete after insert on artifacts for each row
  when (new.completed_at is not null) execute function index_completed_artifact();
create trigger artifacts_completed after update on artifacts for each row
  when (new.completed_at is not null and old.completed_at is null) execute function index_completed_artifact();
create trigger artifacts_deleted after delete on artifacts for each row
  when (old.completed_at is not null) execute function index_deleted_artifact();
create trigger build_runs_of_artifacts after update on build_runs for each row
  when ((old.status, old.tests_verdict, old.kind, old.branch, old.inferred_branch, old.ci_job_name, old.platform, old.inferred_platform, old.configuration, old.target_type,
    old.inferred_configuration) is distinct from (new.status, new.tests_verdict, new.kind, new.branch, new.inferred_branch, new.ci_job_name, new.platform,
    new.inferred_platform, new.configuration, new.target_type, new.inferred_configuration))
  execute function index_changed_artifact_build();
