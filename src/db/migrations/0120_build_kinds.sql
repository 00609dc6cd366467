-- The purpose of a build. A preflight builds a change that is not on the branch yet, so it doesn't affect the branch. A bisecting build
-- searches for the change that broke something.
alter table build_runs add column kind text not null default 'regular';
-- What a preflight builds, and the branch its change is meant for.
alter table build_runs add column shelf text not null default '';
alter table build_runs add column pull_request text not null default '';
alter table build_runs add column head_repository text not null default '';
alter table build_runs add column target_branch text not null default '';

-- A changelist that is pending on the server: it was never submitted.
alter table changes add column pending boolean not null default false;

-- The CI's build number as a sort key: 9 before 10, and the second attempt 9.2 between them. Null if it is not made of numbers.
create function ci_number(build_number text) returns bigint[] language sql immutable parallel safe
  return case when build_number ~ '^\d{1,18}(\.\d{1,18}){0,5}$' then string_to_array(build_number, '.')::bigint[] end;

-- Only builds of the branch have badges: the badge of a job at a change is that of the build with the highest number there.
create or replace function ugs_badge_build(build bigint) returns void language plpgsql as $$
declare
  place record;
  newest record;
  moved record;
  touched bigint;
begin
  select b.account_id, b.project_id, b.changelist, b.ci_job_name, b.kind, build_branch(b.branch, b.inferred_branch) as branch,
    ugs_change_number(b.changelist) as change, left(coalesce(nullif(b.ci_job_name, ''), 'Build'), 200) as name
    into place from build_runs b where b.id = build;
  -- Nobody else gives numbers meanwhile, so what is read below cannot be overtaken.
  perform from ugs_sequences s where s.account_id = place.account_id and s.project_id = place.project_id for update;
  if not found then return; end if;

  for moved in
    delete from ugs_badges g where g.build_run_id = build
      and (place.kind <> 'regular' or (g.path, g.change, g.name) is distinct from (place.branch, place.change, place.name))
    returning g.path, g.change
  loop
    perform ugs_touch(place.account_id, place.project_id, moved.path, moved.change);
  end loop;
  if place.change is null or place.branch not like '//%' or octet_length(place.branch) > 500 then return; end if;

  select b.id, ugs_badge_state(b.status) as state into newest from build_runs b
  where b.project_id = place.project_id and b.changelist = place.changelist and b.ci_job_name = place.ci_job_name
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

drop trigger ugs_badge_updated_build on build_runs;
create constraint trigger ugs_badge_updated_build after update on build_runs deferrable initially deferred
  for each row when ((old.changelist <> '' or new.changelist <> '')
    and (old.status, old.changelist, old.branch, old.inferred_branch, old.ci_job_name, old.kind)
      is distinct from (new.status, new.changelist, new.branch, new.inferred_branch, new.ci_job_name, new.kind))
  execute function ugs_badge_changed_build();
