create table ugs_tokens (
  account_id          integer not null,
  id                  bigint generated always as identity,
  project_id          integer not null,
  name                text not null,
  prefix              text not null check ((length(prefix) >= 8) and (length(prefix) <= 20)),
  hash                bytea not null unique check (octet_length(hash) = 32),
  revoked_at          timestamptz(3),
  created_at          timestamptz(3) not null default now(),
  -- The creator of a token for tools: when that person leaves, admins can list and revoke it.
  created_by_user_id  integer references users on delete set null,
  primary key (account_id, id),
  foreign key (account_id, project_id) references projects (account_id, id) on delete cascade
);
create index ugs_tokens_maker on ugs_tokens (created_by_user_id) where created_by_user_id is not null and revoked_at is null;

-- One row per project that ever had a token. A writer locks it until it commits, so that numbers follow the order of commits and a poll
-- that has seen one has seen all below it.
create table ugs_sequences (
  account_id  integer not null,
  project_id  integer not null,
  sequence    bigint not null default 0,
  primary key (account_id, project_id),
  foreign key (account_id, project_id) references projects (account_id, id) on delete cascade
);

create table ugs_badges (
  account_id    integer not null,
  project_id    integer not null,
  path          text not null,
  change        integer not null,
  name          text not null,
  state         text not null,
  url           text not null default '',
  sequence      bigint not null,
  -- Our own build, whose page it links to.
  build_run_id  bigint,
  primary key (account_id, project_id, path, change, name),
  foreign key (account_id, build_run_id) references build_runs (account_id, id) on delete cascade
);
create index ugs_badges_build on ugs_badges (build_run_id) where build_run_id is not null;

-- The unit that a client replaces: everything about one change below one path (a stream, or a project in it, in lower case).
create table ugs_changes (
  account_id  integer not null,
  project_id  integer not null,
  path        text not null,
  change      integer not null,
  -- The number of the last write to anything that belongs to it.
  sequence    bigint not null,
  primary key (account_id, project_id, path, change),
  foreign key (account_id, project_id) references projects (account_id, id) on delete cascade
);
create index ugs_changes_sequence on ugs_changes (account_id, project_id, path, sequence);

alter table ugs_badges add foreign key (account_id, project_id, path, change) references ugs_changes (account_id, project_id, path, change) on delete cascade;

create table ugs_user_metadata (
  account_id     integer not null,
  project_id     integer not null,
  path           text not null,
  change         integer not null,
  -- In lower case: most Perforce servers compare names without case.
  user_key       text not null,
  user_name      text not null,
  synced_at      timestamptz(3),
  vote           text,
  starred        boolean,
  investigating  boolean,
  comment        text,
  sequence       bigint not null,
  primary key (account_id, project_id, path, change, user_key),
  foreign key (account_id, project_id, path, change) references ugs_changes (account_id, project_id, path, change) on delete cascade
);

-- As the build counts for its branch: see build_runs.verdict.
create function ugs_badge_state(status text, verdict text) returns text language sql immutable parallel safe
  return case verdict when 'failed' then 'Failure' when 'passed' then 'Success'
    else case status when 'cancelled' then 'Skipped' else 'Starting' end end;

create function ugs_change_number(changelist text) returns integer language sql immutable parallel safe
  return case when changelist ~ '^[1-9]\d{0,9}$' and changelist::bigint <= 2147483647 then changelist::integer end;

-- Microseconds since 1970, or one more than the last: numbers keep rising after a restored backup, and stay below 2^53.
create function ugs_touch(of_account integer, of_project integer, of_path text, of_change integer) returns bigint language plpgsql as $$
declare
  microseconds bigint := extract(epoch from clock_timestamp()) * 1000000;
  touched bigint;
begin
  update ugs_sequences s set sequence = greatest(s.sequence + 1, microseconds)
    where s.account_id = of_account and s.project_id = of_project returning s.sequence into touched;
  if touched is not null then
    insert into ugs_changes (account_id, project_id, path, change, sequence) values (of_account, of_project, of_path, of_change, touched)
      on conflict (account_id, project_id, path, change) do update set sequence = excluded.sequence;
  end if;
  return touched;
end $$;

-- Only builds of the branch have badges: the badge of a job at a change is that of the build with the highest number there.
create function ugs_badge_build(of_account integer, build bigint) returns void language plpgsql as $$
declare
  place record;
  newest record;
  moved record;
  touched bigint;
begin
  select b.account_id, b.project_id, b.changelist, b.job, b.kind, build_branch(b.branch, b.inferred_branch) as branch,
    ugs_change_number(b.changelist) as change, left(coalesce(nullif(b.ci_job_name, ''), 'Build') || case when b.job <> b.ci_job_name
      then ' (' || array_to_string(array_remove((string_to_array(b.job, E'\x1F'))[2:], ''), ', ') || ')' else '' end, 200) as name
    into place from build_runs b where b.account_id = of_account and b.id = build;
  -- Nobody else assigns numbers meanwhile, so nothing read below can become outdated.
  perform from ugs_sequences s where s.account_id = place.account_id and s.project_id = place.project_id for update;
  if not found then return; end if;

  for moved in
    delete from ugs_badges g where g.account_id = of_account and g.build_run_id = build
      and (place.kind <> 'regular' or (g.path, g.change, g.name) is distinct from (place.branch, place.change, place.name))
    returning g.path, g.change
  loop
    perform ugs_touch(place.account_id, place.project_id, moved.path, moved.change);
  end loop;
  if place.change is null or place.branch not like '//%' or octet_length(place.branch) > 500 then return; end if;

  select b.id, ugs_badge_state(b.status, b.verdict) as state into newest from build_runs b
  where b.account_id = of_account and b.project_id = place.project_id and b.changelist = place.changelist and b.job = place.job
    and build_branch(b.branch, b.inferred_branch) = place.branch and b.kind = 'regular'
  order by ci_number(b.build_number) desc nulls last, b.id desc limit 1;
  if not found or exists (select from ugs_badges g where g.account_id = place.account_id and g.project_id = place.project_id
    and g.path = place.branch and g.change = place.change and g.name = place.name and g.build_run_id = newest.id and g.state = newest.state)
    then return; end if;

  touched := ugs_touch(place.account_id, place.project_id, place.branch, place.change);
  insert into ugs_badges (account_id, project_id, path, change, name, state, build_run_id, sequence)
  values (place.account_id, place.project_id, place.branch, place.change, place.name, newest.state, newest.id, touched)
  on conflict (account_id, project_id, path, change, name)
    do update set state = excluded.state, url = '', build_run_id = excluded.build_run_id, sequence = excluded.sequence;
end $$;

create function ugs_badge_changed_build() returns trigger language plpgsql as $$
begin
  if exists (select from ugs_sequences s where s.account_id = new.account_id and s.project_id = new.project_id)
    then perform ugs_badge_build(new.account_id, new.id); end if;
  return null;
end $$;

-- Deferred to the commit: build reports wait for each other only that long, and take no lock after this one.
create constraint trigger ugs_badge_inserted_build after insert on build_runs deferrable initially deferred
  for each row when (new.changelist <> '' and new.import_id is null) execute function ugs_badge_changed_build();
create constraint trigger ugs_badge_updated_build after update on build_runs deferrable initially deferred
  for each row when ((old.changelist <> '' or new.changelist <> '') and new.import_id is null
    and (old.status, old.tests_verdict, old.changelist, old.branch, old.inferred_branch, old.job, old.kind, old.import_id)
      is distinct from (new.status, new.tests_verdict, new.changelist, new.branch, new.inferred_branch, new.job, new.kind, new.import_id))
  execute function ugs_badge_changed_build();
