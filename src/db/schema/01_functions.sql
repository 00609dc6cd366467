-- The clock for waiting times: how long a failure waits for its log, when a breakage is too old to reopen, how often a room gets a post
-- about a flaky one. It is the database's own time; tests replace this function to move all processes on this database to another day.
create function goldmaster_now() returns timestamptz language sql stable parallel safe return now();

-- A time in the API's format: UTC, milliseconds, Z.
create function iso(timestamptz) returns text language sql stable parallel safe
  return to_char($1 at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');

-- Loading a world creates no events: it describes the past.
create function is_quiet() returns boolean language sql stable as $$ select coalesce(current_setting('goldmaster.quiet', true), '') = 'on' $$;

-- Node accepts names of time zones that PostgreSQL rejects: the zone of one account must not stop the messages of all.
create function zone_or_utc(zone text) returns text language plpgsql stable as $$
begin
  perform now() at time zone zone;
  return zone;
exception when invalid_parameter_value then
  return 'UTC';
end $$;

-- Normalizes: `//Game/Main/...` is `//game/main`, `origin/main` is `main`. Depots are case-insensitive, git names are not.
create function branch_key(branch text) returns text language sql immutable parallel safe
  return case when branch like '//%' then lower(rtrim(regexp_replace(branch, '/(\.\.\.|\*)$', ''), '/'))
    else regexp_replace(branch, '^(refs/heads/|refs/remotes/origin/|origin/)', '') end;

create function build_branch(branch text, inferred text) returns text language sql immutable parallel safe
  return coalesce(inferred, branch_key(branch));

-- Null if it is unknown.
create function build_platform(platform text, inferred text) returns text language sql immutable parallel safe
  return coalesce(nullif(platform, ''), inferred);

-- `development` is the default target type, so it does not say that a report named a configuration.
create function build_configuration(configuration text, target_type text, inferred text) returns text language sql immutable parallel safe
  return coalesce(nullif(configuration, ''), nullif(initcap(target_type), 'Development'), inferred);

-- Which job a build is of: its name with the platform and configuration that its reports told, separated by character 31. Only the name if they
-- told neither. What was read from its log doesn't count: a build that failed early doesn't print it, and it becomes known after the result.
create function build_job(name text, platform text, configuration text, target_type text) returns text language sql immutable parallel safe
  return name || case when platform <> '' or coalesce(build_configuration(configuration, target_type, null), '') <> ''
    then E'\x1F' || platform || E'\x1F' || coalesce(build_configuration(configuration, target_type, null), '') else '' end;

-- Whether a build, with what its tests say, counts as good where the newest good one is asked for.
create function is_good_build(verdict text, kind text) returns boolean language sql immutable parallel safe
  return coalesce(verdict = 'passed' and kind = 'regular', false);

-- Whether a person with these roles may share artifacts, under the policy of the account.
create function may_share(policy text, account_role text, project_role text) returns boolean language sql immutable parallel safe
  return project_role <> 'viewer' and (policy = 'contributors' or policy = 'members' and account_role <> 'guest');

-- The CI's build number as a sort key: 9 before 10, and the second attempt 9.2 between them. Null if it is not made of numbers.
create function ci_number(build_number text) returns bigint[] language sql immutable parallel safe
  return case when build_number ~ '^\d{1,18}(\.\d{1,18}){0,5}$' then string_to_array(build_number, '.')::bigint[] end;

-- A suspect needs evidence: a shared word or a project file in the same folder is not enough. A score of 0.25 needs a changed file that the
-- failure names, or the kind of file that causes such failures. Being the only change in the range is evidence too.
create function named_suspect(suspects jsonb) returns jsonb language sql immutable parallel safe
  return case when suspects -> 0 -> 'reason_codes' ->> 0 not in ('is_documentation', 'no_capable_files')
    and (suspects -> 0 ->> 'score')::float8 >= 1.2 * coalesce((suspects -> 1 ->> 'score')::float8, 0)
    and ((suspects -> 0 ->> 'score')::float8 >= 0.25 or jsonb_array_length(suspects) = 1) then suspects -> 0 end;
