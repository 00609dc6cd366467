-- Ids of builds get 64 bits with the next migration: what is called with one takes it before it is as wide.
create function ugs_badge_build(build bigint) returns void language plpgsql as $$
declare
  place record;
  newest record;
  moved record;
  touched bigint;
begin
  select b.account_id, b.project_id, b.changelist, b.ci_job_name, build_branch(b.branch, b.inferred_branch) as branch,
    ugs_change_number(b.changelist) as change, left(coalesce(nullif(b.ci_job_name, ''), 'Build'), 200) as name
    into place from build_runs b where b.id = build;
  -- Nobody else gives numbers meanwhile, so what is read below cannot be overtaken.
  perform from ugs_sequences s where s.account_id = place.account_id and s.project_id = place.project_id for update;
  if not found then return; end if;

  for moved in
    delete from ugs_badges g where g.build_run_id = build
      and (g.path, g.change, g.name) is distinct from (place.branch, place.change, place.name)
    returning g.path, g.change
  loop
    perform ugs_touch(place.account_id, place.project_id, moved.path, moved.change);
  end loop;
  if place.change is null or place.branch not like '//%' or octet_length(place.branch) > 500 then return; end if;

  select b.id, ugs_badge_state(b.status) as state into newest from build_runs b
  where b.project_id = place.project_id and b.changelist = place.changelist and b.ci_job_name = place.ci_job_name
    and build_branch(b.branch, b.inferred_branch) = place.branch
  order by b.created_at desc, b.id desc limit 1;
  if exists (select from ugs_badges g where g.account_id = place.account_id and g.project_id = place.project_id and g.path = place.branch
    and g.change = place.change and g.name = place.name and g.build_run_id = newest.id and g.state = newest.state) then return; end if;

  touched := ugs_touch(place.account_id, place.project_id, place.branch, place.change);
  insert into ugs_badges (account_id, project_id, path, change, name, state, build_run_id, sequence)
  values (place.account_id, place.project_id, place.branch, place.change, place.name, newest.state, newest.id, touched)
  on conflict (account_id, project_id, path, change, name)
    do update set state = excluded.state, url = '', build_run_id = excluded.build_run_id, sequence = excluded.sequence;
end $$;
