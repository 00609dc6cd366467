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

-- The CI's build number as a sort key: 9 before 10, and the second attempt 9.2 between them. Null if it is not made of numbers.
create function ci_number(build_number text) returns bigint[] language sql immutable parallel safe
  return case when build_number ~ '^\d{1,18}(\.\d{1,18}){0,5}$' then string_to_array(build_number, '.')::bigint[] end;

-- A suspect needs evidence: a shared word or a project file in the same folder is not enough. A score of 0.25 needs a changed file that the
-- failure names, or the kind of file that causes such failures. Being the only change in the range is evidence too.
create function named_suspect(suspects jsonb) returns jsonb language sql immutable parallel safe
  return case when jsonb_array_length(suspects -> 0 -> 'reasons') > 0
    and suspects -> 0 -> 'reasons' ->> 0 not in ('is described as documentation', 'has no file types that can cause this failure')
    and (suspects -> 0 ->> 'score')::float8 >= 1.2 * coalesce((suspects -> 1 ->> 'score')::float8, 0)
    and ((suspects -> 0 ->> 'score')::float8 >= 0.25 or jsonb_array_length(suspects) = 1) then suspects -> 0 end;
